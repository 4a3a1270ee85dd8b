package org.rddp.dpdk.device;

import org.rddp.device.FlowSteering;
import org.rddp.device.Offloads;
import org.rddp.dpdk.BurstPort;
import org.rddp.dpdk.MbufFlags;
import org.rddp.dpdk.MbufLayout;
import org.rddp.dpdk.Mempool;
import org.rddp.wire.Memory;

/**
 * Transmits copies of packets, for ports that pass the buffer itself to their peer (net_ring): the
 * sender keeps a packet until it is acknowledged and may send it again, while the receiver uses the
 * buffer. The copies come from a mempool of the link, which both ends may use on different threads.
 *
 * <p>It chooses the queue of a peer that has several, as the peer's network card would.
 *
 * <p>A ring keeps octets intact, so no TCP checksum is computed: the copy is marked as having none.
 */
public final class RingCopier {
  /** The offloads of a device with a copier: bits of {@link Offloads}. */
  public static final int OFFLOADS = Offloads.CHECKSUM | Offloads.VERDICT | Offloads.INTACT;

  private static final int PTR = Long.BYTES;

  private final Mempool mempool;

  /** The mempool for copies of long frames; null if there are none. */
  private final Mempool longOnes;

  /** How the peer chooses its queue; null if it has one. */
  private final FlowSteering steering;

  private final long copies = Memory.allocate((long) DpdkDevice.BURST * PTR);

  /**
   * Creates a copier for one queue of a port.
   *
   * @param mempool for the copies; other queues and the link's other end may use it, too
   * @param longOnes the mempool for longer frames; null if there are none
   * @param steering how the peer chooses its queue; null if it has one
   */
  public RingCopier(Mempool mempool, Mempool longOnes, FlowSteering steering) {
    this.mempool = mempool;
    this.longOnes = longOnes;
    this.steering = steering;
  }

  /**
   * Transmits a burst of at most {@link DpdkDevice#BURST} frames.
   *
   * @return how many the port accepted; their references are released
   */
  int transmit(BurstPort port, MbufPool pool, long[] packets, int from, int count) {
    int copied = allocate(pool, packets, from, count);
    for (int i = 0; i < copied; i++) {
      long packet = packets[from + i];
      int length = pool.length(packet);
      long copy = Memory.getLongNative(copies + (long) i * PTR);
      Memory.copy(
          pool.address(packet),
          Memory.getLongNative(copy + MbufLayout.BUF_ADDR) + MbufLayout.HEADROOM,
          length);
      Memory.putShortNative(copy + MbufLayout.DATA_LEN, length);
      Memory.putIntNative(copy + MbufLayout.PKT_LEN, length);
      long requested = Memory.getLongNative(packet + MbufLayout.OL_FLAGS);
      if ((requested & MbufFlags.TX_TCP_CHECKSUM) != 0) {
        Memory.putLongNative(copy + MbufLayout.OL_FLAGS, MbufFlags.RX_L4_NONE);
      }
    }
    int taken = steering == null ? port.transmit(0, copies, copied) : steer(port, pool, copied);
    for (int i = 0; i < taken; i++) {
      pool.release(packets[from + i]);
    }
    if (taken < copied) {
      Mempool.free(copies + (long) taken * PTR, copied - taken);
    }
    return taken;
  }

  /** Allocates a copy of each frame, or of the first ones; returns how many. */
  private int allocate(MbufPool pool, long[] packets, int from, int count) {
    int room = mempool.dataRoom() - MbufLayout.HEADROOM;
    if (longOnes == null || !holdsLong(pool, packets, from, count, room)) {
      return mempool.allocate(copies, count) ? count : 0;
    }
    for (int i = 0; i < count; i++) {
      long copy = (pool.length(packets[from + i]) > room ? longOnes : mempool).allocate();
      if (copy == 0) {
        return i;
      }
      Memory.putLongNative(copies + (long) i * PTR, copy);
    }
    return count;
  }

  private static boolean holdsLong(MbufPool pool, long[] packets, int from, int count, int room) {
    boolean any = false;
    for (int i = from; i < from + count; i++) {
      any |= pool.length(packets[i]) > room;
    }
    return any;
  }

  /** Transmits runs of frames for the same queue, until one is not accepted whole. */
  private int steer(BurstPort port, MbufPool pool, int count) {
    int done = 0;
    while (done < count) {
      int queue = queue(pool, done);
      int end = done + 1;
      while (end < count && queue(pool, end) == queue) {
        end++;
      }
      int taken = port.transmit(queue, copies + (long) done * PTR, end - done);
      done += taken;
      if (done < end) {
        return done;
      }
    }
    return done;
  }

  private int queue(MbufPool pool, int index) {
    long copy = Memory.getLongNative(copies + (long) index * PTR);
    return steering.queue(pool.address(copy), pool.length(copy));
  }
}
