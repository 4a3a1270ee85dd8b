package org.rddp.client.types;

/** The congestion control of a connection, as its program chooses it. */
public enum CongestionChoice {
  /** As the interface is configured. */
  AS_CONFIGURED,
  /** CUBIC (RFC 9438). */
  CUBIC,
  /** NewReno (RFC 5681, RFC 6582). */
  NEW_RENO,
  /** DCTCP (RFC 8257), where switches mark packets; the peer should use it, too. */
  DCTCP
}
