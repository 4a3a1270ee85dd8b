package org.rddp.mpa;

import org.rddp.crc.Crc32c;
import org.rddp.tcp.TcpStream;

/**
 * The Full Operation Phase of one end: FPDUs out, FPDUs in, and what is wrong with those that come
 * in (RFC 5044 sections 4 to 8).
 */
final class FullOperation {
  /** An FPDU that has begun is given up after so long, at the latest after twice as long. */
  static final long FPDU_TIMEOUT_NANOS = 60_000_000_000L;

  private static final long NONE = -1;

  private final TcpStream stream;
  private final UlpduHandler handler;
  private final boolean initiator;
  private final boolean sendMarkers;

  /** Whether the first FPDU that comes is an RTR, which has its time. */
  private final boolean expectsRtr;

  private final MpaSender sender;
  private final MpaReceiver receiver;

  /** Null when ULPDUs are passed in order only. */
  private final EarlyFpdus early;

  /** Null when what is wrong is reported at once. */
  private final SilentDrop silentDrop;

  /** MULPDU of a full segment. */
  private int fullMulpdu;

  /** Position of the unfinished FPDU that the alarm is set for, or {@link #NONE}. */
  private long unfinishedFpdu = NONE;

  /** An error has been reported: nothing more is passed. */
  private boolean failed;

  /**
   * The beginning of Full Operation.
   *
   * @param start stream position of the first octet behind the peer's startup frame
   * @param settings whether the user wants ULPDUs before their turn, where Markers lead to them,
   *     and FPDUs to share segments
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
    expectsRtr = !initiator && terms.rtr() != null;
    sender = new MpaSender(stream, crc32c, sendMarkers, settings.packing());
    FpduReader reader = new FpduReader(crc32c, terms.crc(), terms.receiveMarkers(), start);
    receiver = new MpaReceiver(handler, stream.pool(), reader);
    boolean markers = terms.receiveMarkers();
    early = settings.early() && markers ? new EarlyFpdus(handler, stream.pool(), reader) : null;
    silentDrop = settings.silentDrop() ? new SilentDrop(stream.pool(), reader, receiver) : null;
    fullMulpdu = Mulpdu.of(stream.emss(), sendMarkers);
  }

  /** The largest ULPDU that may be sent now. */
  int largest() {
    return fullMulpdu;
  }

  /** MULPDU: that of a full segment, or what the segment being packed has room for. */
  int mulpdu() {
    return sender.mulpdu(fullMulpdu);
  }

  /** EMSS is another now. */
  void emss(int octets) {
    int before = fullMulpdu;
    fullMulpdu = Mulpdu.of(octets, sendMarkers);
    if (fullMulpdu != before) {
      handler.onMulpdu(fullMulpdu);
    }
  }

  /** What was settled cannot be done: nothing is passed, and the peer may be told why. */
  void refuse(MpaError error, String detail) {
    receiver.close();
    report(error, detail);
  }

  /** Whether FPDUs may go out: a Responder waits for the first one (section 7.1.2 rule 4). */
  boolean maySend() {
    return initiator || receiver.passed() > 0;
  }

  /** Whether a ULPDU of MULPDU octets would leave now. */
  boolean sendable() {
    return maySend() && stream.sendable();
  }

  /** Sends a ULPDU, or nothing and returns false. */
  boolean send(long header, int headerLength, long payload, int payloadLength, boolean more) {
    return maySend() && sender.send(header, headerLength, payload, payloadLength, more);
  }

  /** Whether the peer still has to wait for our first FPDU, by the same rule. */
  boolean peerMustWait() {
    return initiator && !sender.begun() && !failed;
  }

  /** Whether the Initiator's RTR has not come. */
  boolean missesRtr() {
    return expectsRtr && !maySend() && !failed;
  }

  /** Whether octets may be taken before their turn. */
  boolean takesEarly() {
    return early != null;
  }

  /** Whether TCP may take a segment; what it takes it cannot ask for again. */
  boolean accepts(long position, long address, int length) {
    return silentDrop == null
        || receiver.stopped()
        || !silentDrop.drops(position, address, length, stream.receivePosition());
  }

  /** Takes octets before their turn, where that is possible. */
  void takeEarly(long position, long address, int length, long packet) {
    if (!receiver.stopped()) {
      early.take(position, address, length, packet);
    }
  }

  /** Takes the octets that follow. */
  void take(long address, int length, long packet) {
    boolean held = !maySend();
    receiver.onSegment(address, length, packet);
    taken(held);
  }

  /** A gap before early octets is closed. */
  void leftEdge(long edge) {
    boolean held = !maySend();
    early.handOver(edge, receiver);
    taken(held);
  }

  /**
   * Octets have been taken in their turn.
   *
   * @param held whether nothing could be sent before
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

  /** Sets the alarm if an FPDU has begun: what is there of it keeps packets from others. */
  private void startFpduTimeout() {
    if (!failed && !receiver.closed() && !receiver.atBoundary() && !missesRtr()) {
      unfinishedFpdu = receiver.position();
      stream.alarm(stream.now() + FPDU_TIMEOUT_NANOS);
    }
  }

  /** The alarm has come: the FPDU that was unfinished then must be complete by now. */
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

  /** The peer's FIN, behind everything that was taken. */
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

  /** The connection is gone: gives back what is kept. */
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
