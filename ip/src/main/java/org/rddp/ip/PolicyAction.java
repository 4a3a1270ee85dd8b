package org.rddp.ip;

/** What happens to traffic (RFC 4301 section 4.4.1). */
public enum PolicyAction {
  /** It is sent and received in ESP only. */
  REQUIRE,
  /** It is sent and received in clear. */
  BYPASS,
  /** It is neither sent nor received. */
  DISCARD
}
