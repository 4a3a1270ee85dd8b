package org.rddp.mpa;

import java.util.function.UnaryOperator;
import org.rddp.tcp.TcpStream;

/**
 * The Startup Phase of one end, by the rules of RFC 5044 section 7.1.2. It ends when Full Operation
 * may begin, the user has rejected, or the connection has failed.
 */
final class Startup {
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
  private static final String FOLLOWED = "PD_Length does not match: octets follow ";

  private final UlpduHandler handler;
  private final boolean initiator;
  private final Negotiation negotiation;
  private final long timeoutNanos;
  private final byte[] requestData;
  private TcpStream stream;
  private Phase phase = Phase.AWAITING_FRAME;
  private boolean accepted;
  private boolean closing;
  private boolean errorReported;
  private long end;

  /**
   * Creates the Startup Phase of an Initiator or a Responder.
   *
   * @param requestData an Initiator's Private Data
   */
  Startup(MpaSettings settings, boolean initiator, byte[] requestData, UlpduHandler handler) {
    this.handler = handler;
    this.initiator = initiator;
    negotiation = new Negotiation(settings, initiator);
    timeoutNanos = settings.startupTimeoutNanos();
    this.requestData = negotiation.checked(requestData.clone());
  }

  /** TCP is established. */
  void open(TcpStream opened) {
    stream = opened;
    stream.alarm(stream.now() + timeoutNanos);
    if (initiator) {
      negotiation.prepareRequest(requestData);
      negotiation.flush(stream);
    }
  }

  /** Whether Full Operation may begin. */
  boolean agreed() {
    return phase == Phase.AGREED;
  }

  /** Whether the peer's revision is not supported and the connection is being closed. */
  boolean refusing() {
    return phase == Phase.REFUSING;
  }

  /**
   * Private Data to report with Full Operation: an Initiator's is the Reply's, a Responder's is
   * empty.
   */
  byte[] privateData() {
    return initiator ? negotiation.privateData() : NONE;
  }

  /** Stream position of the first octet after the peer's frame. */
  long end() {
    return end;
  }

  /** The negotiated parameters, once the peer's frame has been received. */
  Negotiated settled() {
    return negotiation.settled();
  }

  /** Whether the connection has failed, has been reset or closed. */
  boolean over() {
    return phase == Phase.OVER;
  }

  /** Whether an enhanced Request has been sent, and no octet of the Reply has come. */
  boolean requestUnanswered() {
    return stream != null && negotiation.unanswered();
  }

  /** Whether an error has been reported. */
  boolean errorReported() {
    return errorReported;
  }

  /** The most octets of Private Data that a Reply carries. */
  int maxPrivateData() {
    return negotiation.room();
  }

  /** Responder: a Request waits for an answer, and other settings hold for the Reply. */
  void choose(UnaryOperator<MpaSettings> choice) {
    if (phase == Phase.DECIDING) {
      negotiation.choose(choice.apply(negotiation.settings()));
    }
  }

  /** Takes octets from the peer. */
  void take(long position, long address, int length) {
    switch (phase) {
      case AWAITING_FRAME -> {
        int taken = negotiation.reader().take(address, length);
        end = position + taken;
        processFrame(taken < length);
      }
      case DECIDING, REPLYING ->
          fail(MpaError.STARTUP, FOLLOWED + "the Private Data before the Reply");
      case AGREED, DECLINED, REFUSING, OVER -> {}
    }
  }

  /** Packets are available again. */
  void sendable() {
    if (negotiation.flush(stream)) {
      if (phase == Phase.REPLYING) {
        replied();
      }
      if (closing) {
        stream.closeSend();
      }
    }
  }

  /** The alarm has expired. */
  void alarm() {
    if (phase == Phase.AWAITING_FRAME) {
      String after = " after " + timeoutNanos / 1_000_000 + " ms";
      fail(MpaError.STARTUP, negotiation.reader().missing() + after);
    } else if (phase != Phase.AGREED && closing) {
      stream.abort();
    }
  }

  /** The peer's FIN. */
  void peerClosed() {
    switch (phase) {
      case AWAITING_FRAME -> {
        if (initiator && negotiation.declinedByClosing()) {
          phase = Phase.DECLINED;
          handler.onRejected(negotiation.privateData());
          return;
        }
        boolean begun = negotiation.reader().count() > 0;
        MpaError error = begun ? MpaError.STARTUP : MpaError.CONNECTION_LOST;
        fail(error, negotiation.reader().missing() + " when the peer closed");
      }
      case DECIDING, REPLYING -> fail(MpaError.CONNECTION_LOST, "the peer closed before the Reply");
      case DECLINED -> handler.onPeerClosed();
      case AGREED, REFUSING, OVER -> {}
    }
  }

  /** Responder: the user accepts or rejects the Request. */
  void reply(boolean accept, byte[] privateData) {
    negotiation.checked(privateData);
    if (phase == Phase.OVER || closing) {
      return;
    }
    if (phase != Phase.DECIDING) {
      throw new IllegalStateException("No MPA Request waits for an answer");
    }
    accepted = accept;
    if (accept || !negotiation.declinesInSilence()) {
      negotiation.prepareReply(!accept, privateData);
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
    phase = accepted ? Phase.AGREED : Phase.DECLINED;
    if (accepted && !settled().rtr().isEmpty()) {
      stream.alarm(stream.now() + timeoutNanos);
    }
  }

  /**
   * Closes our half after everything to be sent. If MPA has ended, also starts the timeout for the
   * peer to close its half, since no layer above does.
   */
  void closeSend() {
    closing = true;
    if (phase != Phase.AGREED && phase != Phase.AWAITING_FRAME) {
      stream.alarm(stream.now() + timeoutNanos);
    }
    if (negotiation.flush(stream)) {
      stream.closeSend();
    }
  }

  /** The connection has ended. */
  void closed() {
    phase = Phase.OVER;
  }

  /**
   * Why we cannot meet what the Reply settles, or null. Full Operation then begins only to tell the
   * peer.
   */
  MpaError mismatch() {
    return negotiation.mismatch();
  }

  /** Describes that mismatch, with the names of frame and field. */
  String mismatchDetail() {
    return negotiation.expectedTitle() + ": " + negotiation.mismatchDetail();
  }

  /** The Initiator's RTR has not been received within the startup timeout. */
  void failForMissingRtr() {
    phase = Phase.OVER;
    errorReported = true;
    handler.onError(
        MpaError.STARTUP,
        "RTR is missing: no FPDU within " + timeoutNanos / 1_000_000 + " ms of the MPA Reply");
    stream.abort();
  }

  /** The peer has sent an FPDU although it must wait for ours (section 7.1.2 rule 4). */
  void failForEarlyFpdu() {
    fail(MpaError.STARTUP, FOLLOWED + "the Reply before any FPDU");
  }

  private void processFrame(boolean octetsFollow) {
    StartupFrameReader reader = negotiation.reader();
    if (reader.fault() != null) {
      fail(MpaError.STARTUP, reader.fault());
    } else if (reader.complete() && reader.incompatibility() != null) {
      refuse(reader.incompatibility());
    } else if (reader.complete() && octetsFollow && negotiation.streaming()) {
      fail(MpaError.STARTUP, FOLLOWED + "the Private Data");
    } else if (reader.complete() && initiator && negotiation.streaming()) {
      negotiation.awaitStartKey();
      if (!closing) {
        negotiation.prepareStartKey();
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
      handler.onRejected(frame.privateData());
    } else if (octetsFollow) {
      // Neither side may send here: an Initiator waits for the Reply, a Responder for the first
      // FPDU.
      fail(MpaError.STARTUP, FOLLOWED + "the Private Data");
    } else if (initiator) {
      phase = Phase.AGREED;
    } else if (!accepted) {
      phase = Phase.DECIDING;
      handler.onRequest(frame.privateData());
    } else if (closing) {
      // Nothing can be sent after our FIN; the alarm ends the connection.
      phase = Phase.DECIDING;
    } else {
      // The user has already answered the Private Data message; this is the Start Key that follows
      // it.
      negotiation.prepareStartKey();
      reply();
    }
  }

  /**
   * A well-formed frame of another revision: answers with our revision (appendices C.2.1 and
   * C.2.2), then closes gracefully, with a timeout.
   */
  private void refuse(String incompatibility) {
    phase = Phase.REFUSING;
    if (!initiator && !closing) {
      negotiation.prepareRefusal();
    }
    closeSend();
    report(MpaError.STARTUP, incompatibility);
  }

  /** An invalid or missing startup frame resets the connection at once (section 8). */
  private void fail(MpaError error, String detail) {
    phase = Phase.OVER;
    report(error, detail);
    stream.abort();
  }

  private void report(MpaError error, String detail) {
    errorReported = true;
    handler.onError(error, negotiation.expectedTitle() + ": " + detail);
  }
}
