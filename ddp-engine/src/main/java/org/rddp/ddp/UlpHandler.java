package org.rddp.ddp;

import org.rddp.ddp.receiving.ReceiveHandler;
import org.rddp.ddp.segment.DdpError;
import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.ddp.sending.SendHandler;
import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.MpaError;
import org.rddp.tcp.CloseReason;

/**
 * Callbacks from a {@link DdpStream} to its user, the ULP. All calls are made on the engine's
 * thread; a handler may call its stream from any of them.
 */
public interface UlpHandler extends SendHandler, ReceiveHandler {
  /**
   * Full Operation has begun in both directions. Not called if it serves only to report an error to
   * the peer: {@link MpaConnection#failed}.
   */
  default void onFullOperation(MpaConnection connection) {}

  /**
   * Full Operation is about to begin: returns bits of RsvdULP that DDP adds to every message.
   *
   * @param version DV of every segment, 0 or 1
   */
  default int ulpBits(int version) {
    return 0;
  }

  /**
   * The peer sent a segment that RFC 5041 section 7.1 refuses. Nothing of it was placed. The user
   * must {@linkplain DdpStream#fail fail} the stream within this call. It may then send one more
   * message, and must close or abort the stream.
   */
  void onError(DdpError error, DdpErrorReport report);

  /** The user refused a segment. What it must do is as with {@link #onError}. */
  void onRefused(DdpErrorReport report);

  /**
   * The layer below failed. What the user must do is as with {@link #onError}; whether it can send
   * depends on the connection.
   */
  void onLlpError(MpaError error, String detail);

  /** The peer has closed its half. Ours stays usable. */
  void onPeerClosed();

  /**
   * The connection has ended and everything outstanding has been flushed. Called once, as the last
   * call.
   */
  void onClosed(CloseReason reason);
}
