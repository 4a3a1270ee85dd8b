package org.rddp.ip;

/** Tells the source of a fragmented packet why it is discarded. */
interface FragmentErrors {
  /**
   * Reports that the packet is larger than we can reassemble.
   *
   * @param first IP header of the first fragment
   */
  void tooLarge(long first, long senderMac, long now);

  /** Reports that fragments were missing for too long. */
  void timeExceeded(long first, long senderMac, long now);
}
