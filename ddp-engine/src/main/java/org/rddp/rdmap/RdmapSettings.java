package org.rddp.rdmap;

import io.soabase.recordbuilder.core.RecordBuilder;
import org.rddp.ddp.memory.QueueMemory;
import org.rddp.ddp.receiving.DdpSharedReceiveQueue;
import org.rddp.ddp.receiving.HeldShare;
import org.rddp.mpa.MpaSettings;

/**
 * Settings of an RDMAP Stream.
 *
 * @param mpa settings of the MPA connection below; IRD, ORD and {@link MpaSettings#early()} are set
 *     here
 * @param sendDepth the most outstanding sends, writes, reads and atomics, 1 to 2^24
 * @param receiveDepth the most outstanding receives, 1 to 2^24
 * @param ird the most reads of the peer that may wait for their response (Inbound RDMA Read queue
 *     Depth), and as many atomics, 0 to 16382, or fewer if both ends agree on fewer; one more is an
 *     error of the peer (RFC 5040 section 6.1, RFC 7306 section 5.2.2)
 * @param ord the most reads and atomics of ours together that may wait for their response (Outbound
 *     RDMA Read queue Depth), 0 to 16382, or fewer if both ends agree on fewer; further ones, and
 *     requests posted after them, are queued. With 0 they are refused
 * @param heldOctets the most octets, headers included, of messages held until a receive is posted;
 *     meanwhile TCP's window does not open. 0 makes a message without a receive an error. The size
 *     of TCP's receive buffer always suffices; twice that if Markers allow segments to be taken out
 *     of order
 * @param heldShare the owner's share of the engine's memory for them; null for all of it
 * @param queueMemory the bound that counts the entries of the stream's queues; null for none
 * @param sharedReceives the shared queue that receives are taken from; null if they are posted to
 *     the stream
 * @param acknowledged whether sends and writes complete when TCP has their last octet acknowledged,
 *     not when they have been passed to TCP
 */
@RecordBuilder
public record RdmapSettings(
    MpaSettings mpa,
    int sendDepth,
    int receiveDepth,
    int ird,
    int ord,
    int heldOctets,
    HeldShare heldShare,
    QueueMemory queueMemory,
    DdpSharedReceiveQueue sharedReceives,
    boolean acknowledged)
    implements RdmapSettingsBuilder.With {
  /** Default of IRD and ORD. */
  public static final int DEFAULT_READS = 16;

  private static final int MOST_READS = 16382;

  /** MPA's defaults, and 128 requests in each direction. */
  public static final RdmapSettings DEFAULTS = new RdmapSettings(MpaSettings.DEFAULTS, 128, 128);

  /** Checks the ranges that the layers below do not check. */
  public RdmapSettings {
    if (ird < 0 || ird > MOST_READS || ord < 0 || ord > MOST_READS) {
      throw new IllegalArgumentException("IRD " + ird + ", ORD " + ord + ": 0 to 16382");
    }
    mpa = mpa.withReads(ird, ord).withEarly(true);
  }

  /** Creates settings of a stream to which receives are posted. */
  public RdmapSettings(
      MpaSettings mpa, int sendDepth, int receiveDepth, int ird, int ord, int heldOctets) {
    this(mpa, sendDepth, receiveDepth, ird, ord, heldOctets, null, null, null, false);
  }

  /** Creates settings with which a message without a receive is an error. */
  public RdmapSettings(MpaSettings mpa, int sendDepth, int receiveDepth, int ird, int ord) {
    this(mpa, sendDepth, receiveDepth, ird, ord, 0);
  }

  /** Creates settings with the default IRD and ORD. */
  public RdmapSettings(MpaSettings mpa, int sendDepth, int receiveDepth) {
    this(mpa, sendDepth, receiveDepth, DEFAULT_READS, DEFAULT_READS);
  }

  /** Returns a copy with other queue lengths and the bound that counts the queues' entries. */
  public RdmapSettings withQueues(int sends, int receives, QueueMemory memory) {
    return with().sendDepth(sends).receiveDepth(receives).queueMemory(memory).build();
  }

  /** Returns a copy with another bound for held messages and the owner's share of their memory. */
  public RdmapSettings withHeld(int octets, HeldShare share) {
    return with().heldOctets(octets).heldShare(share).build();
  }

  /** Returns a copy with another IRD ({@code in}) and ORD ({@code out}). */
  public RdmapSettings withReads(int in, int out) {
    return with().ird(in).ord(out).build();
  }
}
