package org.rddp.dpdk.device;

import org.rddp.dpdk.EthernetPort;
import org.rddp.dpdk.MbufLayout;
import org.rddp.dpdk.Mempool;
import org.rddp.wire.Memory;

/**
 * Transmits copies of packets, for ports that pass the buffer itself to their peer (net_ring): the
 * sender keeps a packet until it is acknowledged and may send it again, while the receiver uses the
 * buffer. The copies come from a mempool of the link, which both ends may use on different threads.
 */
public final class RingCopier {
  private static final int PTR = Long.BYTES;

  private final Mempool mempool;
  private final long copies = Memory.allocate((long) DpdkDevice.BURST * PTR);

  /** Creates a copier; besides it only the link's other end allocates from the mempool. */
  public RingCopier(Mempool mempool) {
    this.mempool = mempool;
  }

  /**
   * Transmits a burst of at most {@link DpdkDevice#BURST} frames.
   *
   * @return how many the port accepted; their references are released
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
