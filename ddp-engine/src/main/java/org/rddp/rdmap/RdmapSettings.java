package org.rddp.rdmap;

import org.rddp.ddp.receiving.DdpSharedReceiveQueue;
import org.rddp.mpa.MpaSettings;

/**
 * How large an RDMAP stream is.
 *
 * @param mpa for the MPA connection beneath
 * @param sendDepth sends, writes and reads that may be outstanding, 1 to 2^24
 * @param receiveDepth receives that may be outstanding, 1 to 2^24
 * @param ird reads of the peer's that may wait for their answers (Inbound RDMA Read queue Depth), 1
 *     to 16382; one more is an error of the peer's
 * @param ord reads of ours that may wait for theirs (Outbound RDMA Read queue Depth), 1 to 16382;
 *     further ones, and what is posted behind them, wait here. No more than the peer's IRD
 * @param heldOctets how much of messages is kept that find no receive, headers included, until
 *     there is one; meanwhile TCP's window does not open. 0 makes such a message an error. Nothing
 *     is lost if it is TCP's receive buffer or more; twice that, where Markers let segments be
 *     taken before their turn
 * @param sharedReceives where the stream takes its receives from; null if they are posted to it
 */
public record RdmapSettings(
    MpaSettings mpa,
    int sendDepth,
    int receiveDepth,
    int ird,
    int ord,
    int heldOctets,
    DdpSharedReceiveQueue sharedReceives) {
  /** What IRD and ORD are unless somebody says otherwise. */
  public static final int DEFAULT_READS = 16;

  private static final int MOST_READS = 16382;

  /** MPA's defaults; 128 requests each way. */
  public static final RdmapSettings DEFAULTS = new RdmapSettings(MpaSettings.DEFAULTS, 128, 128);

  /** Checks the ranges that the layers below do not. */
  public RdmapSettings {
    if (ird < 1 || ird > MOST_READS || ord < 1 || ord > MOST_READS) {
      throw new IllegalArgumentException("IRD " + ird + ", ORD " + ord + ": 1 to 16382");
    }
  }

  /** A stream whose receives are posted to it. */
  public RdmapSettings(
      MpaSettings mpa, int sendDepth, int receiveDepth, int ird, int ord, int heldOctets) {
    this(mpa, sendDepth, receiveDepth, ird, ord, heldOctets, null);
  }

  /** A stream on which a message without a receive is an error. */
  public RdmapSettings(MpaSettings mpa, int sendDepth, int receiveDepth, int ird, int ord) {
    this(mpa, sendDepth, receiveDepth, ird, ord, 0);
  }

  /** A stream with the default IRD and ORD. */
  public RdmapSettings(MpaSettings mpa, int sendDepth, int receiveDepth) {
    this(mpa, sendDepth, receiveDepth, DEFAULT_READS, DEFAULT_READS);
  }

  /** The same with another bound for messages that find no receive. */
  public RdmapSettings withHeldOctets(int octets) {
    return new RdmapSettings(mpa, sendDepth, receiveDepth, ird, ord, octets, sharedReceives);
  }

  /** The same with receives from a queue that other streams take theirs from too; null for none. */
  public RdmapSettings withSharedReceives(DdpSharedReceiveQueue queue) {
    return new RdmapSettings(mpa, sendDepth, receiveDepth, ird, ord, heldOctets, queue);
  }
}
