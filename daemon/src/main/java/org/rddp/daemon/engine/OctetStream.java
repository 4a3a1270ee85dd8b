package org.rddp.daemon.engine;

import static org.rddp.ipc.ring.StreamHeader.ABORT_AT_CLOSE;
import static org.rddp.ipc.ring.StreamHeader.END_SENDING;
import static org.rddp.ipc.ring.StreamHeader.RECEIVING_ENDED;
import static org.rddp.ipc.ring.StreamHeader.TAKEN;

import java.util.Collection;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.receiving.HeldShare;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.EventSet;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.ring.StreamEnds;
import org.rddp.ipc.ring.StreamHeader;
import org.rddp.ipc.ring.StreamMemory;
import org.rddp.ipc.ring.StreamRing;
import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.rdmap.CompletionKind;
import org.rddp.rdmap.RdmapCompletionStatus;
import org.rddp.rdmap.RdmapHandler;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.rdmap.RdmapStream;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpConnection;
import org.rddp.tcp.TcpState;
import org.rddp.tcp.TcpStatus;

/**
 * An octet stream of a program: a connection that the daemon owns, with two rings in memory that it
 * shares with the program, and a socket whose end at the program is the program's descriptor. When
 * that is closed by all who hold it, the daemon sends what is in the ring and ends the stream.
 *
 * <p>Engine thread only. Nothing that the program or the peer writes is believed.
 */
public final class OctetStream implements RdmapHandler, StartupHandler {
  private enum State {
    CONNECTING,
    ESTABLISHED,
    /** All holders have closed it; what they have written is being sent. */
    CLOSING,
    /** It has failed, or both ends have ended sending. */
    ENDED
  }

  /** What has come of {@link #bridge}. */
  public enum Bridging {
    DONE,
    /** Whether a program has mapped the memory is not known any more. */
    TO_BE_TRIED_AGAIN,
    /** There is a bridge, or the stream is being established or has ended. */
    IMPOSSIBLE
  }

  /** Octets of heap that a stream takes at most. */
  public static final long HEAP = 20 << 10;

  /** The first messages, with the headers of their segments. */
  private static final int HELD = StreamSender.FIRST * StreamSender.FIRST_OCTETS * 5 / 4;

  /** Longest period without progress after the last holder has closed, in nanoseconds. */
  private static final long CLOSE_TIMEOUT = TimeUnit.SECONDS.toNanos(60);

  /** Time for the peer to close its half after it was told of an error, in nanoseconds. */
  private static final long FAILURE_TIMEOUT = TimeUnit.SECONDS.toNanos(2);

  /** Rights of RDMAP: the peer has none. */
  private static final int ALL_RIGHTS = -1;

  private final Engine engine;
  private final StreamKeeper keeper;
  private ConnectionEnds ends;
  private final boolean initiator;
  private final long openedAt;
  private final RdmapSettings settings;
  private final RdmapStream rdmap;
  private final StreamReceiver receiver;
  private final StreamSender sender;
  private final Deadline deadline;
  private final StreamSignals signals;
  private final MemoryCheck check;
  private final StreamChoices choices = new StreamChoices();
  private StreamParts parts;
  private StreamListener listener;

  /** Null before it is known, and in another engine than the one in which TCP has ended. */
  private TcpConnection tcp;

  private StreamOpening opening;
  private State state = State.CONNECTING;

  /** Whether the program has accepted or asked for it, and the memory is safe to use. */
  private volatile boolean mapped;

  /** Whether it is established and has not been counted as ended. */
  private boolean up;

  /** Whether the program has been told that it is established. */
  private boolean begun;

  /** Whether a program holds its socket. */
  private boolean open;

  /** Whether TCP has ended, or never begun. */
  private boolean over;

  private boolean closed;
  private boolean released;

  /** Whether it is in the engine's list of streams with news. */
  private boolean listed;

  /** Whether nobody has read what the peer has sent, or will: it is reset instead of closed. */
  private boolean resetting;

  private boolean hasNews;
  private boolean looked;
  private int error;

  /** Null while octets pass through the rings. */
  private StreamBridge bridge;

  /** The state that the program is told at the end. */
  private int ended;

  /** Where {@link EngineStreams} has it. */
  private int slot;

  private OctetStream(
      Engine engine,
      StreamKeeper keeper,
      StreamParts parts,
      boolean initiator,
      long openedAt,
      boolean open) {
    this.engine = engine;
    this.keeper = keeper;
    this.parts = parts;
    this.initiator = initiator;
    this.openedAt = openedAt;
    this.open = open;
    settings = settings(engine, parts.section().held());
    rdmap = new RdmapStream(engine.ddp(), new ProtectionDomain("octet stream"), settings, this);
    engine.own(rdmap.ddp(), parts.section().owner().user());
    rdmap.withhold(ALL_RIGHTS);
    rdmap.allowSendWithImmediate();
    receiver = new StreamReceiver(rdmap);
    sender = new StreamSender(this, rdmap, receiver);
    deadline = new Deadline(engine.deadlines(), this::abort);
    signals = new StreamSignals(keeper);
    check = new MemoryCheck(keeper, this);
    use(parts);
  }

  /** Throws {@link IllegalStateException} if the socket cannot be watched: it has them not then. */
  private void use(StreamParts next) {
    engine.streams().watch(this, next);
    parts = next;
    receiver.use(next.memory());
    sender.use(next.memory());
    signals.use(next);
    parts.section().add(this);
    keeper.begin(this);
  }

  /** The settings of every stream: both ends may send first. */
  static RdmapSettings settings(Engine engine, HeldShare held) {
    RdmapSettings configured = engine.rdmapSettings();
    MpaSettings mpa = configured.mpa().withRevision(2).withPeerToPeer(true);
    return configured
        .withMpa(mpa)
        .withReads(1, 1)
        .withQueues(StreamSender.DEPTH + 2, 1, null)
        .withHeld(HELD, held);
  }

  /**
   * A stream that a program has asked for, which is being established.
   *
   * @param opening tells the outcome
   * @throws IllegalStateException if its socket cannot be watched; the parts are the caller's still
   */
  static OctetStream outgoing(
      Engine engine, StreamKeeper keeper, StreamParts parts, StreamOpening opening) {
    OctetStream made = new OctetStream(engine, keeper, parts, true, engine.tcp().now(), true);
    made.opening = opening;
    return made;
  }

  /**
   * A stream that a peer has asked for.
   *
   * @param listener where it waits to be accepted
   * @param ends with the ports of the programs
   * @param window octets that the peer takes
   * @throws IllegalStateException if its socket cannot be watched; the parts are the caller's still
   */
  static OctetStream incoming(
      Engine engine,
      StreamKeeper keeper,
      StreamParts parts,
      StreamListener listener,
      ConnectionEnds ends,
      TcpConnection tcp,
      int window) {
    OctetStream made = new OctetStream(engine, keeper, parts, false, engine.tcp().now(), true);
    made.listener = listener;
    made.ends(ends);
    made.tcp = tcp;
    made.sender.begin(window);
    return made;
  }

  /** Sets the addresses, with the ports of the programs, before the program has the memory. */
  void ends(ConnectionEnds known) {
    ends = known;
    header().write(ControlAddresses.of(known));
  }

  /** The addresses as the program gets them. */
  public StreamEnds streamEnds() {
    return ControlAddresses.of(ends);
  }

  // ---- For others ----

  /** The engine that has it. */
  public Engine engine() {
    return engine;
  }

  int slot() {
    return slot;
  }

  void slot(int at) {
    slot = at;
  }

  /** What it shares with the program. */
  public StreamParts parts() {
    return parts;
  }

  /** Where it waits to be accepted; null once it is, and if it is not to be. */
  public StreamListener listener() {
    return listener;
  }

  /** The addresses, with the ports of the programs. */
  public ConnectionEnds ends() {
    return ends;
  }

  DdpStream ddp() {
    return rdmap.ddp();
  }

  MpaSettings mpa() {
    return settings.mpa();
  }

  /** Whether messages may be posted. */
  boolean mayPost() {
    return mayReceive() && !closed;
  }

  /** Whether messages are taken: also after our half has been closed, for the peer's end. */
  private boolean mayReceive() {
    return (state == State.ESTABLISHED || state == State.CLOSING) && mapped;
  }

  /** Whether the daemon waits until the peer has what the program has written. */
  boolean isClosing() {
    return state == State.CLOSING && !over;
  }

  private StreamHeader header() {
    return parts.memory().header();
  }

  /** The stream at this moment; null before it has an address. */
  ConnectionStatus status() {
    if (ends == null) {
      return null;
    }
    return new ConnectionStatus(
        parts.index(),
        state.name().toLowerCase(Locale.ROOT),
        ends,
        initiator,
        false,
        engine.tcp().now() - openedAt,
        tcp == null ? TcpStatus.NONE : tcp.status(),
        null,
        sender.messages(),
        sender.underWay(),
        receiver.messages(),
        receiver.isPosted() ? 1 : 0,
        ddp().heldOctets(),
        error == 0 ? "" : "errno " + error);
  }

  // ---- The program ----

  /** The program has rung the doorbell. */
  void onDoorbell() {
    if (!mapped) {
      // A peer's is offered when it is established: before, no program has it, whatever one says.
      if (initiator || state != State.CONNECTING) {
        check.begin();
      }
      return;
    }
    looked = true;
    list();
    take();
  }

  /** Takes what the program has written, read and said. */
  private void take() {
    if (!mayPost() || state == State.CLOSING || bridge != null) {
      return;
    }
    if (!sender.look() || !receiver.look()) {
      distrust();
      return;
    }
    choices.look(header(), tcp);
    if ((header().programFlags() & END_SENDING) != 0 && sender.look()) {
      sender.end();
    }
    pump();
  }

  /** The program has written what cannot be. */
  private void distrust() {
    engine.report(
        "the stream %s of a program: positions in its memory cannot be; it is reset"
            .formatted(ends.remote()));
    reset(Errno.ECONNRESET);
  }

  /**
   * Finds out whether a program has mapped the memory: it may have rung a doorbell that is not
   * looked at yet.
   *
   * @param then runs on the engine's thread, when {@link #isMapped} says it
   */
  public void whenChecked(Runnable then) {
    if (mapped || released) {
      then.run();
      return;
    }
    check.begin(then);
  }

  /**
   * The keeper has checked the memory.
   *
   * @param safe whether the engine may use it
   */
  public void onChecked(boolean safe) {
    if (!released && check.ended(safe)) {
      useIfSafe(safe);
      check.callWaiting();
    }
  }

  private void useIfSafe(boolean safe) {
    if (!open && (!safe || !isTaken())) {
      passOn();
      return;
    }
    if (!safe) {
      return;
    }
    mapped = true;
    leaveListener();
    if (state == State.ENDED) {
      publishEnd();
      releaseIfOver();
      return;
    }
    if (state == State.ESTABLISHED) {
      list();
    }
    if (!open) {
      onHoldersGone();
    }
  }

  /** Whether a program has accepted it, or asked for it. */
  private boolean isTaken() {
    return listener == null || (header().programFlags() & TAKEN) != 0;
  }

  /** Whether a program holds its socket. */
  boolean isOpen() {
    return open;
  }

  /** Whether TCP has ended, or never begun. */
  boolean isOver() {
    return over;
  }

  /** Its connection of TCP, or that of its opening; null for none. */
  TcpConnection tcp() {
    return opening == null ? tcp : opening.tcp();
  }

  /** All holders have ended before one has used it. */
  private void passOn() {
    if (over || bridge != null) {
      onHoldersGone();
    } else if (state == State.ESTABLISHED && listener != null) {
      keeper.offerAgain(this);
    } else {
      abort();
    }
  }

  private void leaveListener() {
    if (listener != null) {
      listener.leave();
      keeper.onTaken(listener);
      listener = null;
    }
  }

  /** Established, and the memory can be used. */
  private void begin() {
    choices.begin(header(), tcp);
    header().state(StreamHeader.ESTABLISHED);
    if (initiator) {
      signalAll();
    }
    receiveHeld();
    if (mayPost() && sender.look()) {
      sender.greet();
    }
    take();
  }

  private void receiveHeld() {
    while (ddp().heldOctets() > 0 && !receiver.isPosted() && mayReceive()) {
      receiver.post();
    }
  }

  /** All who held the program's socket have closed it. */
  void onHoldersGone() {
    open = false;
    if (check.isRunning() || released) {
      return;
    }
    if (bridge != null) {
      keeper.onMoved(this);
      releaseIfOver();
      return;
    }
    if (over) {
      releaseIfOver();
      return;
    }
    if (!mapped) {
      // It may have been used and closed at once, and its doorbell is not looked at yet.
      check.begin();
      return;
    }
    if (state == State.CLOSING) {
      return; // Its socket was shut down, and has been closed now.
    }
    if (state != State.ESTABLISHED) {
      abort();
      return;
    }
    if (sender.look() && receiver.look()) {
      finish();
    } else {
      reset(Errno.ECONNRESET);
    }
  }

  /** Sends the rest and ends it, or resets it as TCP does if octets have not been read. */
  private void finish() {
    if ((header().programFlags() & ABORT_AT_CLOSE) != 0) {
      reset(Errno.ECONNRESET);
      return;
    }
    state = State.CLOSING;
    // Whoever has the memory still, and takes another file for the socket, asks the kernel.
    header().state(StreamHeader.ENDED);
    deadline.setIdle(tcp, ddp(), CLOSE_TIMEOUT, engine.tcp().now());
    if (receiver.unread() > 0) {
      resetOnceSent();
      return;
    }
    if (bridge == null) {
      sender.end(); // A bridge does so when its socket is empty.
    }
    pump();
  }

  /** Resets it when the peer has what was written before, as with TCP, which sends that at once. */
  private void resetOnceSent() {
    resetting = true;
    pump();
  }

  /**
   * It gets other memory and sockets: it is offered to another program.
   *
   * @return false if it has ended, or ends since its socket cannot be watched; it has the parts not
   */
  public boolean replace(StreamParts next, StreamListener other) {
    if (over) {
      return false;
    }
    leaveTables();
    leaveListener();
    open = true;
    try {
      use(next);
    } catch (IllegalStateException e) {
      open = false;
      abort();
      return false;
    }
    listener = other;
    keeper.offer(this);
    return true;
  }

  /** Nobody else accepts it. */
  public void dismiss() {
    abort();
  }

  // ---- The bridge ----

  /** Whether the memory is in use. Any thread. */
  public boolean isMapped() {
    return mapped;
  }

  /** Whether it is being established. Any thread; may be late. */
  public boolean isConnecting() {
    return state == State.CONNECTING;
  }

  /** Both ends have ended sending; there may be octets that nobody has read. */
  private boolean hasEndedInOrder() {
    return state == State.ENDED && error == 0 && mapped && !released;
  }

  /**
   * Makes the octets pass through a socket from now on. Call {@link #whenChecked} before.
   *
   * @param cookie that its parts have still
   * @param socket the daemon's end
   * @param memory takes the place of memory that no program has mapped; null: there is none
   */
  public Bridging bridge(long cookie, PairedSocket socket, StreamMemory memory) {
    boolean usable = parts.cookie() == cookie && (state == State.ESTABLISHED || hasEndedInOrder());
    if (bridge != null || !usable || check.isRunning() || mapped == (memory != null)) {
      if (memory != null) {
        keeper.close(memory);
      }
      return bridge == null && usable ? Bridging.TO_BE_TRIED_AGAIN : Bridging.IMPOSSIBLE;
    }
    if (memory != null) {
      keeper.close(parts.memory());
      parts = parts.with(memory, null);
      receiver.use(memory);
      sender.use(memory);
      signals.use(parts);
      leaveListener();
    }
    if (!sender.look(header().moveWriting()) || !receiver.look(header().moveReading())) {
      distrust();
      return Bridging.IMPOSSIBLE;
    }
    if ((header().programFlags() & END_SENDING) != 0) {
      sender.end();
    }
    engine.counters().streamsBridged++;
    parts = parts.with(parts.memory(), socket);
    bridge = new StreamBridge(socket, sender, receiver);
    engine.streams().watch(this, socket);
    header().addDaemonFlags(StreamHeader.BRIDGED);
    if (memory != null) {
      mapped = true;
      list();
    }
    signalAll();
    move();
    return Bridging.DONE;
  }

  /** The bridge's socket has changed. */
  void onBridge(int what) {
    if (bridge == null || error != 0 || released) {
      return;
    }
    if ((what & EventSet.ERROR) != 0 && state == State.ESTABLISHED) {
      // Holders have closed it without reading everything.
      reset(Errno.ECONNRESET);
      return;
    }
    if ((what & (EventSet.HUP | EventSet.ERROR)) != 0) {
      bridge.leave();
    }
    move();
  }

  private void move() {
    boolean moving = bridge.move();
    if (bridge.isAbandoned() && state == State.ESTABLISHED) {
      finish();
    } else {
      pump();
    }
    if (moving && error == 0) {
      list();
    }
    releaseIfOver();
  }

  // ---- The end of a turn ----

  /** Gets {@link #flush} when the turn ends. */
  void list() {
    if (!listed) {
      listed = true;
      engine.streams().addNews(this);
    }
  }

  /** Tells the program what has happened in the turn. */
  void flush() {
    listed = false;
    if (mapped && !begun && state != State.CONNECTING && state != State.ENDED) {
      begun = true;
      begin();
    }
    if (bridge != null && error == 0 && !released) {
      hasNews = false;
      move();
    }
    if (!mapped || !open) {
      hasNews = false;
      return;
    }
    // A program rings, too, to be told of what it has not read, and when it ends a direction.
    if (hasNews || (looked && (receiver.unread() > 0 || receiver.hasEnded() || isNotRead()))) {
      hasNews = false;
      signals.received();
    }
    boolean freed = sender.publish();
    if ((freed || looked) && (sender.hasRoom() || sender.isEnding())) {
      signals.writable();
    }
    looked = false;
    if (sender.asksForMore()) {
      keeper.allocate(this, parts.memory().sending());
    }
    if (receiver.asksForMore()) {
      keeper.allocate(this, parts.memory().receiving());
    }
  }

  /** Whether the program reads no more, and whoever waits to read goes on. */
  private boolean isNotRead() {
    return (header().programFlags() & RECEIVING_ENDED) != 0;
  }

  /** A ring of its memory can be longer. */
  public void onAllocated(StreamRing ring) {
    if (!released && ring == parts.memory().sending()) {
      sender.allowMore();
    } else if (!released && ring == parts.memory().receiving()) {
      receiver.allowMore();
    }
  }

  /** Wakes everybody who waits, whatever for. */
  private void signalAll() {
    if (open) {
      signals.all();
    }
  }

  // ---- The peer ----

  @Override
  public void onReceiveMissing() {
    if (mayReceive() && !receiver.isPosted()) {
      receiver.post();
    }
  }

  @Override
  public void onReceivedWithImmediate(long token, long octets, int data, boolean solicited) {
    receiver.onMessage(octets);
    if (!sender.onCredit(data) || (octets > 0 && receiver.hasEnded())) {
      breach("a credit or an octet that cannot be");
      return;
    }
    if (octets > 0 && state == State.CLOSING) {
      // Nobody reads it: the peer is told, as by a reset of TCP.
      resetOnceSent();
      return;
    }
    if (octets > 0) {
      header().received(receiver.received());
    }
    if ((data & StreamSender.END) != 0) {
      receiver.end();
      header().addDaemonFlags(StreamHeader.PEER_ENDED);
    }
    if (octets > 0 || receiver.hasEnded()) {
      hasNews = true;
      list();
    }
    pump();
  }

  @Override
  public void onReceived(long token, long octets, boolean solicited, int invalidated) {
    receiver.onEnded();
    breach("a message without immediate data");
  }

  @Override
  public void onCompletion(long token, int kind, int status, long octets) {
    if (kind == CompletionKind.RECEIVE) {
      receiver.onEnded();
    } else if (status == RdmapCompletionStatus.SUCCESS) {
      sender.onSent(token);
      list();
      pump();
    } else {
      sender.onDropped();
    }
  }

  /** The peer has broken the protocol. */
  private void breach(String what) {
    engine.counters().streamErrors++;
    engine.report("the stream %s: the peer sent %s; it is reset".formatted(ends.remote(), what));
    reset(Errno.EPROTO);
  }

  /** Sends what may be sent, and ends what has been sent. */
  private void pump() {
    sender.pump();
    if (tcp != null) {
      tcp.blocked(sender.isBlocked());
    }
    if (resetting && state == State.CLOSING) {
      // What the peer has no room for is lost, as with TCP.
      if (sender.underWay() == 0) {
        reset(Errno.ECONNRESET);
      }
      return;
    }
    if (!closed && sender.hasEnded() && (receiver.hasEnded() || state == State.CLOSING)) {
      closed = true;
      if (state == State.ESTABLISHED) {
        deadline.setIdle(tcp, ddp(), CLOSE_TIMEOUT, engine.tcp().now());
      }
      rdmap.close();
    }
  }

  // ---- Startup ----

  @Override
  public void onRequest(MpaStartup asked, byte[] privateData) {
    throw new IllegalStateException("the Request has come before");
  }

  @Override
  public void onAgreed(Negotiated terms, byte[] privateData) {
    established();
    keeper.offer(this);
  }

  @Override
  public void onRejected(byte[] privateData) {
    throw new IllegalStateException("a Responder is not rejected");
  }

  /** The peer has accepted; it takes so many octets, or has said what cannot be. */
  void agreed(TcpConnection opened, int window) {
    tcp = opened;
    opening = null;
    if (window == StreamGreeting.NONE) {
      breach("a reply that is none of an octet stream");
      return;
    }
    sender.begin(window);
    established();
  }

  private void established() {
    state = State.ESTABLISHED;
    engine.counters().connectionsOpened++;
    engine.counters().streamsOpened++;
    up = true;
    engine.events().opened(ends, initiator);
    // The layers below begin when this returns.
    list();
  }

  /** It could not be established. */
  void failed(int errno) {
    opening = null;
    over = true;
    fail(errno);
    releaseIfOver();
  }

  // ---- The end ----

  @Override
  public void onError(int layer, int type, int code, String detail) {
    if (state == State.ENDED) {
      return;
    }
    engine.counters().streamErrors++;
    if (tcp == null || tcp.state() == TcpState.CLOSED) {
      return; // onClosed follows, and knows why.
    }
    fail(layer == LAYER_LLP ? Errno.ECONNRESET : Errno.EPROTO);
    if (!over) {
      deadline.set(engine.tcp().now() + FAILURE_TIMEOUT);
    }
  }

  @Override
  public void onTerminated(int layer, int type, int code, String detail) {
    onError(LAYER_LLP, type, code, detail);
  }

  @Override
  public void onPeerClosed() {
    if (!receiver.hasEnded()) {
      reset(Errno.ECONNRESET);
    }
  }

  @Override
  public void onClosed(CloseReason reason) {
    over = true;
    deadline.clear();
    if (state != State.ENDED) {
      boolean wanted = closed && reason == CloseReason.NORMAL;
      if (wanted && mapped) {
        header().addDaemonFlags(StreamHeader.ACKNOWLEDGED);
      }
      fail(wanted ? 0 : reason == CloseReason.TIMEOUT ? Errno.ETIMEDOUT : Errno.ECONNRESET);
    }
    countEnd();
    releaseIfOver();
  }

  private void countEnd() {
    if (up) {
      up = false;
      engine.counters().connectionsClosed++;
      engine.counters().streamsClosed++;
    }
  }

  /** Ends it for the program, and resets the connection. */
  private void reset(int errno) {
    engine.counters().streamsReset++;
    fail(errno);
    abort();
  }

  private void abort() {
    if (opening != null) {
      opening.abort();
      failed(Errno.ECONNRESET);
    } else if (!over) {
      rdmap.abort();
      if (tcp != null) {
        tcp.abort();
      }
    }
  }

  /** It was never established, and nobody knows it; the parts are the caller's again. */
  void withdraw() {
    opening = null;
    over = true;
    state = State.ENDED;
    released = true;
    leaveTables();
  }

  private void leaveTables() {
    parts.section().remove(this);
    engine.streams().unwatch(this);
  }

  /** Its engine, or the daemon, ends. */
  void abandon() {
    over = true;
    deadline.clear();
    opening = null;
    fail(Errno.ECONNRESET);
    countEnd();
    releaseIfOver();
  }

  /** Ends it for the program; the connection may go on for a moment. */
  private void fail(int errno) {
    if (state == State.ENDED) {
      return;
    }
    error = errno;
    boolean established = state != State.CONNECTING;
    state = State.ENDED;
    ended = established ? StreamHeader.ENDED : StreamHeader.FAILED;
    if (mapped) {
      publishEnd();
    }
  }

  private void closeBridge() {
    if (bridge != null) {
      keeper.close(bridge.socket());
    }
  }

  private void publishEnd() {
    header().error(error);
    if (error != 0 && ended == StreamHeader.ENDED) {
      header().addDaemonFlags(StreamHeader.RESET);
    }
    header().state(ended);
    signalAll();
    if (error != 0) {
      closeBridge();
    }
    if (open && error != 0) {
      open = false;
      keeper.close(parts.socket());
    }
  }

  private void releaseIfOver() {
    boolean moved = bridge == null || error != 0 || bridge.isDone();
    if (over && !open && moved && !check.isRunning() && !released) {
      released = true;
      closeBridge();
      leaveListener();
      leaveTables();
      keeper.release(this);
    }
  }

  // ---- It goes on in another engine ----

  /**
   * Transfers which stream it is; its state follows.
   *
   * @param written null when read
   * @param parts when read, those with which it goes on
   * @return the stream
   */
  static OctetStream transfer(
      Snapshot snapshot,
      OctetStream written,
      StreamReferences references,
      EngineStreams streams,
      StreamParts parts) {
    boolean reads = snapshot.reads();
    snapshot.begin(OctetStream.class);
    boolean initiates = snapshot.flag("initiator", !reads && written.initiator);
    long begun = snapshot.number("openedAt", reads ? 0 : written.openedAt);
    boolean held = snapshot.flag("open", !reads && written.open);
    OctetStream stream =
        reads
            ? new OctetStream(streams.engine(), streams.keeper(), parts, initiates, begun, held)
            : written;
    stream.over = snapshot.flag("over", stream.over);
    TcpConnection living =
        references.connections().transfer(snapshot, "tcp", stream.livingTcp(references));
    stream.tcp = reads ? living : stream.tcp;
    snapshot.end();
    return stream;
  }

  /** Its connection of TCP, if that goes on, too. */
  private TcpConnection livingTcp(StreamReferences references) {
    return !over && references.connections().contain(tcp) ? tcp : null;
  }

  /** Transfers its state. When read, the keeper is asked again for what has not been done. */
  void transfer(Snapshot snapshot, StreamReferences all, DdpReferences references) {
    snapshot.begin(OctetStream.class);
    ends = ConnectionEnds.transfer(snapshot, ends);
    listener = all.listeners().transfer(snapshot, "listener", listener);
    state = snapshot.constant("state", State.class, state);
    mapped = snapshot.flag("mapped", mapped);
    up = snapshot.flag("up", up);
    begun = snapshot.flag("begun", begun);
    closed = snapshot.flag("closed", closed);
    resetting = snapshot.flag("resetting", resetting);
    hasNews = snapshot.flag("hasNews", hasNews);
    looked = snapshot.flag("looked", looked);
    error = snapshot.number("error", error);
    ended = snapshot.number("ended", ended);
    receiver.transfer(snapshot);
    sender.transfer(snapshot);
    choices.transfer(snapshot);
    if (snapshot.flag("opening", opening != null)) {
      opening = snapshot.reads() ? StreamOpening.goingOn(engine, this) : opening;
      opening.transfer(snapshot, all.connections());
    }
    if (!over) {
      rdmap.transfer(snapshot, transferMpa(snapshot, all), references);
    }
    deadline.transfer(snapshot, tcp, ddp());
    transferBridge(snapshot);
    check.transfer(snapshot);
    snapshot.end();
    if (snapshot.reads()) {
      askAgain();
    }
  }

  /** Transfers the startup or the connection of MPA; returns the latter, or null. */
  private MpaConnection transferMpa(Snapshot snapshot, StreamReferences all) {
    if (livingTcp(all) == null) {
      return null;
    }
    if (!snapshot.flag("startup", tcp.user() instanceof MpaStartup)) {
      return MpaTransfer.connection(snapshot, tcp, ddp());
    }
    MpaStartup former = (MpaStartup) tcp.user();
    return MpaTransfer.startup(snapshot, former, tcp, this, ddp(), ddp()).connection();
  }

  /** Adds its deadlines, set or not. */
  void addDeadlines(Collection<Deadline> deadlines) {
    deadlines.add(deadline);
    if (opening != null) {
      deadlines.add(opening.deadline());
    }
  }

  private void transferBridge(Snapshot snapshot) {
    if (!snapshot.flag("bridge", bridge != null)) {
      return;
    }
    if (snapshot.reads()) {
      if (parts.bridge() == null) {
        throw snapshot.wrong("a bridge without a socket");
      }
      bridge = new StreamBridge(parts.bridge(), sender, receiver);
      if (error == 0) {
        engine.streams().watch(this, parts.bridge());
      }
    }
    bridge.transfer(snapshot);
  }

  private void askAgain() {
    if (listener != null) {
      listener.waitAgain();
    }
    boolean left = !open && !over && !mapped && !check.isRunning() && bridge == null;
    if (left && state == State.ESTABLISHED && listener != null) {
      keeper.offerAgain(this);
    }
  }

  /** Another one goes on: does nothing more. */
  void retire() {
    ddp().retire();
    opening = null;
    over = true;
    released = true;
    state = State.ENDED;
  }
}
