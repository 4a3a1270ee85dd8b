package org.rddp.tcp;

/** What limits how much is in flight, besides the peer's window. */
public enum CongestionAlgorithm {
  /** RFC 9438. */
  CUBIC,
  /** RFC 5681 and RFC 6582. */
  NEW_RENO,
  /** Nothing: for a private link that never has to be shared. */
  NONE
}
