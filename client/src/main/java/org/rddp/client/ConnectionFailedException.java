package org.rddp.client;

import java.net.InetSocketAddress;
import org.rddp.client.types.Reason;

/** A connection could not be established. */
public final class ConnectionFailedException extends RddpException {
  private static final long serialVersionUID = 1L;

  private final Reason reason;
  private final int detail;

  /** A failure of a connection with a peer, whose address may be null. */
  ConnectionFailedException(InetSocketAddress peer, Reason reason, int detail, String text) {
    super(
        "no connection with %s: %s (%s%s)"
            .formatted(InetAddresses.text(peer), text, reason, detail == 0 ? "" : " " + detail));
    this.reason = reason;
    this.detail = detail;
  }

  /** The reason of the failure. */
  public Reason reason() {
    return reason;
  }

  /** A number that depends on the reason, or 0; see {@link Reason}. */
  public int detail() {
    return detail;
  }
}
