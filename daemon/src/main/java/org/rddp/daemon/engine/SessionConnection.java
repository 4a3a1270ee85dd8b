package org.rddp.daemon.engine;

import java.util.concurrent.TimeUnit;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.ScatterList;
import org.rddp.ip.Ipv4Address;
import org.rddp.ipc.Completion;
import org.rddp.ipc.CompletionStatus;
import org.rddp.ipc.DaemonMessage;
import org.rddp.ipc.Opcode;
import org.rddp.ipc.PrivateData;
import org.rddp.ipc.Reason;
import org.rddp.ipc.WorkRequest;
import org.rddp.mpa.MpaError;
import org.rddp.rdmap.CompletionKind;
import org.rddp.rdmap.RdmapExtensions;
import org.rddp.rdmap.RdmapHandler;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.rdmap.RdmapStream;
import org.rddp.rdmap.RequestFlags;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpConnection;
import org.rddp.tcp.TcpStream;

/**
 * A connection of a program: an RDMAP stream whose requests come from the session's ring and whose
 * completions go back there; everything else that happens to it is an event. Engine thread only.
 */
final class SessionConnection implements RdmapHandler {
  private enum State {
    /** A peer has connected and has not sent MPA's request. The program knows nothing of it. */
    AWAITING_REQUEST,
    /** The program has been asked, or has said yes. */
    REQUESTED,
    /** The program asks the peer. */
    CONNECTING,
    ESTABLISHED,
    /** The program has closed it, and waits for the peer. */
    CLOSING,
    /** It has failed; the peer is being told, and should close its half. */
    FAILED,
    /** The program has been told its end, or has ended itself. */
    GONE
  }

  /** How long nothing may move once the program has closed our half. */
  private static final long CLOSE_TIMEOUT = TimeUnit.SECONDS.toNanos(10);

  /** How long a peer may take to close its half after it was told of an error. */
  private static final long FAILURE_TIMEOUT = TimeUnit.SECONDS.toNanos(2);

  private static final byte[] NONE = {};

  private final Session session;
  private final SessionListener listener;
  private final RdmapStream stream;
  private final Deadline deadline = new Deadline();

  /** Null before {@link #open}. */
  private TcpStream tcp;

  private int localPort;
  private int remoteAddress;
  private int remotePort;
  private int number;
  private State state;
  private boolean peerClosed;
  private int unreported;
  private long lastUnreported;
  private int lastUnreportedOpcode;
  private long lastUnreportedOctets;
  private Reason failure;
  private int failureDetail;
  private String failureText = "";

  private SessionConnection(
      Session session,
      SessionListener listener,
      int number,
      State state,
      byte[] requestData,
      int heldOctets) {
    this.session = session;
    this.listener = listener;
    this.number = number;
    this.state = state;
    Engine engine = session.engine();
    RdmapSettings settings = engine.rdmapSettings().withHeldOctets(heldOctets);
    this.stream =
        requestData == null
            ? RdmapStream.responder(engine.ddp(), session.domain(), settings, this)
            : RdmapStream.initiator(engine.ddp(), session.domain(), settings, requestData, this);
  }

  static SessionConnection incoming(
      Session session, SessionListener listener, TcpStream tcp, int remoteAddress, int remotePort) {
    SessionConnection connection =
        new SessionConnection(
            session, listener, 0, State.AWAITING_REQUEST, null, listener.heldOctets());
    connection.tcp = tcp;
    connection.localPort = listener.port();
    connection.remoteAddress = remoteAddress;
    connection.remotePort = remotePort;
    return connection;
  }

  static SessionConnection outgoing(Session session, int number, byte[] privateData, int heldOctets)
      throws RefusedException {
    try {
      return new SessionConnection(
          session, null, number, State.CONNECTING, privateData, heldOctets);
    } catch (IllegalArgumentException e) {
      throw new RefusedException(Reason.INVALID, e.getMessage());
    }
  }

  /**
   * Begins to connect.
   *
   * @param timeout nanoseconds until it is given up
   */
  void open(int address, int port, long timeout) throws RefusedException {
    session.add(this);
    remoteAddress = address;
    remotePort = port;
    Engine engine = session.engine();
    try {
      TcpConnection opened =
          engine.tcp().connect(new Ipv4Address(address), port, stream.transport());
      tcp = opened;
      localPort = opened.localPort();
      deadline.set(opened.now() + timeout);
    } catch (IllegalStateException e) {
      session.remove(this);
      throw new RefusedException(Reason.RESOURCES, "cannot connect: " + e.getMessage());
    }
  }

  StreamHandler transport() {
    return stream.transport();
  }

  DdpStream ddp() {
    return stream.ddp();
  }

  /** Its number in the session, 0 while the program knows nothing of it. */
  int number() {
    return number;
  }

  // ---- What the program wants ----

  /**
   * Starts a work request.
   *
   * @param request its number in the session's table
   * @return false when the connection's queue is full
   */
  boolean post(int request, WorkRequest work, long address) {
    int flags = flags(work);
    int stag = work.remoteStag();
    long to = work.remoteTo();
    long length = work.length();
    return switch (work.opcode()) {
      case Opcode.RECEIVE -> stream.postReceive(request, address, length);
      case Opcode.SEND -> stream.postSend(request, flags, address, length, stag);
      case Opcode.READ ->
          stream.postRead(request, flags, work.localStag(), work.localOffset(), length, stag, to);
      case Opcode.WRITE -> stream.postWrite(request, flags, address, length, stag, to);
      default -> postExtended(request, work, flags, address);
    };
  }

  /** Starts a work request whose message lies in pieces. */
  boolean post(int request, WorkRequest work, ScatterList list) {
    int flags = flags(work);
    return switch (work.opcode()) {
      case Opcode.RECEIVE -> stream.postReceive(request, list);
      case Opcode.SEND -> stream.postSend(request, flags, list, work.remoteStag());
      default -> stream.postWrite(request, flags, list, work.remoteStag(), work.remoteTo());
    };
  }

  private static int flags(WorkRequest work) {
    return (work.isFenced() ? RequestFlags.FENCED : 0)
        | (work.isSolicited() ? RequestFlags.SOLICITED : 0);
  }

  private boolean postExtended(int request, WorkRequest work, int flags, long address) {
    RdmapExtensions extensions = stream.extensions();
    int stag = work.remoteStag();
    long to = work.remoteTo();
    return switch (work.opcode()) {
      case Opcode.WRITE_IMMEDIATE ->
          extensions.postWriteImmediate(
              request, flags, address, work.length(), stag, to, work.immediate());
      case Opcode.SEND_IMMEDIATE -> extensions.postImmediate(request, flags, work.immediate());
      case Opcode.FETCH_ADD ->
          extensions.postFetchAdd(request, flags, address, stag, to, work.operand(), work.mask());
      case Opcode.SWAP ->
          extensions.postSwap(request, flags, address, stag, to, work.operand(), work.mask());
      default ->
          extensions.postCompareSwap(
              request,
              flags,
              address,
              stag,
              to,
              work.operand(),
              work.mask(),
              work.compare(),
              work.compareMask());
    };
  }

  void accept(byte[] privateData) throws RefusedException {
    requireAnswerable(privateData);
    listener.answered(this);
    stream.accept(privateData);
  }

  void reject(byte[] privateData) throws RefusedException {
    requireAnswerable(privateData);
    listener.answered(this);
    decline(privateData);
    leave();
  }

  private void requireAnswerable(byte[] privateData) throws RefusedException {
    if (state != State.REQUESTED || !listener.awaits(this)) {
      throw new RefusedException(Reason.STATE, "the connection has been answered");
    }
    int most = stream.maxPrivateData();
    if (privateData.length > most) {
      throw new RefusedException(
          Reason.INVALID,
          privateData.length + " octets of private data; this peer's request allows " + most);
    }
  }

  /** The requests that were posted end within this, while they can still be reported. */
  private void decline(byte[] privateData) {
    stream.reject(privateData);
    stream.close();
  }

  /** The listener closes before the program has answered. */
  void decline() {
    listener.answered(this);
    if (state == State.AWAITING_REQUEST) {
      abandon();
    } else {
      decline(NONE);
      tell(new DaemonMessage.Failed(number, Reason.LOCAL_CLOSE, 0, "the listener was closed"));
      leave();
    }
  }

  void disconnect(boolean graceful) {
    if (graceful && state == State.ESTABLISHED) {
      state = State.CLOSING;
      deadline.setIdle(tcp, CLOSE_TIMEOUT, tcp.now());
      stream.close();
    } else if (!graceful || (state != State.CLOSING && state != State.FAILED)) {
      abort();
    }
  }

  /** Resets the connection, also one whose SYN has not been answered: no layer above has it yet. */
  private void abort() {
    stream.abort();
    tcp.abort();
  }

  /** Ends it if the peer has not answered, or not closed its half, in time. */
  void expireWhenDue(long now) {
    if (!deadline.isDue(now)) {
      return;
    }
    deadline.clear();
    if (failure == null) {
      failure = Reason.TIMEOUT;
      failureText = "the peer did not answer in time";
    }
    abort();
  }

  /** Ends it without a word. */
  void abandon() {
    if (state != State.GONE) {
      leave();
    }
    abort();
  }

  // ---- What happens to it ----

  @Override
  public void onRequest(byte[] privateData) {
    try {
      number = session.reserve();
    } catch (RefusedException e) {
      listener.answered(this);
      state = State.GONE;
      stream.abort();
      return;
    }
    session.add(this);
    state = State.REQUESTED;
    tell(
        new DaemonMessage.ConnectionRequested(
            listener.number(),
            number,
            session.engine().address(),
            localPort,
            remoteAddress,
            remotePort,
            PrivateData.of(privateData)));
  }

  @Override
  public void onEstablished(byte[] privateData) {
    state = State.ESTABLISHED;
    deadline.clear();
    session.engine().counters().connectionsOpened++;
    tell(
        new DaemonMessage.Established(
            number,
            session.engine().address(),
            localPort,
            remoteAddress,
            remotePort,
            PrivateData.of(privateData)));
  }

  @Override
  public void onRejected(byte[] privateData) {
    stream.close();
    tell(new DaemonMessage.Rejected(number, PrivateData.of(privateData)));
    leave();
  }

  @Override
  public void onCompletion(long id, int kind, int status, long octets) {
    int request = (int) id;
    RequestTable requests = session.requests();
    boolean success = status == org.rddp.rdmap.CompletionStatus.SUCCESS;
    if (state != State.GONE) {
      if (success && !requests.isSignalled(request)) {
        unreported++;
        lastUnreported = requests.id(request);
        lastUnreportedOpcode = requests.opcode(request);
        lastUnreportedOctets = octets;
      } else {
        boolean receive = kind == CompletionKind.RECEIVE;
        session.complete(
            requests.id(request),
            number,
            requests.opcode(request),
            status(status),
            octets,
            receive ? 1 : 1 + unreported,
            0);
        unreported = receive ? unreported : 0;
      }
    }
    requests.remove(request);
  }

  @Override
  public void onReceived(long id, long octets, boolean solicited, int invalidated) {
    if (invalidated != 0) {
      session.invalidated(invalidated);
    }
    int flags = invalidated == 0 ? 0 : Completion.HAS_INVALIDATED;
    received((int) id, octets, flags | solicited(solicited), invalidated, 0);
  }

  @Override
  public void onImmediate(long id, long data, boolean solicited) {
    int flags = Completion.HAS_IMMEDIATE | solicited(solicited);
    received((int) id, Long.BYTES, flags, 0, data);
  }

  private static int solicited(boolean solicited) {
    return solicited ? Completion.SOLICITED : 0;
  }

  private void received(int request, long octets, int flags, int invalidated, long immediate) {
    RequestTable requests = session.requests();
    if (state != State.GONE) {
      session.completeReceive(requests.id(request), number, octets, flags, invalidated, immediate);
    }
    requests.remove(request);
  }

  private static CompletionStatus status(int status) {
    return switch (status) {
      case org.rddp.rdmap.CompletionStatus.SUCCESS -> CompletionStatus.SUCCESS;
      case org.rddp.rdmap.CompletionStatus.FLUSHED -> CompletionStatus.FLUSHED;
      case org.rddp.rdmap.CompletionStatus.LENGTH_ERROR -> CompletionStatus.LOCAL_LENGTH_ERROR;
      case org.rddp.rdmap.CompletionStatus.NO_READS -> CompletionStatus.LOCAL_OPERATION_ERROR;
      default -> CompletionStatus.LOCAL_PROTECTION_ERROR;
    };
  }

  /** The program may have posted one since this turn looked. */
  @Override
  public void onReceiveMissing() {
    session.takeRequests(session.limits().outstanding());
  }

  @Override
  public void onError(int layer, int type, int code, String detail) {
    EngineCounters counters = session.engine().counters();
    boolean established = state == State.ESTABLISHED || state == State.CLOSING;
    if (established) {
      counters.streamErrors++;
    } else {
      counters.startupErrors++;
    }
    failure =
        switch (layer) {
          case LAYER_LLP -> Reason.MPA_ERROR;
          case LAYER_DDP -> Reason.DDP_ERROR;
          default -> Reason.RDMAP_ERROR;
        };
    failureDetail = layer == LAYER_LLP ? code : type << 8 | code;
    failureText = detail;
    session.engine().report(detail);
    if (established) {
      state = State.FAILED;
    }
    // The layers below have reset it already, or they are telling the peer why it ends.
    if (state != State.AWAITING_REQUEST) {
      deadline.set(tcp.now() + FAILURE_TIMEOUT);
    }
  }

  @Override
  public void onPeerClosed() {
    peerClosed = true;
    if (state == State.ESTABLISHED) {
      tell(new DaemonMessage.PeerClosed(number));
    }
  }

  @Override
  public void onClosed(CloseReason reason) {
    if (listener != null) {
      listener.answered(this);
    }
    if (state == State.GONE || state == State.AWAITING_REQUEST) {
      state = State.GONE;
      return;
    }
    reportRest();
    Reason why = failure == null || lost(reason) ? reason(reason) : failure;
    int detail = why == failure ? failureDetail : 0;
    String text = why == failure ? failureText : text(why);
    if (state == State.ESTABLISHED || state == State.CLOSING || state == State.FAILED) {
      session.engine().counters().connectionsClosed++;
      tell(new DaemonMessage.Closed(number, why, detail, text));
    } else {
      tell(new DaemonMessage.Failed(number, why, detail, text));
    }
    leave();
  }

  /** MPA calls every loss of the connection error 1; TCP knows which it was. */
  private boolean lost(CloseReason reason) {
    return failure == Reason.MPA_ERROR
        && failureDetail == MpaError.CONNECTION_LOST.code()
        && (reason == CloseReason.RESET
            || reason == CloseReason.REFUSED
            || reason == CloseReason.TIMEOUT);
  }

  private Reason reason(CloseReason reason) {
    return switch (reason) {
      case NORMAL -> peerClosed && state != State.CLOSING ? Reason.PEER_CLOSE : Reason.LOCAL_CLOSE;
      case RESET -> Reason.RESET;
      case REFUSED -> Reason.REFUSED;
      case TIMEOUT -> Reason.TIMEOUT;
      case ABORTED -> Reason.LOCAL_ABORT;
    };
  }

  private static String text(Reason reason) {
    return switch (reason) {
      case RESET -> "the peer reset the connection";
      case REFUSED -> "nobody listens at that port there";
      case TIMEOUT -> "the peer does not answer";
      default -> "";
    };
  }

  /** Completions before events: what the program reads after the event is there. */
  private void tell(DaemonMessage message) {
    session.flush();
    session.events().send(message);
  }

  /**
   * Reports the last request that ended well and unsignalled: no later completion of this queue
   * will, and both ends count what is outstanding.
   */
  private void reportRest() {
    if (unreported > 0) {
      session.complete(
          lastUnreported,
          number,
          lastUnreportedOpcode,
          CompletionStatus.SUCCESS,
          lastUnreportedOctets,
          unreported,
          0);
      unreported = 0;
    }
  }

  /** Gives its number back; nothing is reported from now on. */
  private void leave() {
    if (number != 0) {
      reportRest();
      session.remove(this);
    }
    state = State.GONE;
  }
}
