package org.rddp.mpa;

import java.util.Objects;
import java.util.function.UnaryOperator;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;
import org.rddp.tcp.storage.EarlySegments;

/**
 * The Startup Phase of one end, by the rules of RFC 5044 section 7.1.2. It is the handler of the
 * TCP connection until both ends agree; then an {@link MpaConnection} takes its place. If they do
 * not, it remains until TCP has ended. Engine thread only.
 */
public final class MpaStartup implements StreamHandler {
  private enum Phase {
    /** Waiting for the peer's startup frame. */
    AWAITING_FRAME,
    /** Responder: waiting for the user to accept or reject a Request. */
    DECIDING,
    /** Responder: the Reply waits for a packet. */
    REPLYING,
    /** Full Operation may begin. */
    AGREED,
    /** The Responder's user has rejected; MPA has ended, TCP is open. */
    DECLINED,
    /** The peer's revision is not supported: TCP is being closed gracefully. */
    REFUSING,
    /** TCP has been reset or closed. */
    OVER
  }

  private static final byte[] NONE = {};
  static final String FOLLOWED = "PD_Length does not match: octets follow ";

  private StartupHandler owner;

  /** Gets the connection when both ends agree. */
  private UlpduHandler user;

  /** Is told if the connection fails or ends before. */
  private UlpduHandler watcher;

  private final boolean initiator;
  private final Negotiation negotiation;
  private long timeoutNanos;
  private final byte[] requestData;

  /** Whether the connection is its own peer. */
  private boolean itself;

  /** Null before TCP is established. */
  private TcpStream stream;

  /** Segments received out of order; null before TCP is established. */
  private EarlySegments early;

  /** Null before both ends have agreed. */
  private MpaConnection connection;

  private Phase phase = Phase.AWAITING_FRAME;
  private boolean accepted;
  private boolean closing;
  private boolean abandoned;
  private boolean errorReported;
  private long end;

  private MpaStartup(
      MpaSettings settings,
      boolean initiator,
      byte[] requestData,
      StartupHandler owner,
      UlpduHandler watcher,
      UlpduHandler user) {
    this.owner = Objects.requireNonNull(owner, "nobody owns the startup");
    this.watcher = watcher;
    // MPA-7.1-06: "to the MPA connection at entry to this phase"
    this.user = Objects.requireNonNull(user, "no user is bound to the connection");
    this.initiator = initiator;
    negotiation = new Negotiation(settings, initiator);
    timeoutNanos = settings.startupTimeoutNanos();
    this.requestData = negotiation.checked(requestData.clone());
  }

  /**
   * Creates an Initiator's startup, which sends the MPA Request as soon as TCP is established.
   *
   * @param privateData the Request's, 0 to 512 octets; 508 if revision 2 is proposed
   * @param user gets the connection; also told if it fails or ends before both ends agree
   * @throws IllegalArgumentException if there is more Private Data
   */
  public static MpaStartup initiator(
      MpaSettings settings, byte[] privateData, StartupHandler owner, UlpduHandler user) {
    return initiator(settings, privateData, owner, user, user);
  }

  /**
   * Creates an Initiator's that may be one of several for the same user, as {@link
   * #initiator(MpaSettings, byte[], StartupHandler, UlpduHandler)} does otherwise.
   *
   * @param watcher is told instead of the user if it fails or ends before both ends agree
   */
  public static MpaStartup initiator(
      MpaSettings settings,
      byte[] privateData,
      StartupHandler owner,
      UlpduHandler watcher,
      UlpduHandler user) {
    return new MpaStartup(settings, true, privateData, owner, watcher, user);
  }

  /**
   * Creates a Responder's startup, which waits for the MPA Request and answers it.
   *
   * @param user gets the connection; also told if it fails or ends before both ends agree
   */
  public static MpaStartup responder(
      MpaSettings settings, StartupHandler owner, UlpduHandler user) {
    return new MpaStartup(settings, false, NONE, owner, user, user);
  }

  /**
   * Creates the startup of a connection that is its own peer. It exchanges no frames: what it sends
   * reaches itself only, and Full Operation begins as soon as TCP is established.
   *
   * @param user gets the connection; also told if it fails or ends before
   */
  public static MpaStartup itself(MpaSettings settings, StartupHandler owner, UlpduHandler user) {
    MpaStartup made = new MpaStartup(settings, false, NONE, owner, user, user);
    made.itself = true;
    return made;
  }

  /**
   * Responder: sets who gets the connection, before {@link #accept}, where only the Request has
   * told who is asked for.
   *
   * @param settings of the connection, without a Start Key
   * @param nextOwner is told what follows
   * @param nextUser gets the connection; also told if it fails or ends before both ends agree
   * @throws IllegalStateException if no Request waits for an answer
   */
  public void assign(MpaSettings settings, StartupHandler nextOwner, UlpduHandler nextUser) {
    if (phase != Phase.DECIDING) {
      throw new IllegalStateException("No MPA Request waits for an answer");
    }
    owner = nextOwner;
    user = nextUser;
    watcher = nextUser;
    choose(given -> settings);
  }

  /**
   * The most octets of Private Data that {@link #accept} and {@link #reject} take, once the Request
   * has come: 512, or 508 if it is an enhanced one.
   */
  public int maxPrivateData() {
    return negotiation.room();
  }

  /**
   * Responder: chooses IRD for this connection, before {@link #accept}. Does nothing if no Request
   * waits for an answer.
   *
   * @param ird RDMA Reads of the peer that are served at a time, 0 to 16382
   */
  public void chooseIrd(int ird) {
    choose(settings -> settings.withIrd(ird));
  }

  /**
   * Responder: chooses ORD for this connection, before {@link #accept}. It applies even if the peer
   * does not state its IRD: the user then knows that by other means. Does nothing if no Request
   * waits for an answer.
   *
   * @param ord RDMA Reads of our own that may be outstanding at a time, 0 to 16382
   */
  public void chooseOrd(int ord) {
    choose(settings -> settings.withOrd(ord).withUnnegotiatedOrd(MpaSettings.DEEPEST));
  }

  private void choose(UnaryOperator<MpaSettings> choice) {
    if (phase == Phase.DECIDING) {
      negotiation.choose(choice.apply(negotiation.settings()));
    }
  }

  /**
   * Responder: answers the Request with a Reply that accepts. Full Operation begins, with {@link
   * StartupHandler#onAgreed}, when the Reply has been sent, usually within this call. Does nothing
   * if the connection has already failed.
   *
   * @param privateData the Reply's, 0 to 512 octets; 508 to an enhanced Request of revision 2
   * @throws IllegalArgumentException if there are more
   * @throws IllegalStateException if no Request waits for an answer
   */
  public void accept(byte[] privateData) {
    reply(true, privateData);
    proceed();
  }

  /**
   * Responder: answers the Request with a Reply that declines. MPA then ends and TCP stays open;
   * close it with {@link #closeSend()}, which starts a timer, or {@link #abort()}. Does nothing if
   * the connection has already failed.
   *
   * @param privateData the Reply's, 0 to 512 octets; 508 to an enhanced Request of revision 2
   * @throws IllegalArgumentException if there are more
   * @throws IllegalStateException if no Request waits for an answer
   */
  public void reject(byte[] privateData) {
    reply(false, privateData);
  }

  /** Ends the connection with a reset; {@link UlpduHandler#onClosed} follows. */
  public void abort() {
    if (stream == null) {
      abandoned = true;
    } else if (phase != Phase.OVER) { // MPA-7.1.2-21, MPA-7.1.3-03
      stream.abort();
    }
  }

  /** The parameters that both startup frames have settled; null before the peer's has come. */
  public Negotiated negotiated() {
    return negotiation.settled();
  }

  /**
   * Initiator: whether an enhanced Request of revision 2 has been sent and no octet of the Reply
   * has come. If the peer has then closed or reset the connection, it may know revision 1 only (RFC
   * 6581 section 10).
   */
  public boolean requestUnanswered() {
    return stream != null && negotiation.unanswered();
  }

  /** Initiator: whether octets have come, of a Reply or not. */
  public boolean isAnswered() {
    return negotiation.reader().count() > 0;
  }

  @Override
  public void onOpen(TcpStream opened) {
    stream = opened;
    early = new EarlySegments(opened.pool());
    if (abandoned) {
      stream.abort();
      return;
    }
    negotiation.begin(stream.secured());
    if (itself) {
      negotiation.agreeWithItself();
      phase = Phase.AGREED;
      proceed();
      return;
    }
    stream.alarm(stream.now() + timeoutNanos); // MPA-7.1.2-24, MPA-7.1.2-27
    if (initiator) {
      // MPA-7.1.2-01: "When MPA is started in the Initiator mode, the MPA implementation MUST send
      // a valid MPA Request Frame"; D03-8.1-02. At once (MPA-7.1-03, MPA-7.1.4-02), whichever end
      // sent the SYN: MPA-7.1-08: "is NOT related to the TCP startup".
      negotiation.prepareRequest(requestData);
      negotiation.flush(stream);
    }
  }

  /** Begins Full Operation if both ends have agreed. */
  private void proceed() {
    if (phase != Phase.AGREED || connection != null) {
      return;
    }
    MpaError mismatch = negotiation.mismatch();
    if (mismatch != null && !watcher.equals(user)) {
      fail(mismatch, mismatchDetail());
      return;
    }
    connection =
        // MPA-7.1-02: "in both directions at once at an endpoint"; DDP-6.1-01: "at the same time,
        // in both directions"; MPA-7.1.2-12; D03-8.1-05: "before sending any FPDUs or markers".
        // What comes now is MPA-7.1.2-11, MPA-7.1.2-18: "any data received as FPDUs".
        new MpaConnection(
            stream,
            user,
            negotiation.settled(),
            initiator || itself,
            end,
            negotiation.settings(),
            early);
    stream.handler(connection);
    if (mismatch == null) {
      owner.onAgreed(negotiation.settled(), initiator ? negotiation.privateData() : NONE);
    }
    connection.begin(closing, mismatch, mismatch == null ? null : mismatchDetail());
  }

  /** Describes the part of the Reply that we cannot meet, with the names of frame and field. */
  private String mismatchDetail() {
    return negotiation.expectedTitle() + ": " + negotiation.mismatchDetail();
  }

  /**
   * Takes octets. After the agreement these are only the rest of a segment, or of segments kept
   * here; they are passed on.
   */
  @Override
  public void onSegment(long position, long address, int length, long packet) {
    if (connection != null) {
      connection.onSegment(position, address, length, packet);
    } else if (position > stream.receivePosition()) {
      // D03-5.1.2-05: "MUST continue to buffer TCP segments until completely ordered";
      // MPA-7.1.5-03: "TCP's rules MUST be followed"
      early.hold(position, address, length, packet);
    } else {
      take(position, address, length);
      proceed();
      if (connection != null) {
        connection.openWindow(length);
      } else if (phase != Phase.OVER) {
        stream.consumed(length);
      }
    }
  }

  @Override
  public void onLeftEdge(long edge) {
    early.handUp(edge, this);
    if (connection != null) {
      connection.onLeftEdge(edge);
    }
  }

  /** Takes octets received in order. */
  private void take(long position, long address, int length) {
    switch (phase) {
      case AWAITING_FRAME -> {
        int taken = negotiation.reader().take(address, length);
        // ANA-8-01: "required to enable MPA at an agreed-upon point in the TCP datastream";
        // MPA-7.1-01: "at the same location in the octet stream"
        end = position + taken;
        processFrame(taken < length);
      }
      case DECIDING, REPLYING ->
          fail(MpaError.STARTUP, FOLLOWED + "the Private Data before the Reply"); // MPA-7.1.1-21
      case AGREED, DECLINED, REFUSING, OVER -> {}
    }
  }

  @Override
  public void onSendable() {
    if (negotiation.flush(stream)) {
      if (phase == Phase.REPLYING) {
        replied();
      }
      if (closing) {
        stream.closeSend();
      }
    }
    proceed();
  }

  @Override
  public void onEmss(int emss) {}

  @Override
  public void onAlarm(long now) {
    if (phase == Phase.AWAITING_FRAME) {
      String after = " after " + timeoutNanos / 1_000_000 + " ms";
      // MPA-7.1.2-24, MPA-7.1.2-27: "a reasonable timeout while waiting for the entire set of
      // startup frames", also with the draft's peers (D03-8.1-08) and with others that say nothing
      // or too little: ANA-8.1-02, ANA-8.2.1-02, ANA-8.2.4.4-02.
      fail(MpaError.STARTUP, negotiation.reader().missing() + after);
    } else if (phase != Phase.AGREED && closing) {
      stream.abort();
    }
  }

  @Override
  public void onPeerClosed() {
    switch (phase) {
      case AWAITING_FRAME -> {
        if (initiator && negotiation.declinedByClosing()) {
          phase = Phase.DECLINED;
          owner.onRejected(negotiation.privateData());
          return;
        }
        boolean begun = negotiation.reader().count() > 0;
        MpaError error = begun ? MpaError.STARTUP : MpaError.CONNECTION_LOST; // MPA-7.1.1-21
        fail(error, negotiation.reader().missing() + " when the peer closed");
      }
      case DECIDING, REPLYING -> fail(MpaError.CONNECTION_LOST, "the peer closed before the Reply");
      case DECLINED -> watcher.onPeerClosed();
      case AGREED, REFUSING, OVER -> {}
    }
  }

  /** Responder: prepares and sends the Reply that accepts or rejects the Request. */
  private void reply(boolean accept, byte[] privateData) {
    negotiation.checked(privateData);
    if (phase == Phase.OVER || closing) {
      return;
    }
    if (phase != Phase.DECIDING) {
      // MPA-7.1.2-13: "The requirement to wait on a Request Frame before sending a Reply Frame"
      throw new IllegalStateException("No MPA Request waits for an answer");
    }
    accepted = accept;
    if (accept || !negotiation.declinesInSilence()) {
      negotiation.prepareReply(!accept, privateData); // MPA-7.1.2-05, MPA-7.1.2-09
    }
    reply();
    if (!accept && negotiation.declinesByClosing()) {
      closeSend();
    }
  }

  private void reply() {
    phase = Phase.REPLYING;
    if (negotiation.flush(stream)) {
      replied();
    }
  }

  private void replied() {
    if (accepted && negotiation.streaming()) {
      phase = Phase.AWAITING_FRAME;
      negotiation.awaitStartKey();
      stream.alarm(stream.now() + timeoutNanos);
      return;
    }
    // MPA-7.1-09, MPA-7.1.2-08, MPA-7.1.2-09; MPA-7.1.2-07: "MUST exit MPA, leaving the TCP
    // connection open"
    phase = accepted ? Phase.AGREED : Phase.DECLINED;
  }

  /**
   * Closes our half after everything to be sent. If MPA has ended, also starts the timeout for the
   * peer to close its half; no layer above does so.
   */
  public void closeSend() {
    if (stream == null) {
      abandoned = true;
    } else if (phase != Phase.OVER && !closing) {
      endSending();
    }
  }

  private void endSending() {
    closing = true;
    if (phase != Phase.AGREED && phase != Phase.AWAITING_FRAME) {
      stream.alarm(stream.now() + timeoutNanos);
    }
    if (negotiation.flush(stream)) { // MPA-7.1.4-03
      stream.closeSend();
    }
  }

  @Override
  public void onClosed(CloseReason reason) {
    phase = Phase.OVER;
    if (early != null) {
      early.clear();
    }
    MpaConnection.reportEnd(watcher, reason, errorReported);
  }

  private void processFrame(boolean octetsFollow) {
    StartupFrameReader reader = negotiation.reader();
    if (reader.fault() != null) {
      // MPA-7.1.2-04, MPA-7.1.2-15: "improperly formatted, the implementation MUST close the TCP
      // connection and exit MPA"; MPA-7.1.2-20, D03-8.1-07: "and an error returned to the ULP";
      // D03-8.1-04: "before starting to interpret the data received as FPDUs"; D03-9-01: "the TCP
      // connection MUST be immediately closed".
      fail(MpaError.STARTUP, reader.fault());
    } else if (reader.complete() && reader.incompatibility() != null) {
      refuse(reader.incompatibility()); // MPA-7.1.1-17, MPA-7.1.2-15
    } else if (reader.complete() && octetsFollow && negotiation.streaming()) {
      fail(MpaError.STARTUP, FOLLOWED + "the Private Data");
    } else if (reader.complete() && initiator && negotiation.streaming()) {
      negotiation.awaitStartKey();
      if (!closing) {
        negotiation.prepareStartKey(); // D03-8.1-03, D03-13.3-02
        negotiation.flush(stream);
      }
    } else if (reader.complete()) {
      stream.alarm(closing ? stream.now() + timeoutNanos : Long.MAX_VALUE);
      negotiation.conclude();
      conclude(octetsFollow);
    }
  }

  private void conclude(boolean octetsFollow) {
    StartupFrame frame = negotiation.peer();
    if (negotiation.fault() != null) {
      fail(MpaError.STARTUP, negotiation.fault());
    } else if (frame.rejected()) {
      phase = Phase.DECLINED;
      // MPA-7.1.2-17, MPA-7.1.4-04; MPA-7.1.2-16: "MUST exit MPA, leaving the TCP connection open"
      owner.onRejected(frame.privateData());
    } else if (octetsFollow) {
      // Neither side may send here: an Initiator waits for the Reply, a Responder for the first
      // FPDU.
      fail(MpaError.STARTUP, FOLLOWED + "the Private Data"); // MPA-7.1.1-21
    } else if (initiator) {
      phase = Phase.AGREED; // MPA-7.1.2-18, ANA-8.1-01
    } else if (!accepted) {
      phase = Phase.DECIDING;
      // MPA-7.1.1-22, D03-8.1-03; MPA-7.1.2-03: "MUST wait until an MPA Request Frame is received
      // and validated"
      owner.onRequest(this, frame.privateData());
    } else if (closing) {
      // Nothing can be sent after our FIN; the alarm ends the connection.
      phase = Phase.DECIDING;
    } else {
      // The user has already answered the Private Data message; this is the Start Key that follows
      // it.
      negotiation.prepareStartKey(); // D03-8.1-01, D03-13.3-02
      reply();
    }
  }

  /**
   * Answers a well-formed frame of another revision with our revision (appendices C.2.1 and C.2.2),
   * then closes gracefully, with a timeout.
   */
  private void refuse(String incompatibility) {
    phase = Phase.REFUSING; // MPAC-2.1-02, MPAC-2.2-01
    if (!initiator && !closing) {
      negotiation.prepareRefusal();
    }
    endSending();
    report(MpaError.STARTUP, incompatibility);
  }

  /** Reports an invalid or missing startup frame, and resets the connection at once (section 8). */
  private void fail(MpaError error, String detail) {
    phase = Phase.OVER;
    report(error, detail);
    stream.abort(); // MPA-7.1.3-02; MPA-8-10: "the TCP connection MUST be immediately closed"
  }

  private void report(MpaError error, String detail) {
    errorReported = true;
    watcher.onError(error, negotiation.expectedTitle() + ": " + detail); // MPA-7.1-10, MPA-8-02
  }

  /**
   * Transfers a startup, and its connection if both ends have agreed, with the octets that they
   * hold.
   *
   * @param written the startup; null if it is read
   * @param stream its connection of TCP, when read
   * @param owner is told what follows, when read
   * @param watcher is told if the connection fails or ends before, when read
   * @param user gets the connection, when read
   */
  public static MpaStartup transfer(
      Snapshot snapshot,
      MpaStartup written,
      TcpStream stream,
      StartupHandler owner,
      UlpduHandler watcher,
      UlpduHandler user) {
    boolean reads = snapshot.reads();
    snapshot.begin(MpaStartup.class);
    MpaSettings settings =
        snapshot.record(
            "settings", MpaSettings.class, reads ? null : written.negotiation.settings());
    boolean initiates = snapshot.flag("initiator", !reads && written.initiator);
    byte[] data = snapshot.octets("requestData", reads ? null : written.requestData);
    if (settings == null || data == null) {
      throw snapshot.wrong("the startup has no settings");
    }
    MpaStartup startup = written;
    if (reads) {
      try {
        startup = new MpaStartup(settings, initiates, data, owner, watcher, user);
      } catch (IllegalArgumentException e) {
        throw snapshot.wrong(e.getMessage());
      }
    }
    startup.transfer(snapshot, stream);
    snapshot.end();
    return startup;
  }

  private void transfer(Snapshot snapshot, TcpStream opened) {
    phase = snapshot.constant("phase", Phase.class, phase);
    timeoutNanos = snapshot.number("timeoutNanos", timeoutNanos);
    itself = snapshot.flag("itself", itself);
    accepted = snapshot.flag("accepted", accepted);
    closing = snapshot.flag("closing", closing);
    abandoned = snapshot.flag("abandoned", abandoned);
    errorReported = snapshot.flag("errorReported", errorReported);
    end = snapshot.number("end", end);
    negotiation.transfer(snapshot);
    if (!snapshot.flag("stream", stream != null)) {
      return;
    }
    if (snapshot.reads()) {
      stream = opened;
      early = new EarlySegments(opened.pool());
    }
    if (snapshot.flag("connection", connection != null)) {
      connection = MpaConnection.transfer(snapshot, connection, opened, user);
      early = connection.earlySegments();
    } else {
      early.transfer(snapshot);
    }
  }

  /** Is told what follows. */
  public StartupHandler owner() {
    return owner;
  }

  /** The handler of TCP's calls: this, or the connection that has taken its place. */
  public StreamHandler handler() {
    return connection == null ? this : connection;
  }

  /** The connection; null before both ends have agreed. */
  public MpaConnection connection() {
    return connection;
  }

  /** Releases every packet, without a word to the peer or the user: another engine goes on. */
  public void retire() {
    phase = Phase.OVER;
    if (connection != null) {
      connection.retire();
    } else if (early != null) {
      early.clear();
    }
  }
}
