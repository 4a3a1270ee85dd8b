package org.rddp.mpa;

import org.rddp.mpa.StartupFrame.Kind;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.StreamHandler;
import org.rddp.tcp.TcpStream;

/**
 * One end of an MPA connection on a TCP connection: from its Startup Phase through Full Operation
 * to its end (RFC 5044 section 7).
 *
 * <p>It is given to TCP as the connection's handler and speaks upward through an {@link
 * UlpduHandler}. All methods belong to the engine's thread.
 */
public final class MpaConnection implements StreamHandler {
  private enum Phase {
    /** TCP is not established yet. */
    CONNECTING,
    /** Waiting for the peer's startup frame. */
    AWAITING_FRAME,
    /** Responder: waiting for the user's answer to a Request. */
    DECIDING,
    /** Responder: the Reply waits for a packet. */
    REPLYING,
    FULL_OPERATION,
    /** The Responder's user has declined; MPA is over, TCP is open. */
    DECLINED,
    /** The peer's revision is not ours: TCP is being closed gracefully. */
    REFUSING,
    /** The startup failed; TCP has been reset. */
    FAILED,
    CLOSED
  }

  private static final byte[] NONE = {};

  private final UlpduHandler handler;
  private final boolean initiator;
  private final Startup startup;
  private final byte[] requestData;
  private TcpStream stream;
  private Phase phase = Phase.CONNECTING;
  private boolean accepted;
  private boolean sendClosed;

  /** An error has been reported before Full Operation. */
  private boolean failed;

  /** Stream position of the first octet behind the peer's startup frame. */
  private long receiveStart;

  /** Null before Full Operation. */
  private FullOperation operation;

  private MpaConnection(
      MpaSettings settings, boolean initiator, byte[] requestData, UlpduHandler handler) {
    this.handler = handler;
    this.initiator = initiator;
    this.startup = new Startup(settings, initiator ? Kind.REQUEST : Kind.REPLY);
    this.requestData = startup.checked(requestData.clone());
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
   * Responder: answers the Request with a Reply that accepts. Full Operation begins, with {@link
   * UlpduHandler#onFullOperation}, when the Reply is on its way: as a rule within this call. Does
   * nothing when the connection has failed meanwhile.
   *
   * @param privateData the Reply's, 0 to 512 octets; 508 to an enhanced Request of revision 2
   * @throws IllegalArgumentException if there are more
   * @throws IllegalStateException if no Request waits for an answer
   */
  public void accept(byte[] privateData) {
    reply(true, privateData);
  }

  /**
   * Responder: answers the Request with a Reply that declines. MPA is over then and TCP stays open;
   * close it with {@link #closeSend()} or {@link #abort()}. Does nothing when the connection has
   * failed meanwhile.
   *
   * @param privateData the Reply's, 0 to 512 octets; 508 to an enhanced Request of revision 2
   * @throws IllegalArgumentException if there are more
   * @throws IllegalStateException if no Request waits for an answer
   */
  public void reject(byte[] privateData) {
    reply(false, privateData);
  }

  /**
   * The largest ULPDU in octets that {@link #send} takes now, 128 to 64768 (RFC 5044 section 4.5).
   * {@link UlpduHandler#onMulpdu} tells of changes during Full Operation.
   */
  public int mulpdu() {
    if (operation != null) {
      return operation.mulpdu();
    }
    return stream == null ? Mulpdu.MIN : Mulpdu.of(stream.emss(), false);
  }

  /**
   * Whether a ULPDU of MULPDU octets would leave now. {@link UlpduHandler#onSendable()} follows
   * when this was false and no longer is.
   */
  public boolean sendable() {
    return phase == Phase.FULL_OPERATION && !sendClosed && operation.sendable();
  }

  /**
   * Sends one ULPDU, as one FPDU in one segment. Its octets are copied before this returns.
   *
   * @param header address of its first part
   * @param headerLength octets of it, 0 or more
   * @param payload address of its second part
   * @param payloadLength octets of it, 0 or more; 1 to {@link #mulpdu()} with the first part
   * @return false when nothing was sent: there is no packet to be had or FPDUs may not be sent yet,
   *     and {@link UlpduHandler#onSendable()} follows; or the connection is over
   * @throws IllegalArgumentException if the ULPDU is empty or larger than MULPDU
   * @throws IllegalStateException after {@link #closeSend()}
   */
  public boolean send(long header, int headerLength, long payload, int payloadLength) {
    long length = (long) headerLength + payloadLength;
    if (length < 1 || length > mulpdu()) {
      throw new IllegalArgumentException("ULPDU of " + length + " octets, MULPDU is " + mulpdu());
    }
    if (sendClosed) {
      throw new IllegalStateException("This half has been closed");
    }
    return phase == Phase.FULL_OPERATION
        && operation.send(header, headerLength, payload, payloadLength);
  }

  /** Closes our half behind everything sent. Receiving goes on. */
  public void closeSend() {
    if (phase == Phase.CONNECTING) {
      abort();
    } else if (!over() && !sendClosed) {
      sendClosed = true;
      if (startup.flush(stream)) {
        stream.closeSend();
      }
    }
  }

  /** Ends the connection with a reset; {@link UlpduHandler#onClosed} follows. */
  public void abort() {
    if (phase == Phase.CONNECTING) {
      phase = Phase.FAILED;
    } else if (!over()) {
      stream.abort();
    }
  }

  /**
   * The version that DDP and RDMAP put into their headers (RFC 5044 section 3), once the peer's
   * startup frame has come.
   */
  public int version() {
    return startup.negotiated().version();
  }

  /** The MPA revision in the peer's startup frame, once it has come. */
  public int revision() {
    return startup.negotiated().revision();
  }

  /** RDMA Reads of the peer to be served at a time, once the peer's startup frame has come. */
  public int ird() {
    return startup.negotiated().ird();
  }

  /**
   * RDMA Reads of our own that may be outstanding at a time, once the peer's startup frame has
   * come.
   */
  public int ord() {
    return startup.negotiated().ord();
  }

  /** Whether CRCs are generated and checked, once the peer's startup frame has come. */
  public boolean crc() {
    return startup.negotiated().crc();
  }

  @Override
  public void onOpen(TcpStream opened) {
    stream = opened;
    if (phase == Phase.FAILED) {
      stream.abort();
      return;
    }
    phase = Phase.AWAITING_FRAME;
    stream.alarm(stream.now() + startup.timeoutNanos());
    if (initiator) {
      startup.prepareRequest(requestData);
      startup.flush(stream);
    }
  }

  @Override
  public void onSegment(long position, long address, int length, long packet) {
    switch (phase) {
      case AWAITING_FRAME -> takeFrame(position, address, length);
      case DECIDING, REPLYING ->
          failStartup(
              MpaError.STARTUP,
              "PD_Length does not match: octets follow the Private Data before the Reply");
      case FULL_OPERATION -> takeFpdus(address, length, packet);
      case CONNECTING, DECLINED, REFUSING, FAILED, CLOSED -> {}
    }
    if (phase != Phase.CLOSED) {
      stream.consumed(length);
    }
  }

  @Override
  public void onSendable() {
    if (!startup.flush(stream)) {
      return;
    }
    if (phase == Phase.REPLYING) {
      replied();
    } else if (sendClosed) {
      stream.closeSend();
    } else if (phase == Phase.FULL_OPERATION && operation.maySend()) {
      handler.onSendable();
    }
  }

  @Override
  public void onEmss(int emss) {
    if (phase == Phase.FULL_OPERATION) {
      operation.emss(emss);
    }
  }

  @Override
  public void onAlarm(long now) {
    if (phase == Phase.AWAITING_FRAME) {
      long millis = startup.timeoutNanos() / 1_000_000;
      failStartup(MpaError.STARTUP, startup.reader().missing() + " after " + millis + " ms");
    } else if (phase == Phase.REFUSING) {
      stream.abort();
    }
  }

  @Override
  public void onPeerClosed() {
    switch (phase) {
      case AWAITING_FRAME -> {
        MpaError error =
            startup.reader().count() == 0 ? MpaError.CONNECTION_LOST : MpaError.STARTUP;
        failStartup(error, startup.reader().missing() + " when the peer closed");
      }
      case DECIDING, REPLYING ->
          failStartup(MpaError.CONNECTION_LOST, "the peer closed before the Reply");
      case FULL_OPERATION -> operation.peerClosed();
      case DECLINED -> handler.onPeerClosed();
      case CONNECTING, REFUSING, FAILED, CLOSED -> {}
    }
  }

  @Override
  public void onClosed(CloseReason reason) {
    phase = Phase.CLOSED;
    if (operation != null) {
      operation.close();
      failed |= operation.failed();
    }
    boolean ours = reason == CloseReason.NORMAL || reason == CloseReason.ABORTED;
    if (!ours && !failed) {
      report(MpaError.CONNECTION_LOST, "TCP connection lost: " + reason);
    }
    handler.onClosed(reason);
  }

  private void takeFrame(long position, long address, int length) {
    StartupReader reader = startup.reader();
    int taken = reader.take(address, length);
    if (reader.fault() != null) {
      failStartup(MpaError.STARTUP, reader.fault());
    } else if (reader.complete()) {
      receiveStart = position + taken;
      concludeFrame(taken < length);
    }
  }

  private void concludeFrame(boolean octetsFollow) {
    if (startup.reader().incompatibility() != null) {
      refuse();
      return;
    }
    startup.conclude();
    StartupFrame frame = startup.peer();
    stream.alarm(Long.MAX_VALUE);
    if (startup.fault() != null) {
      failStartup(MpaError.STARTUP, startup.fault());
    } else if (frame.rejected()) {
      phase = Phase.DECLINED;
      handler.onRejected(frame.privateData());
    } else if (octetsFollow) {
      // Neither side may send here: a Request waits for its Reply, a Responder for the first FPDU.
      failStartup(MpaError.STARTUP, "PD_Length does not match: octets follow the Private Data");
    } else if (initiator) {
      enterFullOperation(frame.privateData());
    } else {
      phase = Phase.DECIDING;
      handler.onRequest(frame.privateData());
    }
  }

  private void reply(boolean accept, byte[] privateData) {
    startup.checked(privateData);
    if (over() || sendClosed) {
      return;
    }
    if (phase != Phase.DECIDING) {
      throw new IllegalStateException("No MPA Request waits for an answer");
    }
    accepted = accept;
    phase = Phase.REPLYING;
    startup.prepareReply(!accept, privateData);
    if (startup.flush(stream)) {
      replied();
    }
  }

  private void replied() {
    if (accepted) {
      enterFullOperation(NONE);
    } else {
      phase = Phase.DECLINED;
    }
    if (sendClosed) {
      stream.closeSend();
    }
  }

  private void enterFullOperation(byte[] privateData) {
    operation = new FullOperation(stream, handler, startup.negotiated(), initiator, receiveStart);
    phase = Phase.FULL_OPERATION;
    handler.onFullOperation(privateData);
  }

  private void takeFpdus(long address, int length, long packet) {
    if (operation.peerMustWait()) {
      failStartup(
          MpaError.STARTUP, "PD_Length does not match: octets follow the Reply before any FPDU");
    } else {
      operation.take(address, length, packet);
    }
  }

  /** An invalid or missing startup frame closes the connection at once (RFC 5044 section 8). */
  private void failStartup(MpaError error, String detail) {
    phase = Phase.FAILED;
    report(error, startup.expectedTitle() + ": " + detail);
    if (phase != Phase.CLOSED) {
      stream.abort();
    }
  }

  /**
   * A well-formed frame of another revision: closes after an answer that tells ours (appendices
   * C.2.1 and C.2.2), and not for ever.
   */
  private void refuse() {
    phase = Phase.REFUSING;
    stream.alarm(stream.now() + startup.timeoutNanos());
    report(MpaError.STARTUP, startup.expectedTitle() + ": " + startup.reader().incompatibility());
    if (phase == Phase.REFUSING) {
      if (!initiator) {
        startup.prepareRefusal();
      }
      closeSend();
    }
  }

  private void report(MpaError error, String detail) {
    failed = true;
    handler.onError(error, detail);
  }

  private boolean over() {
    return phase == Phase.FAILED || phase == Phase.CLOSED;
  }
}
