package org.rddp.tcp;

import org.rddp.tcp.congestion.CongestionControl;
import org.rddp.tcp.congestion.Cubic;
import org.rddp.tcp.congestion.Dctcp;
import org.rddp.tcp.congestion.NewReno;
import org.rddp.tcp.congestion.Unlimited;

/** The congestion control of a connection. */
public enum CongestionAlgorithm {
  /** RFC 9438. */
  CUBIC,
  /** RFC 5681 and RFC 6582. */
  NEW_RENO,
  /** RFC 8257, for networks whose switches mark packets, and whose hosts all use it. */
  DCTCP,
  /** None, for a private link that is never shared. */
  NONE;

  /**
   * Whether acknowledgments have to echo every change of the mark (RFC 8257 section 3.2), and every
   * packet, SYNs and retransmissions included, allows to be marked: from the same queue on switches
   * drop packets that do not (RFC 8311 section 4.3, as Linux does).
   */
  boolean isMarked() {
    return this == DCTCP;
  }

  /** The algorithm of a connection's congestion control. */
  static CongestionAlgorithm of(CongestionControl control) {
    return switch (control) {
      case Cubic _ -> CUBIC;
      case Dctcp _ -> DCTCP;
      case NewReno _ -> NEW_RENO;
      default -> NONE;
    };
  }

  /** The congestion control of one new connection. */
  CongestionControl control() {
    return switch (this) {
      case CUBIC -> new Cubic();
      case DCTCP -> new Dctcp();
      case NEW_RENO -> new NewReno();
      case NONE -> Unlimited.INSTANCE;
    };
  }
}
