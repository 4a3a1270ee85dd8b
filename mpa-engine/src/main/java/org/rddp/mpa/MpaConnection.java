package org.rddp.mpa;

import java.util.Objects;
import java.util.Set;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;
import org.rddp.tcp.storage.EarlySegments;

/**
 * One end of an MPA connection over a TCP connection, from the Startup Phase through Full Operation
 * to the close (RFC 5044 section 7).
 *
 * <p>TCP calls it as the connection's {@link StreamHandler}; it calls its user through an {@link
 * UlpduHandler}. Engine thread only.
 */
public final class MpaConnection implements StreamHandler {
  private static final byte[] NONE = {};

  private final UlpduHandler handler;
  private final boolean initiator;
  private final MpaSettings settings;
  private final Startup startup;

  /** Null before TCP is established. */
  private TcpStream stream;

  /**
   * Segments received out of order that can only be used in order; null before TCP is established.
   */
  private EarlySegments earlySegments;

  /** Null before Full Operation. */
  private FullOperation operation;

  /** Null while the connection is not traced. */
  private FpduObserver observer;

  /** Whether the receive window is kept from opening, and the octets withheld from it so far. */
  private boolean windowHeld;

  private int withheldOctets;
  private boolean abandoned;
  private boolean sendClosed;
  private boolean closed;

  private MpaConnection(
      MpaSettings settings, boolean initiator, byte[] requestData, UlpduHandler handler) {
    this.handler = Objects.requireNonNull(handler, "no user is bound to the connection");
    this.initiator = initiator;
    this.settings = settings;
    startup = new Startup(settings, initiator, requestData, handler);
  }

  /**
   * Creates an Initiator. It sends the MPA Request as soon as TCP is established.
   *
   * @param privateData the Request's, 0 to 512 octets; 508 if revision 2 is proposed
   * @throws IllegalArgumentException if there are more
   */
  public static MpaConnection initiator(
      MpaSettings settings, byte[] privateData, UlpduHandler handler) {
    return new MpaConnection(settings, true, privateData, handler);
  }

  /** Creates a Responder. It waits for the MPA Request and answers it. */
  public static MpaConnection responder(MpaSettings settings, UlpduHandler handler) {
    return new MpaConnection(settings, false, NONE, handler);
  }

  /**
   * The most octets of Private Data that {@link #accept} and {@link #reject} take, once the Request
   * has come: 512, or 508 if it is an enhanced one.
   */
  public int maxPrivateData() {
    return startup.maxPrivateData();
  }

  /**
   * Responder: chooses IRD for this connection, before {@link #accept}. Does nothing if no Request
   * waits for an answer.
   *
   * @param ird RDMA Reads of the peer that are served at a time, 0 to 16382
   */
  public void chooseIrd(int ird) {
    startup.choose(settings -> settings.withIrd(ird));
  }

  /**
   * Responder: chooses ORD for this connection, before {@link #accept}. It holds also towards a
   * peer that does not say how many Reads it serves: the user knows that by other means. Does
   * nothing if no Request waits for an answer.
   *
   * @param ord RDMA Reads of our own that may be outstanding at a time, 0 to 16382
   */
  public void chooseOrd(int ord) {
    startup.choose(settings -> settings.withOrd(ord).withUnnegotiatedOrd(MpaSettings.DEEPEST));
  }

  /**
   * Responder: answers the Request with a Reply that accepts. Full Operation begins, with {@link
   * UlpduHandler#onFullOperation}, when the Reply has been sent, usually within this call. Does
   * nothing if the connection has already failed.
   *
   * @param privateData the Reply's, 0 to 512 octets; 508 to an enhanced Request of revision 2
   * @throws IllegalArgumentException if there are more
   * @throws IllegalStateException if no Request waits for an answer
   */
  public void accept(byte[] privateData) {
    startup.reply(true, privateData);
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
    startup.reply(false, privateData);
  }

  /**
   * MULPDU: the largest ULPDU, in octets, that fits one segment, 128 to 64768 (RFC 5044 section
   * 4.5). {@link UlpduHandler#onMulpdu} reports changes during Full Operation.
   *
   * <p>With {@link MpaSettings#packing()}, while the segment being packed has room for 128 octets
   * or more, it is the ULPDU that fills the rest of that segment. This value changes with every
   * {@link #send}, and {@link UlpduHandler#onMulpdu} does not report it. A larger ULPDU, up to
   * {@link #fullMulpdu()}, is accepted as well and begins a new segment.
   */
  public int mulpdu() {
    if (operation != null) {
      return operation.mulpdu();
    }
    return stream == null ? Mulpdu.MIN : Mulpdu.of(stream.emss(), false);
  }

  /** MULPDU of an empty segment, regardless of the room left in the segment being packed. */
  public int fullMulpdu() {
    return operation == null ? mulpdu() : operation.largest();
  }

  /**
   * Whether a ULPDU of MULPDU octets would be sent now. {@link UlpduHandler#onSendable()} follows
   * when this changes from false to true.
   */
  public boolean sendable() {
    return operation != null && !startup.over() && !sendClosed && operation.sendable();
  }

  /**
   * Touches the cache lines that {@link #send} needs; the result only keeps the JIT from removing
   * the loads.
   */
  public int prefetchSending() {
    return operation == null ? 0 : operation.prefetchSending();
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
    int largest = fullMulpdu();
    if (length < 1 || length > largest) {
      throw new IllegalArgumentException("ULPDU of " + length + " octets, MULPDU is " + largest);
    }
    if (sendClosed) {
      throw new IllegalStateException("This half has been closed");
    }
    return operation != null
        && !startup.over()
        && operation.send(header, headerLength, payload, payloadLength, more);
  }

  /**
   * Closes our half of the connection after everything sent. Receiving goes on; if either end has
   * rejected, for at most the startup timeout.
   */
  public void closeSend() {
    if (stream == null) {
      abandoned = true;
    } else if (!startup.over() && !sendClosed) {
      sendClosed = true;
      startup.closeSend();
    }
  }

  /** Ends the connection with a reset; {@link UlpduHandler#onClosed} follows. */
  public void abort() {
    if (stream == null) {
      abandoned = true;
    } else if (!startup.over()) {
      stream.abort();
    }
  }

  /**
   * The version that DDP and RDMAP put into their headers (RFC 5044 section 3), once the peer's
   * startup frame has come.
   */
  public int version() {
    return startup.settled().version();
  }

  /** The MPA revision in the peer's startup frame, once it has come; 0 before. */
  public int revision() {
    return startup.settled() == null ? 0 : startup.settled().revision();
  }

  /**
   * IRD and ORD: the peer's, and those in use. Before the peer's startup frame has come, those
   * towards a peer that does not say its own.
   */
  public Depths depths() {
    return startup.settled() == null ? Depths.unknown(settings) : startup.settled().depths();
  }

  /** What both startup frames have settled; null before the peer's has come. */
  public Negotiated negotiated() {
    return startup.settled();
  }

  /** RDMA Reads of the peer to be served at a time, once the peer's startup frame has come. */
  public int ird() {
    return depths().ird();
  }

  /**
   * RDMA Reads of our own that may be outstanding at a time, once the peer's startup frame has
   * come.
   */
  public int ord() {
    return depths().ord();
  }

  /**
   * Initiator: the message that its user sends before anything else; Responder: the messages of
   * which its user expects one as the first. Empty if the first FPDU may be anything, and before
   * the peer's startup frame has come.
   */
  public Set<Rtr> rtr() {
    return startup.settled() == null ? Set.of() : startup.settled().rtr();
  }

  /**
   * Whether Full Operation has begun. It has also begun when {@link UlpduHandler#onError} replaces
   * {@link UlpduHandler#onFullOperation} because the negotiated parameters cannot be met: a ULPDU
   * can then tell the peer so.
   */
  public boolean operating() {
    return operation != null && !closed;
  }

  /**
   * Whether MPA is closing the connection gracefully because it does not support the peer's
   * revision. {@link #closeSend()} lets the peer still read the answer; {@link #abort()} would not.
   */
  public boolean refusing() {
    return startup.refusing();
  }

  /**
   * Initiator: whether an enhanced Request of revision 2 has been sent and no octet of the Reply
   * has come. If the peer has then closed or reset the connection, it may know revision 1 only (RFC
   * 6581 section 10).
   */
  public boolean requestUnanswered() {
    return startup.requestUnanswered();
  }

  /** Whether CRCs are generated and checked, once the peer's startup frame has come. */
  public boolean crc() {
    return startup.settled().crc();
  }

  @Override
  public void onOpen(TcpStream opened) {
    stream = opened;
    earlySegments = new EarlySegments(opened.pool());
    if (abandoned) {
      stream.abort();
    } else {
      startup.open(stream);
    }
  }

  @Override
  public int prefetch() {
    return operation == null ? 0 : operation.prefetch();
  }

  /**
   * {@inheritDoc} With {@link MpaSettings#silentDrop()} a segment with an invalid FPDU is refused.
   */
  @Override
  public boolean accepts(long position, long address, int length) {
    return operation == null || operation.accepts(position, address, length);
  }

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    if (position <= stream.receivePosition()) {
      take(position, address, length, packet);
    } else if (operation != null && operation.failed()) {
      openWindow(length);
    } else if (operation == null || !operation.takesEarly()) {
      earlySegments.hold(position, address, length, packet);
    } else if (operation.peerMustWait()) {
      startup.failForEarlyFpdu();
    } else {
      operation.takeEarly(position, address, length, packet);
      openWindow(length);
    }
  }

  @Override
  public void onLeftEdge(long edge) {
    earlySegments.handUp(edge, this);
    if (operation != null && operation.takesEarly() && !closed) {
      operation.leftEdge(edge);
    }
  }

  /** Takes octets received in order. */
  private void take(long position, long address, int length, long packet) {
    if (operation == null) {
      startup.take(position, address, length);
      proceed();
    } else if (operation.peerMustWait()) {
      startup.failForEarlyFpdu();
    } else {
      operation.take(address, length, packet);
    }
    openWindow(length);
  }

  private void openWindow(int length) {
    if (windowHeld) {
      withheldOctets += length;
    } else if (!closed) {
      stream.consumed(length);
    }
  }

  /**
   * Keeps TCP's receive window from opening for octets taken from now on. For a user that keeps
   * what it receives for a while: the peer stops sending when the window is full.
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

  /**
   * Responder: whether it may not send before the Initiator's first FPDU (section 7.1.2 rule 4).
   */
  public boolean awaitsFirstFpdu() {
    return operation != null && !closed && !operation.maySend();
  }

  @Override
  public void onSendable() {
    startup.sendable();
    proceed();
    if (operation != null && operation.maySend() && !closed) {
      handler.onSendable();
    }
  }

  @Override
  public void onEmss(int emss) {
    if (operation != null) {
      operation.emss(emss);
    }
  }

  @Override
  public void onAlarm(long now) {
    startup.alarm();
    if (operation != null && !closed) {
      if (operation.missesRtr()) {
        startup.failForMissingRtr();
      } else {
        operation.alarm();
      }
    }
  }

  @Override
  public void onPeerClosed() {
    if (operation == null) {
      startup.peerClosed();
    } else {
      operation.peerClosed();
    }
  }

  @Override
  public void onClosed(CloseReason reason) {
    closed = true;
    if (earlySegments != null) {
      earlySegments.clear();
    }
    startup.closed();
    boolean known = startup.errorReported();
    if (operation != null) {
      operation.close();
      known |= operation.failed();
    }
    boolean lost = reason != CloseReason.NORMAL && reason != CloseReason.ABORTED;
    if (lost && !known) {
      handler.onError(MpaError.CONNECTION_LOST, "TCP connection lost: " + reason);
    }
    handler.onClosed(reason);
  }

  /** Tells an observer of every FPDU from now on; null: nobody. */
  public void observe(FpduObserver next) {
    observer = next;
    if (operation != null) {
      operation.observe(next);
    }
  }

  /** Begins Full Operation if the Startup Phase is complete. */
  private void proceed() {
    if (operation == null && startup.agreed() && !closed) {
      operation =
          new FullOperation(stream, handler, startup.settled(), initiator, startup.end(), settings);
      operation.observe(observer);
      if (startup.mismatch() != null) {
        operation.refuse(startup.mismatch(), startup.mismatchDetail());
        return;
      }
      handler.onFullOperation(startup.privateData());
      if (operation.takesEarly()) {
        earlySegments.handUp(Long.MAX_VALUE, this);
      }
    }
  }
}
