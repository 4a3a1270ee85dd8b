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
  /** No option. */
  public static final SynChoices NONE = new SynChoices(false, false, false);

  /** Those of them that a SYN of the peer has, too. */
  public SynChoices and(TcpOptions syn) {
    return new SynChoices(
        windowScale && syn.windowScale() >= 0,
        timestamps && syn.timestamps(),
        sack && syn.sackPermitted());
  }
}
