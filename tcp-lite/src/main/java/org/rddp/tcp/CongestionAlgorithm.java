package org.rddp.tcp;

import org.rddp.tcp.congestion.CongestionControl;
import org.rddp.tcp.congestion.Cubic;
import org.rddp.tcp.congestion.NewReno;
import org.rddp.tcp.congestion.Unlimited;

/** The congestion control of a connection. */
public enum CongestionAlgorithm {
  /** RFC 9438. */
  CUBIC,
  /** RFC 5681 and RFC 6582. */
  NEW_RENO,
  /** None, for a private link that is never shared. */
  NONE;

  /** The congestion control of one new connection. */
  CongestionControl control() {
    return switch (this) {
      case CUBIC -> new Cubic();
      case NEW_RENO -> new NewReno();
      case NONE -> Unlimited.INSTANCE;
    };
  }
}
