package org.rddp.dpdk.device;

import org.rddp.dpdk.EthernetPort;
import org.rddp.dpdk.MbufLayout;
import org.rddp.dpdk.Mempool;
import org.rddp.wire.Memory;

/**
 * Sends copies instead of the packets themselves, for ports that hand the very buffer to their peer
 * (net_ring): a sender keeps its packets until they are acknowledged and may send them again, while
 * the receiver works on what it got. The copies belong to a mempool of the link, which both ends
 * may use from different threads.
 */
public final class RingCopier {
  private static final int PTR = Long.BYTES;

  private final Mempool mempool;
  private final long copies = Memory.allocate((long) DpdkDevice.BURST * PTR);

  /** Copies into buffers of a mempool that nothing else allocates from but the other end. */
  public RingCopier(Mempool mempool) {
    this.mempool = mempool;
  }

  /**
   * Sends a burst of at most {@link DpdkDevice#BURST} frames.
   *
   * @return how many the port took; their references are given back
   */
  int transmit(EthernetPort port, MbufPool pool, long[] packets, int from, int count) {
    if (!mempool.allocate(copies, count)) {
      return 0;
    }
    for (int i = 0; i < count; i++) {
      long packet = packets[from + i];
      int length = pool.length(packet);
      long copy = Memory.getLongNative(copies + (long) i * PTR);
      Memory.copy(
          pool.address(packet),
          Memory.getLongNative(copy + MbufLayout.BUF_ADDR) + MbufLayout.HEADROOM,
          length);
      Memory.putShortNative(copy + MbufLayout.DATA_LEN, length);
      Memory.putIntNative(copy + MbufLayout.PKT_LEN, length);
    }
    int taken = port.transmit(0, copies, count);
    for (int i = 0; i < taken; i++) {
      pool.release(packets[from + i]);
    }
    if (taken < count) {
      Mempool.free(copies + (long) taken * PTR, count - taken);
    }
    return taken;
  }
}
