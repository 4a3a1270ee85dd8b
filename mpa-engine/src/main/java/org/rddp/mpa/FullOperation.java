package org.rddp.mpa;

import org.rddp.crc.Crc32c;
import org.rddp.tcp.TcpStream;

/**
 * The Full Operation Phase of one end: sends FPDUs, receives FPDUs, and reports errors in received
 * ones (RFC 5044 sections 4 to 8).
 */
final class FullOperation {
  /** Time after which an incomplete FPDU ends the connection; it may take up to twice as long. */
  static final long FPDU_TIMEOUT_NANOS = 60_000_000_000L;

  private static final long NONE = -1;

  private final TcpStream stream;
  private final UlpduHandler handler;
  private final boolean initiator;
  private final boolean sendMarkers;

  /** Whether the first FPDU to be received is an RTR, for which a timeout runs. */
  private final boolean expectsRtr;

  private final MpaSender sender;
  private final MpaReceiver receiver;

  /** Null if ULPDUs are only passed in order. */
  private final EarlyFpdus early;

  /** Null if invalid FPDUs are reported at once. */
  private final SilentDrop silentDrop;

  /** MULPDU of a full segment. */
  private int fullMulpdu;

  /** Stream position of the incomplete FPDU that the alarm is set for, or {@link #NONE}. */
  private long unfinishedFpdu = NONE;

  /** An error has been reported: nothing more is passed. */
  private boolean failed;

  /**
   * Begins Full Operation.
   *
   * @param start stream position of the first octet after the peer's startup frame
   * @param settings for {@link MpaSettings#early()}, {@link MpaSettings#silentDrop()} and {@link
   *     MpaSettings#packing()}
   */
  FullOperation(
      TcpStream stream,
      UlpduHandler handler,
      Negotiated terms,
      boolean initiator,
      long start,
      MpaSettings settings) {
    Crc32c crc32c = Crc32c.ofThread();
    this.stream = stream;
    this.handler = handler;
    this.initiator = initiator;
    sendMarkers = terms.sendMarkers();
    expectsRtr = !initiator && !terms.rtr().isEmpty();
    sender = new MpaSender(stream, crc32c, sendMarkers, settings.packing());
    FpduReader reader = new FpduReader(crc32c, terms.crc(), terms.receiveMarkers(), start);
    receiver = new MpaReceiver(handler, stream.pool(), reader, stream::keeps);
    boolean markers = terms.receiveMarkers();
    early = settings.early() && markers ? new EarlyFpdus(handler, stream.pool(), reader) : null;
    silentDrop = settings.silentDrop() ? new SilentDrop(stream.pool(), reader, receiver) : null;
    fullMulpdu = Mulpdu.of(stream.emss(), sendMarkers);
  }

  /** Tells an observer of every FPDU from now on; null: nobody. */
  void observe(FpduObserver observer) {
    sender.observe(observer);
    receiver.observe(observer);
    if (early != null) {
      early.observe(observer);
    }
  }

  /** The largest ULPDU that may be sent now. */
  int largest() {
    return fullMulpdu;
  }

  /** MULPDU: that of an empty segment, or the room left in the segment being packed. */
  int mulpdu() {
    return sender.mulpdu(fullMulpdu);
  }

  /** EMSS has changed. */
  void emss(int octets) {
    int before = fullMulpdu;
    fullMulpdu = Mulpdu.of(octets, sendMarkers);
    if (fullMulpdu != before) {
      handler.onMulpdu(fullMulpdu);
    }
  }

  /** The negotiated parameters cannot be met: no ULPDU is passed, and the peer may be told why. */
  void refuse(MpaError error, String detail) {
    receiver.close();
    report(error, detail);
  }

  /**
   * Whether FPDUs may be sent: a Responder waits for the Initiator's first one (section 7.1.2 rule
   * 4).
   */
  boolean maySend() {
    return initiator || receiver.passed() > 0;
  }

  /** Whether a ULPDU of MULPDU octets would be sent now. */
  boolean sendable() {
    return maySend() && stream.sendable();
  }

  /** Touches the cache lines that a received segment needs: {@link MpaConnection#prefetch}. */
  int prefetch() {
    return (failed ? 1 : 0) + receiver.prefetch();
  }

  /** Touches the cache lines that {@link #send} needs: {@link MpaConnection#prefetchSending}. */
  int prefetchSending() {
    return fullMulpdu + (failed ? 1 : 0) + sender.prefetch() + (int) receiver.passed();
  }

  /** Sends a ULPDU, or nothing and returns false. */
  boolean send(long header, int headerLength, long payload, int payloadLength, boolean more) {
    return maySend() && sender.send(header, headerLength, payload, payloadLength, more);
  }

  /** Whether the peer must still wait for our first FPDU (section 7.1.2 rule 4). */
  boolean peerMustWait() {
    return initiator && !sender.begun() && !failed;
  }

  /** Whether the Initiator's RTR has not been received. */
  boolean missesRtr() {
    return expectsRtr && !maySend() && !failed;
  }

  /** Whether octets may be taken out of order. */
  boolean takesEarly() {
    return early != null;
  }

  /** Whether TCP may accept a segment. The peer does not send an accepted segment again. */
  boolean accepts(long position, long address, int length) {
    return silentDrop == null
        || receiver.stopped()
        || !silentDrop.drops(position, address, length, stream.receivePosition());
  }

  /** Takes octets received out of order. */
  void takeEarly(long position, long address, int length, long packet) {
    if (!receiver.stopped()) {
      early.take(position, address, length, packet);
    }
  }

  /** Takes the next octets in order. */
  void take(long address, int length, long packet) {
    boolean held = !maySend();
    receiver.onSegment(address, length, packet);
    taken(held);
  }

  /** A gap before octets received early has been filled. */
  void leftEdge(long edge) {
    boolean held = !maySend();
    early.handOver(edge, receiver);
    taken(held);
  }

  /**
   * Octets have been taken in order.
   *
   * @param held whether nothing could be sent before they were taken
   */
  private void taken(boolean held) {
    if (held && maySend() && !receiver.closed()) {
      handler.onSendable();
    }
    if (receiver.error() != null && !receiver.closed()) {
      report(receiver.error(), receiver.detail());
    }
    if (unfinishedFpdu == NONE) {
      startFpduTimeout();
    }
  }

  /**
   * Sets the alarm if an FPDU is incomplete: its octets hold packets that other connections need.
   */
  private void startFpduTimeout() {
    if (!failed && !receiver.closed() && !receiver.atBoundary() && !missesRtr()) {
      unfinishedFpdu = receiver.position();
      stream.alarm(stream.now() + FPDU_TIMEOUT_NANOS);
    }
  }

  /**
   * The alarm has expired: the FPDU that was incomplete when it was set must be complete by now.
   */
  void alarm() {
    long unfinished = unfinishedFpdu;
    unfinishedFpdu = NONE;
    if (unfinished == receiver.position() && !failed && !receiver.closed()) {
      String detail = "no more than " + receiver.remainder() + " in time";
      receiver.close();
      report(MpaError.CONNECTION_LOST, detail);
      stream.abort();
    } else {
      startFpduTimeout();
    }
  }

  /** The peer's FIN, after all octets have been taken. */
  void peerClosed() {
    if (failed) {
      return;
    }
    if (receiver.atBoundary()) {
      handler.onPeerClosed();
    } else {
      String detail = "the peer closed behind " + receiver.remainder();
      receiver.close();
      report(MpaError.CONNECTION_LOST, detail);
    }
  }

  /** The connection has ended: releases all packets. */
  void close() {
    receiver.close();
    forgetEarly();
  }

  private void forgetEarly() {
    if (early != null) {
      early.close();
    }
  }

  /** Whether an error has been reported. */
  boolean failed() {
    return failed;
  }

  private void report(MpaError error, String detail) {
    if (!failed) {
      failed = true;
      forgetEarly();
      handler.onError(error, detail);
    }
  }
}
