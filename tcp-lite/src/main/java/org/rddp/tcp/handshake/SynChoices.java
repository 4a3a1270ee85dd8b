package org.rddp.tcp.handshake;

import org.rddp.wire.TcpOptions;

/**
 * The options that a SYN may have or not: those that we offer, or those that both ends have agreed
 * on.
 *
 * @param windowScale windows may be scaled (RFC 7323 section 2)
 * @param timestamps RFC 7323 section 3
 * @param sack SACK blocks may be sent (RFC 2018)
 */
public record SynChoices(boolean windowScale, boolean timestamps, boolean sack) {
  private static final SynChoices[] ALL = new SynChoices[8];

  static {
    for (int i = 0; i < ALL.length; i++) {
      ALL[i] = new SynChoices((i & 1) != 0, (i & 2) != 0, (i & 4) != 0);
    }
  }

  /** No option. */
  public static final SynChoices NONE = ALL[0];

  /** The object with the same choices that all connections share: they need no memory for it. */
  public SynChoices shared() {
    return ALL[(windowScale ? 1 : 0) | (timestamps ? 2 : 0) | (sack ? 4 : 0)];
  }

  /** Those of them that a SYN of the peer has, too. */
  public SynChoices and(TcpOptions syn) {
    return new SynChoices(
            windowScale && syn.windowScale() >= 0,
            timestamps && syn.timestamps(),
            sack && syn.sackPermitted())
        .shared();
  }
}
