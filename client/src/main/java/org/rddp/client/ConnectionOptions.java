package org.rddp.client;

/**
 * What a program may choose for a connection.
 *
 * @param heldOctets how much the daemon keeps of messages that find no posted receive, until the
 *     program posts one; meanwhile the peer is slowed down by TCP's window. 0: such a message, as
 *     any beyond this, ends the connection (RFC 5041 section 7.1). At most what the daemon's
 *     configuration allows (hold-messages); nothing is refused from about 1.4 times TCP's receive
 *     buffer on
 */
public record ConnectionOptions(int heldOctets) {
  /** A message without a receive ends the connection. */
  public static final ConnectionOptions DEFAULTS = new ConnectionOptions(0);

  /** Checks the range. */
  public ConnectionOptions {
    if (heldOctets < 0) {
      throw new IllegalArgumentException("held octets: " + heldOctets);
    }
  }

  /** The same with another bound for messages without a receive. */
  public ConnectionOptions withHeldOctets(int octets) {
    return new ConnectionOptions(octets);
  }
}
