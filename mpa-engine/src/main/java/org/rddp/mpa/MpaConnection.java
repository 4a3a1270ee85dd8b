package org.rddp.mpa;

import org.rddp.crc.Crc32c;
import org.rddp.mpa.StartupFrame.Kind;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.SentOctets;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;
import org.rddp.tcp.storage.EarlySegments;

/**
 * One end of an MPA connection in the Full Operation Phase: sends FPDUs, receives FPDUs, and
 * reports errors in received ones (RFC 5044 sections 4 to 8). {@link MpaStartup} creates it.
 *
 * <p>TCP calls it as the connection's {@link StreamHandler}; it calls its user through an {@link
 * UlpduHandler}. Engine thread only.
 */
public final class MpaConnection implements StreamHandler {
  /** Time after which an incomplete FPDU ends the connection; it may take up to twice as long. */
  static final long FPDU_TIMEOUT_NANOS = 60_000_000_000L;

  private static final long NONE = -1;

  private final TcpStream stream;
  private final UlpduHandler handler;
  private final boolean initiator;
  private final Negotiated negotiated;
  private final MpaSettings settings;
  private final long start;

  /** Whether the first FPDU to be received is an RTR, for which a timeout runs. */
  private final boolean expectsRtr;

  private final MpaSender sender;
  private final MpaReceiver receiver;

  /** Null if ULPDUs are only passed in order. */
  private final EarlyFpdus early;

  /** Segments received out of order that can only be used in order. */
  private final EarlySegments earlySegments;

  /** Null if invalid FPDUs are reported at once. */
  private final SilentDrop silentDrop;

  /** MULPDU of a full segment. */
  private int fullMulpdu;

  /** Stream position of the incomplete FPDU that the alarm is set for, or {@link #NONE}. */
  private long unfinishedFpdu = NONE;

  /** Whether an error has been reported; then nothing more is passed. */
  private boolean failed;

  /** Whether the receive window is kept from opening, and the octets withheld from it so far. */
  private boolean windowHeld;

  private int withheldOctets;
  private boolean sendClosed;
  private boolean closed;

  /**
   * Creates a connection whose ends have agreed.
   *
   * @param start stream position of the first octet after the peer's startup frame
   * @param earlySegments segments behind it that were received out of order
   */
  MpaConnection(
      TcpStream stream,
      UlpduHandler handler,
      Negotiated negotiated,
      boolean initiator,
      long start,
      MpaSettings settings,
      EarlySegments earlySegments) {
    Crc32c crc32c = Crc32c.ofThread();
    this.stream = stream;
    this.handler = handler;
    this.initiator = initiator;
    this.negotiated = negotiated;
    this.settings = settings;
    this.start = start;
    this.earlySegments = earlySegments;
    expectsRtr = !initiator && !negotiated.rtr().isEmpty();
    boolean markers = negotiated.receiveMarkers();
    // MPA-4.4-08; MPA-4.4-07: "The process MUST be invisible to the ULP"
    boolean crc = negotiated.crc();
    sender = new MpaSender(stream, crc32c, crc, negotiated.sendMarkers(), settings.packing());
    FpduReader reader = new FpduReader(crc32c, crc, markers, start);
    receiver = new MpaReceiver(handler, stream.pool(), reader, stream::keeps);
    // MPAA-5-01, D03-5.1.2-06
    early = settings.early() && markers ? new EarlyFpdus(handler, stream.pool(), reader) : null;
    silentDrop = settings.silentDrop() ? new SilentDrop(stream.pool(), reader, receiver) : null;
    // MPA-1.2-04, MPA-5.1-01, MPA-5.1-02, MPAA-1-03
    fullMulpdu = Mulpdu.of(stream.emss(), negotiated.sendMarkers());
  }

  /**
   * Begins: the connection is TCP's handler now.
   *
   * @param closing whether our half has been closed before
   * @param mismatch the part of the Reply that we cannot meet; null for none
   * @param detail describes the mismatch, for people to read
   */
  void begin(boolean closing, MpaError mismatch, String detail) {
    if (closed) {
      return;
    }
    sendClosed = closing;
    failed = mismatch != null;
    if (expectsRtr) {
      stream.alarm(stream.now() + settings.startupTimeoutNanos());
    }
    handler.onFullOperation(this);
    if (mismatch != null && !closed) {
      receiver.close();
      forgetEarly();
      handler.onError(mismatch, detail);
    } else if (early != null) {
      earlySegments.handUp(Long.MAX_VALUE, this);
    }
  }

  /**
   * MULPDU: the largest ULPDU, in octets, that fits one segment, 128 to 64768 (RFC 5044 section
   * 4.5). {@link UlpduHandler#onMulpdu} reports changes during Full Operation.
   *
   * <p>With {@link MpaSettings#packing()}, while the segment being packed has room for 128 octets
   * or more, it is the ULPDU that fills the rest of that segment. This value changes with every
   * {@link #send}, and {@link UlpduHandler#onMulpdu} does not report it. A larger ULPDU, up to
   * {@link #fullMulpdu()}, is accepted as well and begins a new segment.
   *
   * <p>It also varies by a few octets where Markers are sent and the device takes trains.
   */
  public int mulpdu() {
    // DDP-3-01: "LLPs MUST expose MULPDU and MULPDU changes"; MPA-3-02: "MUST provide information
    // to DDP on the current maximum size"
    return sender.mulpdu(fullMulpdu());
  }

  /** MULPDU of an empty segment, regardless of the room left in the segment being packed. */
  public int fullMulpdu() {
    return sender.fullMulpdu(fullMulpdu);
  }

  /**
   * Whether a ULPDU of MULPDU octets would be sent now. {@link UlpduHandler#onSendable()} follows
   * when this changes from false to true.
   */
  public boolean sendable() {
    return !closed && !sendClosed && maySend() && stream.sendable();
  }

  /**
   * Whether a ULPDU of {@link #fullMulpdu()} octets would leave together with the last one, so that
   * it costs TCP and the device little.
   */
  public boolean joinsLast() {
    return sender.joinsLast();
  }

  /**
   * Touches the cache lines that {@link #send} needs; the result only keeps the JIT from removing
   * the loads.
   */
  public int prefetchSending() {
    return fullMulpdu + (failed ? 1 : 0) + sender.prefetch() + (int) receiver.passed();
  }

  /**
   * Sends one ULPDU as one FPDU, which is never split over two segments. With {@link
   * MpaSettings#packing()} it may share its segment with other FPDUs of the same turn of the duty
   * cycle, and leaves at the end of that turn at the latest. The octets are copied before this
   * returns.
   *
   * @param header address of the first part
   * @param headerLength octets of the first part, 0 or more
   * @param payload address of the second part
   * @param payloadLength octets of the second part, 0 or more; both parts together are 1 to {@link
   *     #fullMulpdu()} octets
   * @return false if nothing was sent: no packet is available or FPDUs may not be sent yet, and
   *     {@link UlpduHandler#onSendable()} follows; or the connection has ended
   * @throws IllegalArgumentException if the ULPDU is empty or larger than MULPDU
   * @throws IllegalStateException after {@link #closeSend()}
   */
  public boolean send(long header, int headerLength, long payload, int payloadLength) {
    return send(header, headerLength, payload, payloadLength, true);
  }

  /**
   * Sends one ULPDU as {@link #send(long, int, long, int)} does.
   *
   * @param more whether other ULPDUs may follow in the same turn of the duty cycle: with {@link
   *     MpaSettings#packing()} they share the segment; if false, the segment leaves at once
   */
  public boolean send(
      long header, int headerLength, long payload, int payloadLength, boolean more) {
    long length = (long) headerLength + payloadLength;
    // MPA-3-07; MPA-3-05: "MUST NOT post a ULPDU larger than 64768 octets"
    if (length < 1 || length > Math.max(fullMulpdu, fullMulpdu())) {
      throw new IllegalArgumentException("ULPDU of " + length + " octets, MULPDU is " + fullMulpdu);
    }
    if (sendClosed) {
      throw new IllegalStateException("This half has been closed");
    }
    // MPA-7.1.2-12: "sending FPDUs before this occurs is not possible"; RDMAP-6.1-01: "MUST send
    // only RDMA Messages"
    return !closed && maySend() && sender.send(header, headerLength, payload, payloadLength, more);
  }

  /** Closes our half of the connection after everything sent. Receiving continues. */
  public void closeSend() {
    if (!closed && !sendClosed) {
      sendClosed = true;
      stream.closeSend(); // MPA-7.2-01: "when DDP closes the corresponding TCP half connection"
    }
  }

  /** Ends the connection with a reset; {@link UlpduHandler#onClosed} follows. */
  public void abort() {
    if (!closed) {
      stream.abort();
    }
  }

  /** The parameters that both startup frames have settled. */
  public Negotiated negotiated() {
    return negotiated;
  }

  /** Whether this end is the Initiator. */
  public boolean initiator() {
    return initiator;
  }

  /**
   * Whether an error has been reported, or follows {@link UlpduHandler#onFullOperation} because we
   * cannot meet the settled parameters: ULPDUs then serve only to report that to the peer (RFC 6581
   * section 8).
   */
  public boolean failed() {
    return failed;
  }

  /**
   * Responder: whether it may not send before the Initiator's first FPDU (section 7.1.2 rule 4).
   */
  public boolean awaitsFirstFpdu() {
    return !closed && !maySend();
  }

  private boolean maySend() {
    // P2P-9.2-05; MPA-7.1.2-19, D03-8.1-06: "MUST receive and validate at least one FPDU before
    // sending any FPDUs"
    return initiator || receiver.passed() > 0;
  }

  /** Whether the peer must still wait for our first FPDU (section 7.1.2 rule 4). */
  private boolean peerMustWait() {
    return initiator && !sender.begun() && !failed;
  }

  /** Whether the Initiator's RTR has not been received. */
  private boolean missesRtr() {
    return expectsRtr && !maySend() && !failed;
  }

  @Override
  public int prefetch() {
    return (failed ? 1 : 0) + receiver.prefetch();
  }

  /**
   * {@inheritDoc} With {@link MpaSettings#silentDrop()} a segment with an invalid FPDU is refused.
   */
  @Override
  public boolean accepts(long position, long address, int length) {
    return silentDrop == null
        || receiver.stopped()
        || !silentDrop.drops(position, address, length, stream.receivePosition()); // MPA-8-12
  }

  @Override
  public boolean keepsNoMore(int length, long packet) {
    return receiver.keepsNoMore(length, packet);
  }

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    if (position <= stream.receivePosition()) {
      take(address, length, packet);
      openWindow(length);
    } else if (failed) {
      openWindow(length);
    } else if (early == null) {
      earlySegments.hold(position, address, length, packet); // MPAA-5-01
    } else {
      takeEarly(position, address, length, packet);
    }
  }

  /** Takes octets received in order. */
  private void take(long address, int length, long packet) {
    if (peerMustWait()) {
      failForEarlyFpdu();
      return;
    }
    boolean held = !maySend();
    receiver.onSegment(address, length, packet);
    taken(held);
  }

  private void takeEarly(long position, long address, int length, long packet) {
    if (peerMustWait()) {
      failForEarlyFpdu();
      return;
    }
    if (!receiver.stopped()) {
      early.take(position, address, length, packet); // MPAA-3-01, D03-5.1.2-01
    }
    openWindow(length);
  }

  @Override
  public void onLeftEdge(long edge) {
    earlySegments.handUp(edge, this);
    if (early != null && !closed) {
      boolean held = !maySend();
      early.handOver(edge, receiver);
      taken(held);
    }
  }

  /**
   * Continues after octets have been taken in order.
   *
   * @param held whether nothing could be sent before they were taken
   */
  private void taken(boolean held) {
    if (held && maySend() && !receiver.closed()) {
      handler.onSendable();
    }
    if (receiver.error() != null && !receiver.closed()) {
      // MPA-8-15; MPA-8-01: "The following errors MUST be detected by MPA"; MPA-8-14: "MUST NOT
      // close the TCP connection following a reported error"
      report(receiver.error(), receiver.detail());
    }
    if (unfinishedFpdu == NONE) {
      startFpduTimeout();
    }
  }

  /**
   * Sets the alarm if an FPDU is incomplete: its octets pin packets that other connections need.
   */
  private void startFpduTimeout() {
    if (!failed && !receiver.closed() && !receiver.atBoundary() && !missesRtr()) {
      unfinishedFpdu = receiver.position();
      stream.alarm(stream.now() + FPDU_TIMEOUT_NANOS); // MPA-7.1.2-28
    }
  }

  /** Opens the receive window by octets that have been taken, unless it is held. */
  void openWindow(int length) {
    if (windowHeld) {
      withheldOctets += length;
    } else if (!closed) {
      stream.consumed(length);
    }
  }

  /**
   * Keeps TCP's receive window from opening for octets taken from now on, so that the peer stops
   * sending when the window is full. For a user that keeps received octets for a while.
   *
   * @param held true to withhold; false opens the window by everything withheld so far
   */
  public void holdWindow(boolean held) {
    windowHeld = held;
    int octets = withheldOctets;
    if (!held && octets > 0) {
      withheldOctets = 0;
      openWindow(octets);
    }
  }

  @Override
  public void onSendable() {
    if (maySend() && !closed) {
      handler.onSendable();
    }
  }

  @Override
  public void onAcknowledged() {
    handler.onFpdusAcknowledged();
  }

  /** Counts what TCP sends from now on: {@link TcpStream#countTo}. */
  public void countTo(SentOctets counter) {
    stream.countTo(counter);
  }

  /** Stream position behind the last FPDU sent. */
  public long sendPosition() {
    return stream.sendPosition();
  }

  /**
   * Stream position before which the peer has acknowledged every octet; also after the end of the
   * connection.
   */
  public long acknowledged() {
    return stream.sendPosition() - stream.unacknowledged();
  }

  /**
   * Has {@link UlpduHandler#onFpdusAcknowledged()} called, once, when the peer's next segment
   * comes.
   */
  public void awaitAcknowledgment() {
    stream.awaitAcknowledgment();
  }

  @Override
  public void onEmss(int emss) {
    int before = fullMulpdu;
    fullMulpdu = Mulpdu.of(emss, negotiated.sendMarkers()); // MPA-4.5-06, MPAA-5.2-05, D03-5.1.1-01
    if (fullMulpdu != before) {
      handler.onMulpdu(fullMulpdu);
    }
  }

  /**
   * Ends the connection if the RTR has not come, or the FPDU for which the alarm was set is still
   * incomplete.
   */
  @Override
  public void onAlarm(long now) {
    long unfinished = unfinishedFpdu;
    unfinishedFpdu = NONE;
    if (closed) {
      return;
    }
    if (missesRtr()) {
      long millis = settings.startupTimeoutNanos() / 1_000_000;
      // P2P-9.2-08
      fail(MpaError.STARTUP, "RTR is missing: no FPDU within " + millis + " ms of the MPA Reply");
    } else if (unfinished == receiver.position() && !failed && !receiver.closed()) {
      // MPA-7.1.2-28
      fail(MpaError.CONNECTION_LOST, "no more than " + receiver.remainder() + " in time");
    } else {
      startFpduTimeout();
    }
  }

  /**
   * Fails because the peer has sent an FPDU although it must wait for ours (section 7.1.2 rule 4).
   */
  private void failForEarlyFpdu() {
    Kind frame = settings.startKey() ? Kind.START_KEY : Kind.REPLY;
    String detail = frame.title() + ": " + MpaStartup.FOLLOWED + "the Reply before any FPDU";
    // MPA-7.1.1-21: "MUST close the connection and report an error locally"
    fail(MpaError.STARTUP, detail);
  }

  /** Reports an error and resets the connection, without a message to the peer. */
  private void fail(MpaError error, String detail) {
    receiver.close();
    report(error, detail);
    stream.abort();
  }

  /** Handles the peer's FIN, after all octets have been taken. */
  @Override
  public void onPeerClosed() {
    if (failed) {
      return;
    }
    if (receiver.atBoundary()) {
      // MPA-3-13, MPA-7.2-02: "made aware that a graceful close of the TCP connection has been
      // received by the TCP"; DDP-3-10, DDP-3-11: "has been gracefully torn down"; D03-5.1-01:
      // "MUST inform MPA when the TCP connection is closed or has begun closing the connection"
      handler.onPeerClosed();
    } else {
      String detail = "the peer closed behind " + receiver.remainder();
      receiver.close();
      // ANA-8.2.1-05, ANA-8.2.1-06; MPA-8-03: "TCP connection closed, terminated, or lost"
      report(MpaError.CONNECTION_LOST, detail);
    }
  }

  @Override
  public void onClosed(CloseReason reason) {
    closed = true;
    earlySegments.clear();
    receiver.close();
    forgetEarly();
    reportEnd(handler, reason, failed);
  }

  /**
   * Reports the end of TCP to a user.
   *
   * @param errorKnown whether an error has been reported that explains it
   */
  static void reportEnd(UlpduHandler user, CloseReason reason, boolean errorKnown) {
    boolean lost = reason != CloseReason.NORMAL && reason != CloseReason.ABORTED;
    if (lost && !errorKnown) {
      String text =
          reason == CloseReason.RESET
              ? "the peer reset the TCP connection: its program has ended or aborted it"
              : "TCP connection lost: " + reason;
      user.onError(MpaError.CONNECTION_LOST, text); // MPA-8-03
    }
    user.onClosed(reason);
  }

  private void report(MpaError error, String detail) {
    if (!failed) {
      failed = true;
      forgetEarly();
      handler.onError(error, detail);
    }
  }

  private void forgetEarly() {
    if (early != null) {
      early.close();
    }
  }

  /** Sets the observer of the FPDUs from now on; null for none. */
  public void observe(FpduObserver observer) {
    sender.observe(observer);
    receiver.observe(observer);
    if (early != null) {
      early.observe(observer);
    }
  }

  /**
   * Transfers a connection with the octets that it holds.
   *
   * @param written the connection; null if it is read
   * @param stream its connection of TCP, when read
   * @param user its user, when read
   */
  public static MpaConnection transfer(
      Snapshot snapshot, MpaConnection written, TcpStream stream, UlpduHandler user) {
    boolean reads = snapshot.reads();
    snapshot.begin(MpaConnection.class);
    Negotiated agreed =
        snapshot.record("negotiated", Negotiated.class, reads ? null : written.negotiated);
    MpaSettings chosen =
        snapshot.record("settings", MpaSettings.class, reads ? null : written.settings);
    boolean initiates = snapshot.flag("initiator", !reads && written.initiator);
    long start = snapshot.number("start", reads ? 0 : written.start);
    if (agreed == null || chosen == null) {
      throw snapshot.wrong("the connection has no settings");
    }
    MpaConnection connection = written;
    if (reads) {
      EarlySegments none = new EarlySegments(stream.pool());
      connection = new MpaConnection(stream, user, agreed, initiates, start, chosen, none);
    }
    connection.transfer(snapshot);
    snapshot.end();
    return connection;
  }

  private void transfer(Snapshot snapshot) {
    fullMulpdu = snapshot.number("fullMulpdu", fullMulpdu);
    unfinishedFpdu = snapshot.number("unfinishedFpdu", unfinishedFpdu);
    failed = snapshot.flag("failed", failed);
    windowHeld = snapshot.flag("windowHeld", windowHeld);
    withheldOctets = snapshot.number("withheldOctets", withheldOctets);
    sendClosed = snapshot.flag("sendClosed", sendClosed);
    closed = snapshot.flag("closed", closed);
    sender.transfer(snapshot);
    receiver.transfer(snapshot);
    earlySegments.transfer(snapshot);
    if (early != null) {
      early.transfer(snapshot);
    }
    if (silentDrop != null) {
      silentDrop.transfer(snapshot);
    }
  }

  /** Releases every packet, without a word to the peer or the user: another engine goes on. */
  public void retire() {
    closed = true;
    earlySegments.clear();
    receiver.close();
    forgetEarly();
  }

  /** Segments received out of order that can only be used in order. */
  EarlySegments earlySegments() {
    return earlySegments;
  }
}
