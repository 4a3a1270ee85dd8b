package org.rddp.daemon.engine;

import java.util.HexFormat;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.client.types.StartupOptions;
import org.rddp.client.types.StartupTerms;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.ip.HostAddress;
import org.rddp.ipc.control.AcceptSettings;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.NoRouteException;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpConnection;
import org.rddp.tcp.TcpStatus;

/**
 * A program's connection: its states from setup to end, which the program gets as events. Its
 * {@link SessionStream} takes and completes requests. Engine thread only.
 */
final class SessionConnection implements StartupHandler, PendingStartup {
  private enum State {
    /** A peer has connected and not sent MPA's request. The program has not been told. */
    AWAITING_REQUEST,
    /** The program has been asked, or has accepted. */
    REQUESTED,
    /** The program has asked the peer. */
    CONNECTING,
    ESTABLISHED,
    /** The program has closed our half; the peer must still close its own. */
    CLOSING,
    /** It has failed; the peer is told and should close its half. */
    FAILED,
    /** It has failed; the program has been told and should end it. */
    ERRONEOUS,
    /** The program has been told of its end, or has ended. */
    GONE
  }

  /** Longest period without progress once the program has closed our half, in nanoseconds. */
  private static final long CLOSE_TIMEOUT = TimeUnit.SECONDS.toNanos(10);

  private static final String PERHAPS_REVISION_1 =
      "; this may be a peer of MPA revision 1, which closes upon a request of revision 2: connect"
          + " with revision 1, or allow a second try with it (revision1Retry)";

  /** Time for the peer to close its half after it was told of an error, in nanoseconds. */
  private static final long FAILURE_TIMEOUT = TimeUnit.SECONDS.toNanos(2);

  /** Interval in nanoseconds at which accepted connections that may not send yet are checked. */
  private static final long FIRST_MESSAGE_CHECK = TimeUnit.SECONDS.toNanos(1);

  private static final byte[] NONE = {};

  private final Session session;
  private final ConnectionHeap heap;
  private final SessionListener listener;
  private final CompletionReports reports;
  private final boolean plainDdp;
  private final SendImmediateOffer sendImmediate;
  private final long openedAt;
  private final Deadline deadline;

  /** Set while it may not send before the peer's first message, until that is logged. */
  private final Deadline firstMessage;

  private SessionStream stream;

  /** MPA's startup; null once both ends have agreed. */
  private MpaStartup startup;

  /** Results of both startup frames; null until both ends have agreed. */
  private Negotiated settled;

  /** Begins a second try with revision 1; null if there is none. */
  private Runnable retry;

  /** When connecting is given up, on the engine's clock in nanoseconds. */
  private long connectDeadline;

  /** Its shared receive queue until it has ended; or null. */
  private SessionReceiveQueue receives;

  /** Null before {@link #open}, and while the peer of a queue pair has not come. */
  private TcpConnection tcp;

  /** How a queue pair finds its peer; null for other connections. */
  private Meeting meeting;

  private int localPort;
  private HostAddress remoteAddress;
  private int remotePort;
  private int number;
  private State state;
  private boolean peerClosed;
  private Reason failure;
  private int failureDetail;
  private String failureText = "";

  private SessionConnection(
      Session session,
      ConnectionHeap heap,
      SessionListener listener,
      int number,
      State state,
      byte[] requestData,
      ConnectionSettings settings) {
    this.session = session;
    this.heap = heap;
    this.listener = listener;
    this.number = number;
    this.state = state;
    this.deadline = new Deadline(session.engine().deadlines(), this::expire);
    this.openedAt = session.engine().tcp().now();
    this.plainDdp = settings.isPlainDdp();
    this.sendImmediate = new SendImmediateOffer(settings.sendImmediate());
    this.firstMessage = new Deadline(session.engine().deadlines(), this::checkFirstMessage);
    this.reports = new CompletionReports(session, settings);
    reports.begin(number);
    prepare(requestData, settings);
    // After the startup, which refuses private data that is too long.
    this.receives = session.receiveQueues().get(settings.receiveQueue());
    if (receives != null) {
      receives.use();
    }
  }

  /**
   * Makes a stream and its startup.
   *
   * @param requestData private data of the request; null if the peer asks
   */
  private void prepare(byte[] requestData, ConnectionSettings settings) {
    stream =
        settings.isPlainDdp()
            ? new PlainDdpStream(session, this, reports, settings)
            : new RdmapSessionStream(session, this, reports, settings);
    startup =
        requestData == null
            ? MpaStartup.responder(stream.mpa(), this, ddp())
            : MpaStartup.initiator(stream.mpa(), sendImmediate.request(requestData), this, ddp());
  }

  static SessionConnection incoming(
      Session session,
      SessionListener listener,
      TcpConnection tcp,
      HostAddress remoteAddress,
      int remotePort)
      throws RequestRefusedException {
    ConnectionHeap heap = ConnectionHeap.take(session, listener.settings());
    SessionConnection connection =
        new SessionConnection(
            session, heap, listener, 0, State.AWAITING_REQUEST, null, listener.settings());
    connection.tcp = tcp;
    connection.localPort = listener.port();
    connection.remoteAddress = remoteAddress;
    connection.remotePort = remotePort;
    return connection;
  }

  static SessionConnection outgoing(
      Session session, int number, byte[] privateData, ConnectionSettings settings)
      throws RequestRefusedException {
    ConnectionHeap heap = ConnectionHeap.take(session, settings);
    try {
      SessionConnection made =
          new SessionConnection(
              session, heap, null, number, State.CONNECTING, privateData, settings);
      StartupOptions again =
          ChosenStartup.retry(session.engine().rdmapSettings(), settings.startup());
      if (again != null) {
        made.retry = () -> made.prepare(privateData, settings.withStartup(again));
      }
      return made;
    } catch (IllegalArgumentException e) {
      heap.give();
      String why = new SendImmediateOffer(settings.sendImmediate()).reason();
      throw new RequestRefusedException(Reason.INVALID, e.getMessage() + why);
    }
  }

  /** A queue pair's connection, which waits for its peer: {@link #meet}. */
  static SessionConnection expecting(Session session, int number, ConnectionSettings settings)
      throws RequestRefusedException {
    ConnectionHeap heap = ConnectionHeap.take(session, settings);
    SessionConnection made =
        new SessionConnection(session, heap, null, number, State.CONNECTING, NONE, settings);
    made.startup = null;
    return made;
  }

  /** Begins to wait for the peer. */
  void meet(Meeting with) {
    meeting = with;
    remoteAddress = with.expectation().remote();
    session.add(this);
  }

  /** The peer of a queue pair has come. */
  private void begin(TcpConnection stream, MpaStartup begun, int port) {
    tcp = stream;
    startup = begun;
    localPort = stream.localPort();
    remotePort = port;
  }

  /** The peer of a queue pair has agreed; {@link #onAgreed} follows. */
  void connected(OutgoingIntroduction introduction) {
    TcpConnection stream = introduction.tcp();
    begin(stream, introduction.startup(), stream.remotePort());
  }

  /** Accepts the peer of a queue pair. */
  void accept(IncomingIntroduction introduction) {
    MpaStartup asked = introduction.startup();
    asked.assign(stream.mpa(), this, ddp());
    begin(introduction.tcp(), asked, introduction.remotePort());
    sendImmediate.take(introduction.requestData());
    asked.accept(reply(Introduction.reply()));
  }

  /** The Private Data of a queue pair's Request. */
  byte[] requestData(Introduction introduction) {
    return sendImmediate.request(introduction.encode());
  }

  /** Ends a queue pair's connection whose peer has not come, or is none. */
  void fail(Reason reason, String text) {
    recordFailure(reason, 0, text);
    abort();
  }

  /** Ends it without telling the program, which does not know it yet. */
  void abandon() {
    session.remove(this);
    markGone();
  }

  /** Whether requests of the send queue wait. */
  boolean hasSends() {
    return reports.hasSends();
  }

  /** How a queue pair finds its peer; null for other connections. */
  Meeting meeting() {
    return meeting;
  }

  /**
   * Begins to connect.
   *
   * @param timeout nanoseconds until it is given up
   */
  void open(HostAddress address, int port, long timeout) throws RequestRefusedException {
    session.add(this);
    remoteAddress = address;
    remotePort = port;
    try {
      connectDeadline = connectTcp().now() + timeout;
      deadline.set(connectDeadline);
    } catch (IllegalStateException e) {
      session.remove(this);
      markGone();
      Reason reason = e instanceof NoRouteException ? Reason.UNREACHABLE : Reason.LIMIT;
      throw new RequestRefusedException(reason, "cannot connect: " + e.getMessage());
    }
  }

  private TcpConnection connectTcp() {
    TcpConnection opened = session.engine().tcp().connect(remoteAddress, remotePort, startup);
    tcp = opened;
    localPort = opened.localPort();
    return opened;
  }

  /**
   * Connects once more, with revision 1, if the peer has closed the connection upon a Request of
   * revision 2 without an answer (RFC 6581 section 10). The connect timeout is not extended.
   *
   * @return whether it does
   */
  private boolean retries(CloseReason reason) {
    if (retry == null
        || reports.areUsed() // they have been flushed
        || !closedUponRequest(reason)) {
      return false;
    }
    session.engine().counters().startupsRetried++;
    session.memory().release(stream.ddp());
    retry.run(); // P2P-10-01
    retry = null;
    try {
      connectTcp();
    } catch (IllegalStateException e) {
      failureText = failureText + "; cannot connect again: " + e.getMessage();
      return false;
    }
    deadline.set(connectDeadline);
    failure = null;
    failureText = "";
    return true;
  }

  /** Whether the peer has closed the connection upon a Request of revision 2 without an answer. */
  private boolean closedUponRequest(CloseReason reason) {
    return state == State.CONNECTING
        && failure == Reason.MPA_ERROR
        && failureDetail == MpaError.CONNECTION_LOST.code()
        && reason != CloseReason.TIMEOUT
        && startup.requestUnanswered(); // P2P-10-01, P2P-10-04
  }

  /** The handler of its TCP connection until both ends have agreed. */
  StreamHandler startup() {
    return startup;
  }

  DdpStream ddp() {
    return stream.ddp();
  }

  /** Its number in the session, 0 until the program is told of it. */
  int number() {
    return number;
  }

  /** Its addresses. */
  ConnectionEnds ends() {
    return new ConnectionEnds(localAddress(), localPort, remoteAddress, remotePort);
  }

  /** Traces the connection, which has been opened. */
  void trace(ConnectionTrace trace) {
    session.engine().tcp().trace(tcp, trace);
    observe(trace);
  }

  /** Ends the trace. */
  void endTrace() {
    session.engine().tcp().endTrace();
    observe(null);
  }

  private void observe(ConnectionTrace trace) {
    ddp().observe(trace);
    reports.trace(trace);
  }

  /** The connection, which has been opened, at this moment. */
  ConnectionStatus status() {
    return new ConnectionStatus(
        number,
        state.name().toLowerCase(Locale.ROOT).replace('_', '-'),
        ends(),
        isInitiator(),
        plainDdp,
        session.engine().tcp().now() - openedAt,
        tcp == null ? TcpStatus.NONE : tcp.status(),
        startup == null ? settled : startup.negotiated(),
        reports.sendsCompleted(),
        reports.sendsTaken() - reports.sendsCompleted(),
        reports.receivesCompleted(),
        reports.receivesPosted(),
        ddp().heldOctets(),
        failureText);
  }

  private boolean isInitiator() {
    return listener == null && (meeting == null || meeting.expectation().connects());
  }

  /** Our address. */
  private HostAddress localAddress() {
    return tcp == null ? meeting.expectation().local() : tcp.localAddress();
  }

  /** The peer's address. */
  HostAddress remoteAddress() {
    return remoteAddress;
  }

  // ---- Calls of the program ----

  /** Takes its requests. */
  SessionStream stream() {
    return stream;
  }

  /** The TCP connection; null before it is opened. */
  TcpConnection tcp() {
    return tcp;
  }

  /**
   * Touches the cache lines that a request needs; the result only keeps the JIT from removing the
   * loads.
   */
  int prefetch() {
    return (tcp == null ? 1 : 0) + (stream == null ? 1 : 0) + number;
  }

  /** Accepts the peer's request, with the program's settings for this connection. */
  void accept(AcceptSettings settings, byte[] privateData) throws RequestRefusedException {
    requireAnswerable(privateData);
    choose(settings);
    listener.answered(this);
    startup.accept(reply(privateData));
  }

  /** The Private Data of a Reply, whose Request has come. */
  private byte[] reply(byte[] privateData) {
    byte[] reply = sendImmediate.reply(privateData, startup.maxPrivateData());
    stream.allowSendImmediate(sendImmediate.agreed());
    return reply;
  }

  private void choose(AcceptSettings settings) throws RequestRefusedException {
    int number = settings.receiveQueue();
    ProtectionDomain domain =
        settings.domain() == AcceptSettings.DOMAIN_OF_LISTENER
            ? stream.domain()
            : session.domains().require(settings.domain());
    if ((number != 0 || !ddp().isIn(domain)) && reports.areUsed()) {
      throw new RequestRefusedException(
          Reason.INVALID,
          "requests have been posted to the connection: it can have no shared receive queue and no"
              + " other protection domain now");
    }
    stream.choose(settings, startup);
    ddp().enter(domain);
    if (number != 0) {
      reports.shareReceives(number);
      releaseReceives();
      receives = session.receiveQueues().get(number);
      receives.use();
    }
  }

  private void releaseReceives() {
    if (receives != null) {
      receives.release();
      receives = null;
    }
  }

  void reject(byte[] privateData) throws RequestRefusedException {
    requireAnswerable(privateData);
    listener.answered(this);
    decline(privateData);
    release();
  }

  private void requireAnswerable(byte[] privateData) throws RequestRefusedException {
    if (state != State.REQUESTED || !listener.awaits(this)) {
      throw new RequestRefusedException(Reason.STATE, "the connection has been answered");
    }
    int most = startup.maxPrivateData();
    if (privateData.length > most) {
      throw new RequestRefusedException(
          Reason.INVALID,
          privateData.length + " octets of private data; this peer's request allows " + most);
    }
  }

  /** Rejects the request and flushes posted requests while they can still be reported. */
  private void decline(byte[] privateData) {
    startup.reject(privateData);
    closeRejected();
  }

  private void closeRejected() {
    stream.close();
    startup.closeSend();
  }

  /** Declines the request because the listener closes before the program has answered. */
  void decline() {
    listener.answered(this);
    if (state == State.AWAITING_REQUEST) {
      abortSilently();
    } else {
      decline(NONE);
      sendEvent(new DaemonMessage.Failed(number, Reason.LOCAL_CLOSE, 0, "the listener was closed"));
      release();
    }
  }

  void disconnect(boolean graceful) {
    if (graceful && (state == State.ESTABLISHED || state == State.ERRONEOUS)) {
      state = State.CLOSING;
      deadline.setIdle(tcp, stream.ddp(), CLOSE_TIMEOUT, tcp.now()); // MPA-7.1.2-28
      stream.close();
    } else if (!graceful || (state != State.CLOSING && state != State.FAILED)) {
      abort();
    }
  }

  /** Resets the connection, and TCP itself: before the SYN is answered no layer above has it. */
  private void abort() {
    stream.abort();
    if (tcp == null) {
      onClosed(CloseReason.ABORTED);
    } else {
      tcp.abort();
    }
  }

  /** Ends it: the peer did not answer, or did not close its half, in time. */
  private void expire() {
    if (failure == null) {
      long held = stream.ddp().heldOctets();
      failure = held > 0 ? Reason.LOCAL_ABORT : Reason.TIMEOUT;
      failureText = held > 0 ? lost(held) : "the peer did not answer in time";
    }
    abort();
  }

  private static String lost(long octets) {
    return octets
        + " octets of messages are lost that were held for receives: the program posted none for"
        + " them in the "
        + TimeUnit.NANOSECONDS.toSeconds(CLOSE_TIMEOUT)
        + " s since it disconnected or took the last one; post receives until the connection has"
        + " closed";
  }

  /** Ends it without telling the program. */
  @Override
  public void abortSilently() {
    if (listener != null) {
      listener.answered(this);
    }
    if (state != State.GONE) {
      countEnd();
      release();
    }
    abort();
  }

  // ---- Events of the stream ----

  @Override
  public void onRequest(MpaStartup asked, byte[] received) {
    byte[] privateData = sendImmediate.take(received);
    if (asked.negotiated().rtr().isEmpty() && listener.requiresPeerToPeer()) {
      // Both programs would wait for the other to send.
      refuse();
      decline(NONE);
      return;
    }
    if (!listener.requested(this)) {
      refuse();
      abort();
      return;
    }
    try {
      number = session.reserve();
    } catch (RequestRefusedException e) {
      refuse();
      abort();
      return;
    }
    reports.begin(number);
    session.add(this);
    state = State.REQUESTED;
    listener.countRequested();
    sendEvent(
        new DaemonMessage.ConnectionRequested(
            listener.number(),
            number,
            ControlAddresses.of(localAddress()),
            localPort,
            ControlAddresses.of(remoteAddress),
            remotePort,
            terms(asked.negotiated()),
            PrivateData.of(privateData)));
  }

  private void refuse() {
    listener.countRefused();
    listener.answered(this);
    markGone();
  }

  @Override
  public void onAgreed(Negotiated terms, byte[] received) {
    byte[] privateData = received;
    if (isInitiator()) {
      privateData = sendImmediate.take(received);
      stream.allowSendImmediate(sendImmediate.agreed());
    }
    settled = terms;
    startup = null;
    retry = null;
    state = State.ESTABLISHED;
    deadline.clear();
    if (listener != null) {
      firstMessage.set(tcp.now() + FIRST_MESSAGE_CHECK);
    }
    session.engine().counters().connectionsOpened++;
    session.engine().events().opened(localPort, remoteAddress, remotePort, isInitiator());
    sendEvent(
        new DaemonMessage.Established(
            number,
            ControlAddresses.of(localAddress()),
            localPort,
            ControlAddresses.of(remoteAddress),
            remotePort,
            terms(terms),
            PrivateData.of(privateData)));
  }

  private StartupTerms terms(Negotiated negotiated) {
    return ChosenStartup.terms(negotiated, sendImmediate.agreed());
  }

  /** Logs that requests wait for the peer's first message, which may never come. */
  private void checkFirstMessage() {
    if (state != State.ESTABLISHED || !stream.ddp().awaitsFirstMessage()) {
      return;
    }
    if (reports.hasSends()) {
      session.engine().counters().firstMessagesAwaited++;
      session
          .engine()
          .report(
              "a message of %s to %s waits for the peer's first message"
                      .formatted(session.name(), remoteAddress.withPort(remotePort))
                  + ": only a connecting program that asks for peer-to-peer lets the accepting one"
                  + " send first");
    } else {
      firstMessage.set(tcp.now() + FIRST_MESSAGE_CHECK);
    }
  }

  @Override
  public void onRejected(byte[] privateData) {
    StartupTerms terms = terms(startup.negotiated()); // P2P-9.1-12
    closeRejected();
    sendEvent(new DaemonMessage.Rejected(number, terms, PrivateData.of(privateData)));
    release();
  }

  /** Handles the failure of a stream that ends by itself. */
  void onError(Reason reason, int detail, String text) {
    boolean established = isUp();
    recordFailure(reason, detail, text);
    if (established) {
      state = State.FAILED;
    }
    // The layers below have reset the connection or are telling the peer why it ends.
    if (state != State.AWAITING_REQUEST && state != State.GONE) {
      deadline.set(tcp.now() + FAILURE_TIMEOUT); // RDMAP-7-01
    }
  }

  /**
   * Handles the failure of a stream that the program ends; one that is not established ends at
   * once.
   *
   * @param report about the segment that was refused, or null
   */
  void onStreamError(Reason reason, int detail, DdpErrorReport report, String text) {
    if (failure != null) {
      // Only the first error is reported; others follow from it.
      return;
    }
    if (!isUp()) {
      onError(reason, detail, text);
      stream.close();
      return;
    }
    recordFailure(reason, detail, text);
    if (state == State.ESTABLISHED) {
      state = State.ERRONEOUS;
    }
    String header = report == null ? "" : HexFormat.of().formatHex(report.header());
    int octets = report == null ? 0 : report.segmentLength();
    sendEvent(new DaemonMessage.StreamFailed(number, reason, detail, header, octets, text));
  }

  private boolean isUp() {
    return state == State.ESTABLISHED || state == State.CLOSING || state == State.ERRONEOUS;
  }

  private void recordFailure(Reason reason, int detail, String text) {
    EngineCounters counters = session.engine().counters();
    if (isUp()) {
      counters.streamErrors++;
    } else {
      counters.startupErrors++;
    }
    failure = reason;
    failureDetail = detail;
    failureText = text;
    session.failed(ends(), text);
  }

  void onPeerClosed() {
    peerClosed = true;
    if (state == State.ESTABLISHED) {
      sendEvent(new DaemonMessage.PeerClosed(number));
    }
  }

  void onClosed(CloseReason reason) {
    if (listener != null) {
      listener.answered(this);
    }
    if (state == State.GONE || state == State.AWAITING_REQUEST) {
      if (state == State.AWAITING_REQUEST && failure != null) {
        noteFailure(failure, failureDetail, failureText);
      }
      markGone();
      return;
    }
    if (retries(reason)) {
      return;
    }
    reports.reportRest();
    Reason why = failure == null || lost(reason) ? reason(reason) : failure;
    int detail = why == failure ? failureDetail : 0;
    String text = why == failure ? failureText : text(why);
    if (closedUponRequest(reason)) {
      text = text + PERHAPS_REVISION_1;
    }
    noteFailure(why, detail, text);
    if (countEnd()) {
      sendEvent(new DaemonMessage.Closed(number, why, detail, text));
    } else {
      sendEvent(new DaemonMessage.Failed(number, why, detail, text));
    }
    release();
  }

  /** Records a failure for Flight Recorder, unless one of the ends wanted it. */
  private void noteFailure(Reason why, int detail, String text) {
    if (why != Reason.LOCAL_CLOSE && why != Reason.PEER_CLOSE && why != Reason.LOCAL_ABORT) {
      boolean opened = isUp() || state == State.FAILED;
      session
          .engine()
          .events()
          .failed(localPort, remoteAddress, remotePort, opened, why, detail, text);
    }
  }

  /** Counts the end of a connection that reached Full Operation; returns whether it had. */
  private boolean countEnd() {
    boolean reached = isUp() || state == State.FAILED;
    if (reached) {
      session.engine().counters().connectionsClosed++;
    }
    return reached;
  }

  /** Handles a lost connection: MPA reports every loss as error 1; TCP has the reason. */
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
      case REFUSED -> "no program listens at that port";
      case TIMEOUT -> "the peer does not answer";
      default -> "";
    };
  }

  /** Publishes completions, then sends the event, so that the program finds them after it. */
  private void sendEvent(DaemonMessage message) {
    session.flush();
    session.events().send(message);
  }

  /** Releases its number and stops reporting. */
  private void release() {
    if (number != 0) {
      reports.reportRest();
      session.remove(this);
    }
    markGone();
  }

  private void markGone() {
    state = State.GONE;
    deadline.clear();
    firstMessage.clear();
    reports.stop();
    releaseReceives();
    heap.give();
    if (meeting != null) {
      meeting.connectionEnded();
    }
  }
}
