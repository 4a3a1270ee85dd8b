package org.rddp.simulation.programs;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.ring.PolledCompletion;
import org.rddp.simulation.HostPair;
import org.rddp.simulation.memory.Layout;
import org.rddp.simulation.memory.MemoryModel;
import org.rddp.simulation.memory.ModelStag;
import org.rddp.simulation.memory.Slab;
import org.rddp.simulation.memory.SourceOctets;

/**
 * One end of a connection as its program sees it, from before the connection is opened until all of
 * its resources are released: what the program does, and which events and completions it may see.
 */
abstract class ProgramEndpoint {
  /** Turns within which the engine takes every request from the ring. */
  private static final int TURNS_TO_TAKE = 8;

  /** How much a step without a request counts, beside 1 of a request. */
  private static final double IDLE_STEP = 0.1;

  private final SimulatedProgram program;
  private final SimulatedProgramConnection conversation;
  private final boolean initiator;
  private final Workload plan;
  private final SplittableRandom random;
  private final SourceOctets octets;
  private final Layout layout;
  private final MemoryModel memory;
  private final EndpointStags stags;
  private final EndpointState state = new EndpointState();
  private final PostedRequests outstanding = new PostedRequests(this);
  private final RequestMaker requests = new RequestMaker(this);
  private final ControlCalls calls = new ControlCalls(this);
  private final Deque<ExpectedMessage> incoming = new ArrayDeque<>();
  private ProgramEndpoint peer;
  private boolean hazardOver;
  private boolean listening = true;
  private double left;

  /** The turn of its host in which the peer closed. */
  private int closedInTurn;

  /** Number of the peer's last request whose message was received before this end closed. */
  private long receivedBeforeClose;

  ProgramEndpoint(
      SimulatedProgram program,
      SimulatedProgramConnection conversation,
      boolean initiator,
      Workload plan,
      Slab slab,
      SourceOctets octets) {
    this.program = program;
    this.conversation = conversation;
    this.initiator = initiator;
    this.plan = plan;
    this.octets = octets;
    left = plan.requests();
    random = program.random().split();
    layout = Layout.draw(random, program.hosts().settings(), conversation.huge());
    byte[] start = new byte[layout.size()];
    random.nextBytes(start);
    memory =
        new MemoryModel(program.hosts().violations(), toString(), slab.take(layout.size()), start);
    stags = new EndpointStags(this);
    program.add(this);
  }

  void peer(ProgramEndpoint other) {
    peer = other;
  }

  // ---- Beginning ----

  /** The program's settings for the connection; called in the engine. */
  abstract ConnectionSettings settings();

  /** Registers memory; the responder listens. */
  void begin(int port) {
    stags.begin();
    if (!initiator) {
      calls.listen(port);
    }
  }

  /** Whether it may connect or accept. */
  boolean ready() {
    return stags.quiet() && calls.listened();
  }

  /** The initiator connects. */
  void connect(int port) {
    calls.connect(
        port,
        conversation.privateData(),
        () -> {
          state.known = true;
          early();
        });
  }

  private void early() {
    if (plan.early() && !state.isGone()) {
      receive();
      for (int i = 0; i < 3 && left > 0; i++) {
        count(ProgramEvent.EARLY);
        step();
      }
    }
  }

  // ---- Events ----

  /** Takes note of an event when the engine sends it. */
  final void happens(DaemonMessage message) {
    switch (message) {
      case DaemonMessage.ConnectionRequested requested -> calls.adopt(requested);
      case DaemonMessage.Closed closed -> {
        if (closed.connection() == connection() && connection() != 0) {
          closes(closed.reason(), closed.detail());
        }
        freeze(closed.connection(), "it is closed");
      }
      case DaemonMessage.PeerClosed closed -> {
        if (closed.connection() == connection()) {
          closedInTurn = program.turns();
        }
      }
      case DaemonMessage.Failed failed -> freeze(failed.connection(), "it has failed");
      case DaemonMessage.Rejected no -> freeze(no.connection(), "it was rejected");
      case DaemonMessage.StreamFailed error -> {
        if (error.connection() == connection()) {
          memory.freeze("its stream has failed");
          state.failed = true;
        }
      }
      default -> {}
    }
  }

  private void freeze(int number, String why) {
    if (number == connection() && connection() != 0) {
      memory.freeze(why);
      state.goneInEngine = true;
    }
  }

  /** The program receives an event; returns whether it was about this connection. */
  final boolean hear(DaemonMessage message) {
    return switch (message) {
      case DaemonMessage.ConnectionRequested requested ->
          requested.connection() == connection() && requested(requested);
      case DaemonMessage.Established up -> up.connection() == connection() && established(up);
      case DaemonMessage.PeerClosed closed -> closed.connection() == connection() && peerCloses();
      case DaemonMessage.Closed closed ->
          closed.connection() == connection() && ends(closed.reason(), closed.detail());
      case DaemonMessage.Failed failed ->
          failed.connection() == connection() && fails(failed.reason(), failed.detail());
      case DaemonMessage.Rejected no -> no.connection() == connection() && rejected(no);
      case DaemonMessage.StreamFailed failed ->
          failed.connection() == connection() && streamFails(failed);
      default -> false;
    };
  }

  private boolean requested(DaemonMessage.ConnectionRequested requested) {
    conversation.requested(requested);
    state.known = true;
    if (conversation.rejects() || state.isGone()) {
      count(ProgramEvent.REJECTED);
      state.disturbed = true;
      calls.reject(() -> freeze(connection(), "it was declined"), () -> ends(Reason.TERMINATED, 0));
      return true;
    }
    receive();
    early();
    calls.accept();
    return true;
  }

  private boolean established(DaemonMessage.Established up) {
    boolean asked = state.reason == null && !conversation.rejects();
    verify(!state.established && asked, "established unasked");
    conversation.told(this, up.startup());
    state.established = true;
    receive();
    return true;
  }

  private boolean peerCloses() {
    verify(
        state.established && !state.peerClosed && state.reason == null, "the peer closes unasked");
    // A Read that waits for windows, ORD or a fence may reach the peer after its FIN has left. A
    // message that the peer received before it closed shows that the Reads before it had come.
    boolean unanswered =
        outstanding.hasUnanswered(closedInTurn - TURNS_TO_TAKE, peer().receivedBeforeClose);
    verify(!unanswered, "the peer closed before it had answered");
    state.peerClosed = true;
    return true;
  }

  private boolean rejected(DaemonMessage.Rejected rejected) {
    conversation.toldOfRejection(rejected.startup());
    return fails(Reason.TERMINATED, 0);
  }

  private boolean fails(Reason why, int number) {
    verify(!state.established, "failed after it was up");
    count(ProgramEvent.FAILED);
    return ends(why, number);
  }

  private boolean ends(Reason why, int number) {
    verify(state.reason == null || state.isStreamFailed(), "ended twice");
    // Plain DDP: a lost connection is an error of MPA first, whose event does not say why.
    if (state.reason == null || why == Reason.TIMEOUT) {
      state.reason = why;
      state.detail = number;
    }
    state.tidying = true;
    state.known = false;
    incoming.clear();
    stags.released();
    return true;
  }

  /** Plain DDP: the stream has failed, and the program ends it. */
  boolean streamFails(DaemonMessage.StreamFailed failed) {
    verify(false, "an error that is not its program's");
    return true;
  }

  /** The connection has ended in the engine: nothing more is placed. */
  void closes(Reason why, int error) {}

  // ---- Actions ----

  /** Called when the program runs. */
  final void act() {
    if (state.tidying) {
      tidy();
      return;
    }
    if (!lasts() || !state.known || connection() == 0) {
      return;
    }
    if (state.established && usable()) {
      receive();
      int most = 1 + random.nextInt(plan.burst());
      for (int i = 0; i < most && left > 0 && usable(); i++) {
        go();
      }
    }
    if (state.established && lasts()) {
      finish();
    }
  }

  private void go() {
    long before = requests.posted();
    if (!hazardOver && left <= plan.hazardAt() && plan.hazard() != Workload.Hazard.NONE) {
      hazard();
    } else {
      step();
    }
    left -= requests.posted() > before ? 1 : IDLE_STEP;
  }

  private void hazard() {
    switch (plan.hazard()) {
      case FAULT -> {
        hazardOver = state.wrong = fault();
        state.disturbed |= hazardOver;
      }
      case REVOCATION -> {
        hazardOver = stags.race();
        state.disturbed |= hazardOver;
        if (hazardOver) {
          count(ProgramEvent.RACES);
        }
      }
      case CLOSE -> {
        count(ProgramEvent.CLOSED_RUDELY);
        hazardOver = state.disturbed = true;
        disconnect(true);
      }
      case ABORT -> {
        count(ProgramEvent.ABORTED);
        hazardOver = state.disturbed = true;
        disconnect(false);
      }
      default -> {
        count(ProgramEvent.DIED);
        hazardOver = state.disturbed = true;
        program.die();
      }
    }
  }

  // ---- Requests ----

  /** Posts a request, or changes an STag. */
  abstract void step();

  /** Posts a wrong request; false if that is not possible now. */
  abstract boolean fault();

  /** Posts receives. */
  abstract void receive();

  /** Posts its last message; false if that is not possible now. */
  abstract boolean sayGoodbye();

  private void finish() {
    if (left <= 0 && !state.goodbye && !state.wrong && usable()) {
      state.goodbye = sayGoodbye();
    }
    boolean done = state.goodbye && state.peerGoodbye && outstanding.isEmpty() && stags.quiet();
    if (done || state.peerClosed) {
      disconnect(true);
    }
  }

  /** Closes or resets the connection. */
  final void disconnect(boolean graceful) {
    state.closing = true;
    say(graceful ? "closes" : "aborts");
    calls.disconnect(graceful);
  }

  /** Stops waiting: its peer is gone. */
  final void giveUp() {
    state.disturbed = true;
    if (connection() != 0 && !state.closing && state.reason == null) {
      disconnect(false);
    } else if (connection() != 0 && state.reason == null) {
      calls.disconnect(false);
    } else if (connection() == 0) {
      state.tidying = true;
      program.stir();
    }
  }

  private void tidy() {
    if (!stags.quiet() || !calls.listened() || (listening && !stags.unnamed())) {
      return;
    }
    if (listening) {
      listening = false;
      if (!initiator) {
        calls.closeListener();
      }
      stags.tidy();
    }
  }

  /** Whether it has ended and everything is released. */
  final boolean tidied() {
    return state.tidying && !listening && stags.tidied() && outstanding.isEmpty() && emptied();
  }

  /** Whether every receive has ended. */
  abstract boolean emptied();

  /** Whether its program must run again without being woken. */
  final boolean wants() {
    boolean waiting = plan.lazy() && !state.peerGoodbye;
    boolean posting = state.established && usable() && (left > 0 || !state.goodbye || waiting);
    return state.tidying ? !tidied() : posting && !peer.program.over();
  }

  // ---- Completions ----

  /** Whether a completion is of this connection. */
  final boolean has(PolledCompletion completion) {
    return connection() != 0 && completion.connection() == connection();
  }

  final void completed(PolledCompletion completion) {
    state.flushed |=
        switch (completion.status()) {
          case FLUSHED, REMOTE_ACCESS_ERROR, REMOTE_OPERATION_ERROR -> true;
          default -> false;
        };
    switch (completion.opcode()) {
      case Opcode.RECEIVE, Opcode.RECEIVE_UNTAGGED, Opcode.TAGGED_NOTICE -> {
        if (completion.isSuccess()) {
          verify(!state.isGone(), "receives, though the connection is gone");
        } else {
          count(ProgramEvent.FLUSHED);
        }
        received(completion);
      }
      default -> outstanding.completed(completion);
    }
  }

  /** Whether a receive or a notice may end in this way. */
  final boolean mayEnd(PolledCompletion completion) {
    return switch (completion.status()) {
      case SUCCESS, FLUSHED -> true;
      default -> false;
    };
  }

  /** A receive or a notice has ended. */
  abstract void received(PolledCompletion completion);

  /** A request has ended. */
  abstract void ended(PostedRequest request, boolean done);

  /** Whether a request may end well behind one that was flushed after it had been sent. */
  boolean mayEndBehindFlushed(PostedRequest request) {
    return false;
  }

  /** A request was flushed. */
  abstract void unsent(PostedRequest request);

  /** The next message of the peer, which has arrived. */
  ExpectedMessage next(PolledCompletion completion) {
    ExpectedMessage message = incoming.poll();
    if (message == null) {
      verify(false, "a message that was not posted");
      return null;
    }
    count(ProgramEvent.RECEIVED);
    verify(!state.peerGoodbye, "a message behind the last");
    if (!state.closing) {
      receivedBeforeClose = message.number();
    }
    state.peerGoodbye = message.last();
    memory.writesDone(message.number() + 1, !state.closing, "a message behind it was received");
    return message;
  }

  /** Messages that the peer has posted and this end has not received. */
  final Deque<ExpectedMessage> incoming() {
    return incoming;
  }

  // ---- End ----

  /** Its session has ended, or power has failed. */
  final void gone() {
    if (!state.gone) {
      state.gone = true;
      stags.gone();
      memory.freeze("its session is gone");
    }
  }

  final void judge() {
    memory.check("all is over");
    boolean calm = !conversation.disturbed();
    if (conversation.lost()) {
      count(ProgramEvent.LOST);
    }
    judgeError();
    if (!calm || (state.gone && state.reason == null)) {
      judgeFault();
      return;
    }
    boolean orderly = state.reason == Reason.LOCAL_CLOSE || state.reason == Reason.PEER_CLOSE;
    verify(
        orderly,
        "ended for no reason as " + state.reason + " " + Integer.toHexString(state.detail));
    verify(!outstanding.flushed(), "requests were flushed for no reason");
    verify(state.peerGoodbye && state.goodbye, "the last message is missing");
    count(ProgramEvent.CLOSED);
  }

  private void judgeFault() {
    if (peer.state.wrong && !conversation.lost() && state.reason != null && !state.disturbed) {
      verify(
          mayFollowWrongRequest(state.reason, peer.state.reason),
          "did not find a wrong request out, but " + state.reason);
    }
  }

  /**
   * Whether a connection whose peer has posted a wrong request may end in this way: its error is
   * found here, unless the peer has found an error before, which the check of that end explains.
   *
   * @param there why the peer's end of it ended; null if it has not
   */
  static boolean mayFollowWrongRequest(Reason here, Reason there) {
    return switch (here) {
      case DDP_ERROR, RDMAP_ERROR -> true;
      case TERMINATED -> there == Reason.DDP_ERROR || there == Reason.RDMAP_ERROR;
      default -> false;
    };
  }

  /** Checks the error with which the connection ended. */
  abstract void judgeError();

  /** The end is about to revoke an STag that the peer uses. */
  abstract void races(ModelStag tag);

  // ---- State ----

  final void verify(boolean holds, String what) {
    if (!holds) {
      program.verify(false, this + ": " + what);
    }
  }

  /** Verifies with a message that is only built for a violation. */
  final void verify(boolean holds, PostedRequest request, String what) {
    if (!holds) {
      verify(false, request + " " + what);
    }
  }

  final void count(ProgramEvent event) {
    program.counts().add(event);
  }

  final void say(String what) {
    if (program.hosts().isTraced()) {
      program.hosts().trace(this + " " + what);
    }
  }

  /** Whether it may post: no request was flushed, and it has not closed. */
  final boolean usable() {
    return lasts() && !state.flushed;
  }

  private boolean lasts() {
    return !state.closing && state.reason == null && !state.gone && !program.over();
  }

  /** Whether its requests may be flushed. */
  final boolean over() {
    return state.closing
        || state.peerClosed
        || state.reason != null
        || state.disturbed
        || peer.state.disturbed
        || peer.state.closing;
  }

  /** Whether messages of the peer are held until a receive is posted. */
  abstract boolean holds();

  final int connection() {
    return calls.connection();
  }

  final EndpointState state() {
    return state;
  }

  /** Draws its requests. */
  final RequestMaker requests() {
    return requests;
  }

  final SimulatedProgram program() {
    return program;
  }

  final HostPair hosts() {
    return program.hosts();
  }

  final SimulatedProgramConnection conversation() {
    return conversation;
  }

  final ProgramEndpoint peer() {
    return peer;
  }

  final Workload plan() {
    return plan;
  }

  final SplittableRandom random() {
    return random;
  }

  final SourceOctets octets() {
    return octets;
  }

  final Layout layout() {
    return layout;
  }

  final MemoryModel memory() {
    return memory;
  }

  final EndpointStags stags() {
    return stags;
  }

  final PostedRequests outstanding() {
    return outstanding;
  }

  final boolean initiator() {
    return initiator;
  }

  @Override
  public final String toString() {
    return program.name() + (initiator ? " to " : " from ") + conversation.number();
  }
}
