package org.rddp.daemon.engine;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.rddp.client.types.Reason;
import org.rddp.mpa.MpaError;
import org.rddp.tcp.CloseReason;

/**
 * Why a connection fails or ends, as its program is told.
 *
 * @param reason the layer that failed, or which end ended it
 * @param detail error number of the layer that failed; 0 if it has none
 * @param text for people; may be empty
 */
public record EndCause(Reason reason, int detail, String text) {
  /** Refuses what is missing. */
  public EndCause {
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(text, "text");
  }

  /**
   * The peer did not answer or close its half, or the program did not take its messages, in time.
   *
   * @param held octets of messages held for receives
   * @param nanos how long they were held
   */
  static EndCause expired(long held, long nanos) {
    return held == 0
        ? new EndCause(Reason.TIMEOUT, 0, "the peer did not answer in time")
        : new EndCause(
            Reason.LOCAL_ABORT,
            0,
            held
                + " octets of messages are lost that were held for receives: the program posted none"
                + " for them in the "
                + TimeUnit.NANOSECONDS.toSeconds(nanos)
                + " s since it disconnected or took the last one; post receives until the"
                + " connection has closed");
  }

  /**
   * The end of TCP without an error of a layer above.
   *
   * @param byPeer whether the peer has closed first
   */
  static EndCause of(CloseReason reason, boolean byPeer) {
    return switch (reason) {
      case NORMAL -> new EndCause(byPeer ? Reason.PEER_CLOSE : Reason.LOCAL_CLOSE, 0, "");
      case RESET -> new EndCause(Reason.RESET, 0, "the peer reset the connection");
      case REFUSED -> new EndCause(Reason.REFUSED, 0, "no program listens at that port");
      case TIMEOUT -> new EndCause(Reason.TIMEOUT, 0, "the peer does not answer");
      case ABORTED -> new EndCause(Reason.LOCAL_ABORT, 0, "");
    };
  }

  EndCause withMore(String more) {
    return new EndCause(reason, detail, text + more);
  }

  /** Whether the connection was lost: MPA reports every loss as error 1. */
  boolean isLoss() {
    return reason == Reason.MPA_ERROR && detail == MpaError.CONNECTION_LOST.code();
  }

  /** Whether it is a loss of which TCP knows the reason. */
  boolean isExplainedBy(CloseReason tcp) {
    return isLoss()
        && (tcp == CloseReason.RESET || tcp == CloseReason.REFUSED || tcp == CloseReason.TIMEOUT);
  }

  /** Whether one of the ends wanted it. */
  boolean isWanted() {
    return reason == Reason.LOCAL_CLOSE
        || reason == Reason.PEER_CLOSE
        || reason == Reason.LOCAL_ABORT;
  }
}
