package org.rddp.daemon.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.client.types.StartupOptions;
import org.rddp.client.types.StartupTerms;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.ipc.control.AcceptSettings;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.CloseReason;
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

  /** Time for the peer to close its half after it was told of an error, in nanoseconds. */
  private static final long FAILURE_TIMEOUT = TimeUnit.SECONDS.toNanos(2);

  private final Session session;
  private final ConnectionHeap heap;
  private final CompletionReports reports;
  private final SendWithImmediateOffer sendWithImmediate;
  private long openedAt;
  private final Deadline deadline;

  /** As the program has chosen them at last. */
  private ConnectionSettings settings;

  private SessionStream stream;

  /** Whether a peer has connected to a listener. */
  private boolean incoming;

  /** MPA's startup; null once both ends have agreed. */
  private MpaStartup startup;

  /** Results of both startup frames; null until both ends have agreed. */
  private Negotiated settled;

  /** How it connects to an address; null for other connections, and once both ends have agreed. */
  private ActiveOpen opening;

  /** The Request of a peer to a listener, until it has been answered; null for none. */
  private PeerRequest request;

  /** Watches an accepted connection; null for other connections. */
  private FirstMessageWatch firstMessage;

  /** Its shared receive queue until it has ended; or null. */
  private SessionReceiveQueue receives;

  /**
   * Null before it is opened, while the peer of a queue pair has not come, and if it has ended and
   * another engine has gone on with the rest.
   */
  private TcpConnection tcp;

  /** How a queue pair finds its peer; null for other connections. */
  private Meeting meeting;

  /** Null before it is opened. */
  private ConnectionEnds ends;

  private int number;
  private State state;
  private boolean peerClosed;

  /** Null unless it has failed. */
  private EndCause failure;

  private SessionConnection(Session session, int number, State state, ConnectionSettings settings)
      throws RequestRefusedException {
    this.session = session;
    this.heap = ConnectionHeap.take(session, settings);
    this.number = number;
    this.state = state;
    this.deadline = new Deadline(session.engine().deadlines(), this::expire);
    this.openedAt = session.engine().tcp().now();
    this.sendWithImmediate = new SendWithImmediateOffer(settings.sendWithImmediate());
    this.reports = new CompletionReports(session, settings);
    reports.begin(number);
    prepare(settings);
    shareReceives(settings.receiveQueue());
  }

  /** Makes a stream, in place of one that has failed before both ends have agreed. */
  void prepare(ConnectionSettings chosen) {
    settings = chosen;
    stream =
        chosen.isPlainDdp()
            ? new PlainDdpStream(session, this, reports, chosen)
            : new RdmapSessionStream(session, this, reports, chosen);
  }

  /** Its settings. */
  ConnectionSettings settings() {
    return settings;
  }

  /**
   * Makes the startup that asks the peer.
   *
   * @throws IllegalArgumentException if there is too much private data
   */
  void prepareRequest(byte[] privateData) {
    startup = MpaStartup.initiator(stream.mpa(), requestData(privateData), this, ddp());
  }

  /** The Private Data of a Request. */
  byte[] requestData(byte[] privateData) {
    return sendWithImmediate.request(privateData);
  }

  static SessionConnection incoming(Session session, SessionListener listener, TcpConnection tcp)
      throws RequestRefusedException {
    SessionConnection made =
        new SessionConnection(session, 0, State.AWAITING_REQUEST, listener.settings());
    made.incoming = true;
    PeerRequest ignored = made.asks(listener);
    made.begin(tcp, MpaStartup.responder(made.stream.mpa(), made, made.ddp()));
    return made;
  }

  static SessionConnection outgoing(
      Session session, int number, byte[] privateData, ConnectionSettings settings)
      throws RequestRefusedException {
    SessionConnection made = new SessionConnection(session, number, State.CONNECTING, settings);
    try {
      StartupOptions again =
          ChosenStartup.retry(session.engine().rdmapSettings(), settings.startup());
      made.opening = new ActiveOpen(session, made, privateData, made.deadline, again);
      made.prepareRequest(privateData);
      return made;
    } catch (IllegalArgumentException e) {
      made.markGone();
      throw new RequestRefusedException(
          Reason.INVALID, e.getMessage() + made.sendWithImmediate.reason());
    }
  }

  /** A queue pair's connection, which waits for its peer: {@link #meet}. */
  static SessionConnection expecting(Session session, int number, ConnectionSettings settings)
      throws RequestRefusedException {
    return new SessionConnection(session, number, State.CONNECTING, settings);
  }

  /** Begins to wait for the peer. */
  void meet(Meeting with) {
    meeting = with;
    Expectation expected = with.expectation();
    ends = new ConnectionEnds(expected.local(), 0, expected.remote(), 0);
    session.add(this);
  }

  /** Takes a connection of TCP and its startup. */
  void begin(TcpConnection opened, MpaStartup begun) {
    tcp = opened;
    startup = begun;
    TcpChoices.of(settings).apply(opened);
    ends =
        new ConnectionEnds(
            opened.localAddress(), opened.localPort(), opened.remoteAddress(), opened.remotePort());
  }

  /** Takes a connection of TCP that is its own peer, and its startup. */
  void beginWithItself(TcpConnection opened, MpaStartup begun) {
    begin(opened, begun);
    sendWithImmediate.take(sendWithImmediate.request(new byte[0]));
    stream.allowSendWithImmediate(sendWithImmediate.agreed());
  }

  /** Accepts the peer of a queue pair. */
  void accept(IncomingIntroduction introduction) {
    MpaStartup asked = introduction.startup();
    asked.assign(stream.mpa(), this, ddp());
    begin(introduction.tcp(), asked);
    sendWithImmediate.take(introduction.requestData());
    accept(Introduction.reply());
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

  /** Whether the program has posted requests. */
  boolean hasRequests() {
    return reports.areUsed();
  }

  /** Whether requests of the send queue wait. */
  boolean hasSends() {
    return reports.hasSends();
  }

  /** How a queue pair finds its peer; null for other connections. */
  Meeting meeting() {
    return meeting;
  }

  /** How it connects to an address, until both ends have agreed. */
  ActiveOpen opening() {
    return opening;
  }

  /** The Request that may wait for the program's answer. */
  PeerRequest request() throws RequestRefusedException {
    if (request == null) {
      throw PeerRequest.answered();
    }
    return request;
  }

  /** No answer to a Request is waited for any more. */
  void answered() {
    request = null;
  }

  /** The handler of its TCP connection until both ends have agreed. */
  MpaStartup startup() {
    return startup;
  }

  DdpStream ddp() {
    return stream.ddp();
  }

  /** Its number in the session, 0 until the program is told of it. */
  int number() {
    return number;
  }

  /** Its addresses; null before it is opened. */
  ConnectionEnds ends() {
    return ends;
  }

  /** Traces DDP and requests; null for no longer. */
  void trace(ConnectionTrace trace) {
    ddp().observe(trace);
    reports.trace(trace);
  }

  /** The connection, which has been opened, at this moment. */
  ConnectionStatus status() {
    return new ConnectionStatus(
        number,
        state.name().toLowerCase(Locale.ROOT).replace('_', '-'),
        ends,
        isInitiator(),
        settings.isPlainDdp(),
        now() - openedAt,
        tcp == null ? TcpStatus.NONE : tcp.status(),
        startup == null ? settled : startup.negotiated(),
        reports.sendsCompleted(),
        reports.sendsTaken() - reports.sendsCompleted(),
        reports.receivesCompleted(),
        reports.receivesPosted(),
        ddp().heldOctets(),
        failure == null ? "" : failure.text());
  }

  private long now() {
    return session.engine().tcp().now();
  }

  private boolean isInitiator() {
    return !incoming && (meeting == null || meeting.expectation().connects());
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

  /** Accepts the peer's Request, which has come. */
  void accept(byte[] privateData) {
    byte[] reply = sendWithImmediate.reply(privateData, startup.maxPrivateData());
    stream.allowSendWithImmediate(sendWithImmediate.agreed());
    startup.accept(reply);
  }

  /** Applies the program's settings for this connection before the Request is accepted. */
  void choose(AcceptSettings chosen) throws RequestRefusedException {
    int number = chosen.receiveQueue();
    ProtectionDomain domain =
        chosen.domain() == AcceptSettings.DOMAIN_OF_LISTENER
            ? stream.domain()
            : session.domains().require(chosen.domain());
    if ((number != 0 || !ddp().isIn(domain)) && reports.areUsed()) {
      throw new RequestRefusedException(
          Reason.INVALID,
          "requests have been posted to the connection: it can have no shared receive queue and no"
              + " other protection domain now");
    }
    stream.choose(chosen, startup);
    ddp().enter(domain);
    if (number != 0) {
      settings = settings.withReceiveQueue(number);
      reports.shareReceives(number);
      releaseReceives();
      shareReceives(number);
    }
  }

  private void shareReceives(int number) {
    receives = session.receiveQueues().get(number);
    if (receives != null) {
      receives.use();
    }
  }

  private void releaseReceives() {
    if (receives != null) {
      receives.release();
      receives = null;
    }
  }

  /** Rejects the request and flushes posted requests while they can still be reported. */
  void decline(byte[] privateData) {
    startup.reject(privateData);
    closeRejected();
  }

  private void closeRejected() {
    stream.close();
    startup.closeSend();
  }

  void disconnect(boolean graceful) {
    if (graceful && (state == State.ESTABLISHED || state == State.ERRONEOUS)) {
      state = State.CLOSING;
      deadline.setIdle(tcp, stream.ddp(), CLOSE_TIMEOUT, now()); // MPA-7.1.2-28
      stream.close();
    } else if (!graceful || (state != State.CLOSING && state != State.FAILED)) {
      abort();
    }
  }

  /** Resets the connection, and TCP itself: before the SYN is answered no layer above has it. */
  void abort() {
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
      failure = EndCause.expired(stream.ddp().heldOctets(), CLOSE_TIMEOUT);
    }
    abort();
  }

  /** Ends it without telling the program. */
  @Override
  public void abortSilently() {
    if (request != null) {
      request.end();
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
    request.ask(sendWithImmediate.take(received));
  }

  /** The program learns of it by that number. */
  void requested(int reserved) {
    number = reserved;
    reports.begin(number);
    session.add(this);
    state = State.REQUESTED;
  }

  @Override
  public void onAgreed(Negotiated terms, byte[] received) {
    byte[] privateData = received;
    if (isInitiator()) {
      privateData = sendWithImmediate.take(received);
      stream.allowSendWithImmediate(sendWithImmediate.agreed());
    }
    settled = terms;
    startup = null;
    opening = null;
    state = State.ESTABLISHED;
    deadline.clear();
    if (incoming) {
      firstMessage = new FirstMessageWatch(session, this);
      firstMessage.checkLater();
    }
    session.engine().counters().connectionsOpened++;
    session.engine().events().opened(ends, isInitiator());
    sendEvent(
        new DaemonMessage.Established(
            number,
            ControlAddresses.of(ends.localAddress()),
            ends.localPort(),
            ControlAddresses.of(ends.remoteAddress()),
            ends.remotePort(),
            terms(terms),
            PrivateData.of(privateData)));
  }

  StartupTerms terms(Negotiated negotiated) {
    return ChosenStartup.terms(negotiated, sendWithImmediate.agreed());
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
    if (state == State.GONE) {
      // The peer was rejected: nobody waits for what follows.
      return;
    }
    boolean established = isUp();
    recordFailure(reason, detail, text);
    if (established) {
      state = State.FAILED;
    }
    // The layers below have reset the connection or are telling the peer why it ends.
    if (state != State.AWAITING_REQUEST) {
      deadline.set(now() + FAILURE_TIMEOUT); // RDMAP-7-01
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

  boolean isEstablished() {
    return state == State.ESTABLISHED;
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
    failure = new EndCause(reason, detail, text);
    session.failed(ends, text);
  }

  void onPeerClosed() {
    peerClosed = true;
    if (state == State.ESTABLISHED) {
      sendEvent(new DaemonMessage.PeerClosed(number));
    }
  }

  void onClosed(CloseReason reason) {
    if (request != null) {
      request.end();
    }
    if (state == State.GONE || state == State.AWAITING_REQUEST) {
      if (state == State.AWAITING_REQUEST && failure != null) {
        noteFailure(failure);
      }
      markGone();
      return;
    }
    if (opening != null && opening.retries(failure, reason)) {
      failure = null;
      return;
    }
    reports.reportRest();
    boolean told = failure != null && !failure.isExplainedBy(reason);
    EndCause cause = told ? failure : EndCause.of(reason, peerClosed && state != State.CLOSING);
    if (opening != null) {
      cause = opening.explain(cause, failure, reason);
    }
    noteFailure(cause);
    sendEvent(
        countEnd()
            ? new DaemonMessage.Closed(number, cause.reason(), cause.detail(), cause.text())
            : new DaemonMessage.Failed(number, cause.reason(), cause.detail(), cause.text()));
    release();
  }

  /** Records a failure for Flight Recorder, unless one of the ends wanted it. */
  private void noteFailure(EndCause cause) {
    if (!cause.isWanted()) {
      session.engine().events().failed(ends, hasBeenUp(), cause);
    }
  }

  /** Counts the end of a connection that reached Full Operation; returns whether it had. */
  private boolean countEnd() {
    boolean reached = hasBeenUp();
    if (reached) {
      session.engine().counters().connectionsClosed++;
    }
    return reached;
  }

  private boolean hasBeenUp() {
    return isUp() || state == State.FAILED;
  }

  /** Publishes completions, then sends the event, so that the program finds them after it. */
  void sendEvent(DaemonMessage message) {
    session.flush();
    session.events().send(message);
  }

  /** Releases its number and stops reporting. */
  void release() {
    if (number != 0) {
      reports.reportRest();
      session.remove(this);
    }
    markGone();
  }

  void markGone() {
    state = State.GONE;
    deadline.clear();
    if (firstMessage != null) {
      firstMessage.end();
    }
    reports.stop();
    releaseReceives();
    heap.give();
    if (meeting != null) {
      meeting.connectionEnded();
    }
  }

  // ---- It goes on in another engine ----

  /**
   * Transfers settings of connections, but not whether the configuration allows them now.
   *
   * @param written null if they are read
   */
  static ConnectionSettings transferSettings(
      Snapshot snapshot, Session session, ConnectionSettings written) {
    ConnectionSettings settings = snapshot.record("settings", ConnectionSettings.class, written);
    if (settings == null) {
      throw snapshot.wrong("settings are missing");
    }
    if (snapshot.reads()) {
      try {
        SettingsCheck.checkRanges(session, settings);
      } catch (RequestRefusedException refused) {
        throw snapshot.wrong(refused.getMessage());
      }
    }
    return settings;
  }

  /**
   * Transfers a connection, but not its stream and what refers to it: {@link #transferStream}.
   *
   * @param transports the connections of TCP
   * @param written the connection; null if it is read
   */
  static SessionConnection transfer(
      Snapshot snapshot,
      Session session,
      int number,
      References<TcpConnection> transports,
      SessionConnection written) {
    boolean reads = written == null;
    snapshot.begin(SessionConnection.class);
    ConnectionSettings settings =
        transferSettings(snapshot, session, reads ? null : written.stream.inUse(written.settings));
    State state = snapshot.constant("state", State.class, reads ? null : written.state);
    SessionConnection connection =
        reads ? restored(snapshot, session, number, state, settings) : written;
    connection.transfer(snapshot, transports);
    snapshot.end();
    return connection;
  }

  private static SessionConnection restored(
      Snapshot snapshot, Session session, int number, State state, ConnectionSettings settings) {
    if (state == State.GONE || (number == 0) != (state == State.AWAITING_REQUEST)) {
      throw snapshot.wrong("a connection with number " + number + " is " + state);
    }
    try {
      return new SessionConnection(session, number, state, settings);
    } catch (RequestRefusedException | IllegalArgumentException refused) {
      throw snapshot.wrong(refused.getMessage());
    }
  }

  private void transfer(Snapshot snapshot, References<TcpConnection> transports) {
    openedAt = snapshot.number("openedAt", openedAt);
    incoming = snapshot.flag("incoming", incoming);
    peerClosed = snapshot.flag("peerClosed", peerClosed);
    failure = snapshot.record("failure", EndCause.class, failure);
    settled = snapshot.record("settled", Negotiated.class, settled);
    sendWithImmediate.transfer(snapshot);
    reports.transfer(snapshot);
    // It stays without a connection of TCP if that has ended, and messages are held.
    TcpConnection open = tcp == null || tcp.user() == null ? null : tcp;
    open = transports.transfer(snapshot, "tcp", open);
    if (snapshot.reads()) {
      tcp = open;
    }
    ends = ConnectionEnds.transfer(snapshot, ends);
    if (snapshot.flag("meeting", meeting != null)) {
      meeting = Meeting.transfer(snapshot, session.meetings(), this, transports, meeting);
    }
    if (snapshot.flag("opening", opening != null)) {
      opening = ActiveOpen.transfer(snapshot, session, this, deadline, opening);
    }
    if (snapshot.flag("firstMessage", firstMessage != null) && snapshot.reads()) {
      firstMessage = new FirstMessageWatch(session, this);
    }
  }

  /** Its peer's Request to a listener may come, or waits for the program's answer. */
  PeerRequest asks(SessionListener listener) {
    request = new PeerRequest(session, listener, this);
    return request;
  }

  /**
   * Transfers the state of MPA, of its stream and its deadlines; when read, its connection of TCP
   * goes on.
   */
  void transferStream(Snapshot snapshot, DdpReferences references) {
    snapshot.begin(SessionConnection.class);
    boolean open = tcp != null && (snapshot.reads() || tcp.user() != null);
    stream.transfer(snapshot, open ? transferMpa(snapshot) : null, references);
    deadline.transfer(snapshot, tcp, ddp());
    if (firstMessage != null) {
      firstMessage.nextCheck().transfer(snapshot, null, null);
    }
    snapshot.end();
  }

  /** Transfers its startup or its connection of MPA; returns the latter, null if there is none. */
  private MpaConnection transferMpa(Snapshot snapshot) {
    if (settled != null) {
      return MpaTransfer.connection(snapshot, tcp, ddp());
    }
    startup = MpaTransfer.startup(snapshot, startup, tcp, this, ddp(), ddp());
    return startup.connection();
  }

  /** Adds its deadlines, set or not. */
  void addDeadlines(Collection<Deadline> all) {
    all.add(deadline);
    if (firstMessage != null) {
      all.add(firstMessage.nextCheck());
    }
    if (meeting != null) {
      meeting.addDeadlines(all);
    }
  }

  /** Its connections of TCP, and those by which a queue pair tries to reach its peer. */
  List<TcpConnection> transports() {
    List<TcpConnection> all = new ArrayList<>(meeting == null ? List.of() : meeting.tries());
    if (tcp != null) {
      all.add(tcp);
    }
    return all;
  }

  /** Whether its program has been told of its end. */
  boolean isGone() {
    return state == State.GONE;
  }
}
