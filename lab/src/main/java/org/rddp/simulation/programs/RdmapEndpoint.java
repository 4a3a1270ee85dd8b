package org.rddp.simulation.programs;

import java.util.List;
import org.rddp.client.types.Access;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SendFlags;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.ring.PolledCompletion;
import org.rddp.ipc.ring.StagPieces;
import org.rddp.ipc.ring.SubmissionEntry;
import org.rddp.simulation.memory.AtomicOperation;
import org.rddp.simulation.memory.ModelStag;
import org.rddp.simulation.memory.Slab;
import org.rddp.simulation.memory.SourceOctets;

/** One end of a connection that speaks RDMAP. */
final class RdmapEndpoint extends ProgramEndpoint {
  private static final int MOST_RECEIVES = 16;
  private static final int LONGEST_HELD = 4096;

  private final PostedReceives receives;
  private final RdmapPosts posts;
  private final FaultInjector faults;
  private final StreamErrors errors = new StreamErrors(this);
  private final boolean sharing;

  /** Whether its Sends and Writes complete when they are acknowledged. */
  private final boolean acknowledged;

  /** Octets of messages that the daemon holds until a receive is posted; 0 for none. */
  private final int held;

  /** How many messages may be sent to it without a posted receive. */
  private final int unposted;

  RdmapEndpoint(
      SimulatedProgram program,
      SimulatedProgramConnection conversation,
      boolean initiator,
      Workload plan,
      Slab slab,
      SourceOctets octets) {
    super(program, conversation, initiator, plan, slab, octets);
    posts = new RdmapPosts(this);
    faults = new FaultInjector(this, posts);
    receives = new PostedReceives(random(), octets, memory(), layout().inbox());
    acknowledged = random().nextBoolean();
    sharing = program.shared() != null && random().nextBoolean();
    boolean holding = sharing ? program.shared().holds() : random().nextBoolean();
    held = holding ? held() : 0;
    if (mayOverflow()) {
      state().disturbed = true;
    }
    unposted = held == 0 ? 0 : 1 + random().nextInt(4 << random().nextInt(5));
    if (sharing) {
      program.shared().add(this);
    }
  }

  @Override
  ConnectionSettings settings() {
    int queue = sharing ? program().shared().number() : 0;
    return new ConnectionSettings(held, 0, List.of(), queue)
        .withStartup(conversation().startup().of(initiator()))
        .withAcknowledged(acknowledged)
        .withSendWithImmediate(conversation().startup().wantsSendWithImmediate(initiator()));
  }

  /** The limit of the interface, or so few octets that the peer may exceed them. */
  private int held() {
    int most = program().host().settings().heldOctets();
    return most > 0 && !sharing && random().nextInt(12) == 0
        ? 64 + random().nextInt(most / 2)
        : most;
  }

  /** Whether messages of the peer may find neither a receive nor room to be held. */
  boolean mayOverflow() {
    int window = program().host().host().settings().receiveBuffer();
    // With Markers segments are placed early, and TCP's window opens for them.
    boolean early = program().host().settings().mpa().markers();
    return held > 0 && held < (early ? 2L * window : window);
  }

  // ---- Requests ----

  RdmapEndpoint other() {
    return (RdmapEndpoint) peer();
  }

  @Override
  void step() {
    if (!requests().hasRoom()) {
      return;
    }
    boolean answered = !peer().over() || peer().usable();
    int kind = random().nextInt(100);
    if (kind < 26) {
      write(false);
    } else if (kind < 33) {
      write(extended());
    } else if (kind < 54) {
      send();
    } else if (kind < 59 && extended()) {
      immediate();
    } else if (kind < 72 && answered) {
      read();
    } else if (kind < 82 && answered && extended()) {
      atomic();
    } else if (kind < 96) {
      stags().step(state().known);
    } else if (kind < 98) {
      posts.nonsense(requests().length(4096));
    } else {
      posts.scribble();
    }
  }

  /** Whether the stream has the messages of RFC 7306; one that the Start Key opens has none. */
  boolean extended() {
    return !program().host().settings().mpa().startKey();
  }

  private int flags() {
    boolean fenced = random().nextDouble() < plan().fence();
    boolean solicited = random().nextInt(4) == 0;
    return (fenced ? SendFlags.FENCED : 0) | (solicited ? SendFlags.SOLICITED : 0);
  }

  private void write(boolean immediate) {
    if (immediate && other().longestMessage() < 0) {
      return;
    }
    ModelStag tag = peer().stags().pick(Access.REMOTE_WRITE.bit());
    int length = tag == null ? 0 : requests().length(Math.min(tag.length(), posts.longest()));
    if (length == 0) {
      // A Write without octets may name any STag.
      posts.write(peer().stags().unknown(), 0, 0, null, flags(), immediate, null);
      return;
    }
    int at = tag.from() + random().nextInt(tag.length() - length + 1);
    int flags = flags();
    if (peer().memory().hasAtomic(at, at + length)) {
      // Without a fence the result of that atomic would not be known.
      flags |= SendFlags.FENCED;
    }
    PlaceablePart part = PlaceablePart.of(tag, at, length);
    posts.write(tag.stag(), tag.to(at), length, part, flags, immediate, null);
  }

  private void send() {
    int most = other().longestMessage();
    if (most < 0) {
      return;
    }
    int length = random().nextInt(8) == 0 ? most : requests().length(most);
    if (conversation().startup().sendWithImmediate() && random().nextInt(4) == 0) {
      posts.sendWithImmediate(Math.min(length, posts.longest()), flags());
      return;
    }
    ModelStag tag =
        random().nextInt(8) == 0 && !state().wrong ? peer().stags().pickExclusive() : null;
    int flags = flags();
    if (tag != null && peer().memory().hasReads(tag)) {
      // Without a fence the invalidation would come before the answers.
      flags |= SendFlags.FENCED;
    }
    int stag = tag == null ? 0 : tag.stag();
    if (posts.send(Math.min(length, posts.longest()), flags, tag, stag, false, null)
        && tag != null) {
      tag.giveUp();
    }
  }

  private void immediate() {
    if (other().longestMessage() >= 0) {
      posts.immediate(flags());
    }
  }

  private void read() {
    ModelStag tag = peer().stags().pick(Access.REMOTE_READ.bit());
    int length = tag == null ? 0 : requests().length(Math.min(tag.length(), posts.longestRead()));
    if (length == 0) {
      posts.read(peer().stags().unknown(), 0, null, 0, 0, flags(), null);
      return;
    }
    int at = tag.from() + random().nextInt(tag.length() - length + 1);
    posts.read(tag.stag(), tag.to(at), tag, at, length, flags(), null);
  }

  private void atomic() {
    ModelStag tag = peer().stags().pick(Access.REMOTE_ATOMIC.bit());
    int first = tag == null ? 0 : (tag.from() + Long.BYTES - 1) & -Long.BYTES;
    int words = tag == null ? 0 : (tag.end() - first) / Long.BYTES;
    if (words < 1) {
      return;
    }
    // Often the same octets, so that atomics depend on each other.
    int at = first + random().nextInt(Math.min(words, 4)) * Long.BYTES;
    if (peer().memory().isDeterminate(at, at + Long.BYTES)) {
      byte[] now = peer().memory().posted(at, Long.BYTES);
      AtomicOperation does = AtomicOperation.draw(random(), now);
      posts.atomic(tag.stag(), tag.to(at), tag, at, does, flags(), null);
    }
  }

  @Override
  boolean sayGoodbye() {
    return requests().hasRoom()
        && other().longestMessage() >= 0
        && posts.send(0, 0, null, 0, true, null);
  }

  @Override
  boolean fault() {
    return requests().hasRoom() && faults.inject();
  }

  @Override
  void races(ModelStag tag) {
    errors.races(tag);
  }

  @Override
  void closes(Reason why, int error) {
    errors.closed(why, error);
  }

  @Override
  void judgeError() {
    errors.judge(state().reason, state().detail);
  }

  StreamErrors errors() {
    return errors;
  }

  boolean postInvalidate(ModelStag tag) {
    return state().known && requests().hasRoom() && posts.invalidate(tag, flags());
  }

  boolean postBind(ModelWindow window, ModelStag region, int from, ModelStag tag, boolean fails) {
    return state().known
        && requests().hasRoom()
        && posts.bind(window, region, from, tag, fails, flags());
  }

  @Override
  void ended(PostedRequest request, boolean done) {
    posts.giveBack(request);
    if (!done) {
      return;
    }
    if (acknowledged && isMessage(request) && placesAtOnce()) {
      count(ProgramEvent.ACKNOWLEDGED);
      peer().memory().writesDone(request.number() + 1, "a request is acknowledged");
    }
    if (request.opcode() == Opcode.BIND) {
      stags().bound(request.window(), request.tag());
    } else if (request.opcode() == Opcode.INVALIDATE) {
      stags().revoked(request.tag());
    }
  }

  /** A message waits for its acknowledgment; others have been carried out or answered meanwhile. */
  @Override
  boolean mayEndBehindFlushed(PostedRequest request) {
    return acknowledged && !isMessage(request);
  }

  private static boolean isMessage(PostedRequest request) {
    return switch (request.opcode()) {
      case Opcode.SEND,
          Opcode.WRITE,
          Opcode.WRITE_IMMEDIATE,
          Opcode.IMMEDIATE,
          Opcode.SEND_WITH_IMMEDIATE ->
          true;
      default -> false;
    };
  }

  /**
   * Whether the peer must have placed what it has acknowledged: it holds nothing for receives, and
   * has found no error, which flipped bits are to it, too.
   */
  private boolean placesAtOnce() {
    return !peer().holds()
        && !conversation().corrupted()
        && !((RdmapEndpoint) peer()).sharing
        && !state().disturbed
        && !peer().state().disturbed;
  }

  @Override
  void unsent(PostedRequest request) {}

  // ---- Receives ----

  /** Octets that the peer's next message may have; -1 if none may be sent. */
  int longestMessage() {
    if (state().receivesStopped || state().isGone()) {
      return -1;
    }
    if (sharing) {
      return program().shared().takes();
    }
    PostedReceive receive = nextReceive();
    if (receive != null) {
      return receive.length();
    }
    boolean more = incoming().size() - receives.size() < unposted;
    if (more) {
      count(ProgramEvent.WITHOUT_RECEIVE);
    }
    return more ? LONGEST_HELD : -1;
  }

  /** The receive of the peer's next message; null if there is none or it is not known. */
  PostedReceive nextReceive() {
    return sharing ? null : receives.behind(incoming().size());
  }

  /** Whether a message without a receive is an error. */
  boolean isStrict() {
    return held == 0 && !sharing;
  }

  @Override
  void receive() {
    int most = Math.min(MOST_RECEIVES, program().host().settings().receiveDepth());
    boolean posted = !sharing && !state().receivesStopped && stags().localStag() != 0;
    while (posted && receives.size() < most) {
      if (plan().lazy() && random().nextInt(3) > 0) {
        return;
      }
      posted = postReceive();
    }
  }

  private boolean postReceive() {
    ExpectedMessage waiting = incoming().stream().skip(receives.size()).findFirst().orElse(null);
    int length = waiting == null ? requests().length(receives.most() / 2) : waiting.length();
    length += waiting != null && random().nextBoolean() ? random().nextInt(length / 2 + 8) : 0;
    return receives.post(
        length, stags().localStag(), layout().own().from(), this::post, program().counts());
  }

  private boolean post(PostedReceive receive, StagPieces list) {
    SubmissionEntry entry = program().rings().claim(list.slots());
    return program()
        .posted(
            entry != null
                && entry
                    .begin(Opcode.RECEIVE, 0, receive.id(), connection())
                    .memory(list)
                    .submit());
  }

  @Override
  void received(PolledCompletion completion) {
    PostedReceives from = sharing ? program().shared().receives() : receives;
    PostedReceive receive = sharing ? from.find(completion.id()) : from.first();
    if (receive == null || receive.id() != completion.id()) {
      verify(false, "a completion that is not the next receive's: " + completion);
      return;
    }
    int queue = sharing ? program().shared().number() : 0;
    verify(completion.receiveQueue() == queue, "a receive of another queue");
    if (completion.isSuccess()) {
      filled(receive, completion);
    } else {
      boolean tooLong = completion.status() == CompletionStatus.LOCAL_LENGTH_ERROR;
      boolean may = tooLong ? other().errors().sentTooLong() : mayEnd(completion);
      verify(may, "a receive ends as " + completion.status());
    }
    from.giveBack(receive);
  }

  private void filled(PostedReceive receive, PolledCompletion completion) {
    ExpectedMessage message = next(completion);
    if (message == null) {
      return;
    }
    if (sharing) {
      count(ProgramEvent.SHARED);
      verify(program().shared().inOrder(this, receive), "a receive before an earlier one");
    }
    verify(completion.octets() == message.length(), "a message of another length");
    verify(completion.hasImmediate() == message.isImmediate(), "a number or none, unlike posted");
    verify(
        completion.isSendWithImmediate() == message.isSendWithImmediate(), "with a Send, or not");
    verify(
        !message.isImmediate() || completion.immediate() == message.immediate(), "another number");
    verify(completion.isSolicited() == message.solicited(), "solicited, or not, unlike posted");
    ModelStag tag = message.invalidates();
    verify(
        completion.invalidatedStag() == (tag == null ? 0 : tag.stag()),
        "not what was to be invalidated");
    receive.filled(message);
    if (tag != null) {
      count(ProgramEvent.INVALIDATED);
      stags().revoked(tag);
    }
  }

  @Override
  boolean holds() {
    return held > 0;
  }

  @Override
  boolean emptied() {
    return receives.size() == 0;
  }
}
