package org.rddp.mpa;

import java.util.Objects;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;
import org.rddp.tcp.storage.EarlySegments;

/**
 * One end of an MPA connection on a TCP connection: from its Startup Phase through Full Operation
 * to its end (RFC 5044 section 7).
 *
 * <p>It is given to TCP as the connection's handler and speaks upward through an {@link
 * UlpduHandler}. All methods belong to the engine's thread.
 */
public final class MpaConnection implements StreamHandler {
  private static final byte[] NONE = {};

  private final UlpduHandler handler;
  private final boolean initiator;
  private final MpaSettings settings;
  private final Startup startup;

  /** Null before TCP is established. */
  private TcpStream stream;

  /** What came before its turn and can only be used in order; null before TCP is established. */
  private EarlySegments earlySegments;

  /** Null before Full Operation. */
  private FullOperation operation;

  /** Whether the window does not open, and by how many octets it would have. */
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
   * The end that sends the MPA Request, as soon as TCP is established.
   *
   * @param privateData the Request's, 0 to 512 octets; 508 if revision 2 is proposed
   * @throws IllegalArgumentException if there are more
   */
  public static MpaConnection initiator(
      MpaSettings settings, byte[] privateData, UlpduHandler handler) {
    return new MpaConnection(settings, true, privateData, handler);
  }

  /** The end that waits for the MPA Request and answers it. */
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
   * Responder: answers the Request with a Reply that accepts. Full Operation begins, with {@link
   * UlpduHandler#onFullOperation}, when the Reply is on its way: as a rule within this call. Does
   * nothing when the connection has failed meanwhile.
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
   * Responder: answers the Request with a Reply that declines. MPA is over then and TCP stays open;
   * close it with {@link #closeSend()}, which a timer follows, or {@link #abort()}. Does nothing
   * when the connection has failed meanwhile.
   *
   * @param privateData the Reply's, 0 to 512 octets; 508 to an enhanced Request of revision 2
   * @throws IllegalArgumentException if there are more
   * @throws IllegalStateException if no Request waits for an answer
   */
  public void reject(byte[] privateData) {
    startup.reply(false, privateData);
  }

  /**
   * MULPDU: the ULPDU in octets that fills a segment, 128 to 64768 (RFC 5044 section 4.5). {@link
   * UlpduHandler#onMulpdu} tells of changes during Full Operation.
   *
   * <p>With {@link MpaSettings#packing()} it is less while the segment being packed has room for
   * 128 octets or more: what fills the rest of it. That changes with every {@link #send}, and
   * {@link UlpduHandler#onMulpdu} does not tell of it. A larger ULPDU, up to that of a full
   * segment, is taken all the same and begins a segment of its own.
   */
  public int mulpdu() {
    if (operation != null) {
      return operation.mulpdu();
    }
    return stream == null ? Mulpdu.MIN : Mulpdu.of(stream.emss(), false);
  }

  /** MULPDU of a full segment, whatever room the one being packed has left. */
  public int fullMulpdu() {
    return operation == null ? mulpdu() : operation.largest();
  }

  /**
   * Whether a ULPDU of MULPDU octets would leave now. {@link UlpduHandler#onSendable()} follows
   * when this was false and no longer is.
   */
  public boolean sendable() {
    return operation != null && !startup.over() && !sendClosed && operation.sendable();
  }

  /**
   * Sends one ULPDU, as one FPDU whole in one segment; by itself, or with {@link
   * MpaSettings#packing()} together with others of the same turn of the duty cycle, whose end it
   * waits for at most. Its octets are copied before this returns.
   *
   * @param header address of its first part
   * @param headerLength octets of it, 0 or more
   * @param payload address of its second part
   * @param payloadLength octets of it, 0 or more; with the first part 1 to MULPDU of a full segment
   * @return false when nothing was sent: there is no packet to be had or FPDUs may not be sent yet,
   *     and {@link UlpduHandler#onSendable()} follows; or the connection is over
   * @throws IllegalArgumentException if the ULPDU is empty or larger than MULPDU
   * @throws IllegalStateException after {@link #closeSend()}
   */
  public boolean send(long header, int headerLength, long payload, int payloadLength) {
    return send(header, headerLength, payload, payloadLength, true);
  }

  /**
   * Sends one ULPDU as {@link #send(long, int, long, int)} does.
   *
   * @param more whether others may follow at once: with {@link MpaSettings#packing()} they share
   *     its segment, which otherwise does not wait for the turn's end
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
   * Closes our half behind everything sent. Receiving goes on; when one of the two has declined,
   * for as long as the Startup Phase may take.
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

  /** The MPA revision in the peer's startup frame, once it has come. */
  public int revision() {
    return startup.settled().revision();
  }

  /** RDMA Reads of the peer to be served at a time, once the peer's startup frame has come. */
  public int ird() {
    return startup.settled().ird();
  }

  /**
   * RDMA Reads of our own that may be outstanding at a time, once the peer's startup frame has
   * come.
   */
  public int ord() {
    return startup.settled().ord();
  }

  /**
   * The message that the Initiator's first FPDU has to be, or null if it may be anything; once the
   * peer's startup frame has come. The user of an Initiator sends it before anything else; that of
   * a Responder expects it.
   */
  public Rtr rtr() {
    return startup.settled().rtr();
  }

  /**
   * Whether Full Operation has begun: it has, too, when {@link UlpduHandler#onError} comes in place
   * of {@link UlpduHandler#onFullOperation} because of what was settled, and a ULPDU can tell the
   * peer so.
   */
  public boolean operating() {
    return operation != null && !closed;
  }

  /**
   * Whether the peer's revision is not ours, and MPA closes the connection gracefully so that the
   * peer can read why: {@link #closeSend()} leaves it at that, {@link #abort()} would not.
   */
  public boolean refusing() {
    return startup.refusing();
  }

  /** Whether CRCs are generated and checked, once the peer's startup frame has come. */
  public boolean crc() {
    return startup.settled().crc();
  }

  @Override
  public void onOpen(TcpStream opened) {
    open(opened, new EarlySegments(opened.pool()));
  }

  /**
   * TCP is established.
   *
   * @param held where octets before their turn wait, shared with whoever was in charge before
   */
  void open(TcpStream opened, EarlySegments held) {
    stream = opened;
    earlySegments = held;
    if (abandoned) {
      stream.abort();
    } else {
      startup.open(stream);
    }
  }

  /** {@inheritDoc} With {@link MpaSettings#silentDrop()} not if its FPDUs are wrong. */
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

  /** Takes octets in their turn. */
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
   * Keeps TCP's receive window from opening again for what is taken from now on: the user keeps it
   * for a while, and the peer is to stop when the window is full.
   *
   * @param held whether that is so; false opens the window by all that was taken meanwhile
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

  /** Whether the Responder's user has declined: MPA is over, TCP is not. */
  boolean declined() {
    return startup.declined();
  }

  /** Stream position of the first octet behind the peer's startup frame. */
  long startupEnd() {
    return startup.end();
  }

  /** Begins Full Operation if the Startup Phase has come to that. */
  private void proceed() {
    if (operation == null && startup.agreed() && !closed) {
      operation =
          new FullOperation(stream, handler, startup.settled(), initiator, startup.end(), settings);
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
