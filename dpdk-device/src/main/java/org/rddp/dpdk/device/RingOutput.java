package org.rddp.dpdk.device;

import org.rddp.device.FlowSteering;
import org.rddp.device.Offloads;
import org.rddp.dpdk.BurstPort;
import org.rddp.dpdk.MbufFlags;
import org.rddp.dpdk.MbufLayout;
import org.rddp.dpdk.Mempool;
import org.rddp.wire.Memory;

/**
 * Transmits through a ring (net_ring), which passes the buffer itself to its other end. Long TCP
 * segments are passed on like that: sender and receiver share the packet, and neither writes into
 * it while the other holds it. Other frames are copied, since that is as quick for few octets, and
 * since the receiver may want to write into them. The copies come from a mempool of the link, which
 * both ends may use on different threads.
 *
 * <p>It chooses the queue of a peer that has several, as the peer's network card would.
 *
 * <p>A ring keeps octets intact, so no TCP checksum is computed: the frame is marked as having
 * none.
 */
public final class RingOutput {
  /** The offloads of a device on a ring: bits of {@link Offloads}. */
  public static final int OFFLOADS =
      Offloads.CHECKSUM | Offloads.VERDICT | Offloads.INTACT | Offloads.WHOLE;

  /** The shortest frame that is passed on. */
  static final int LEAST_PASSED = 512;

  private static final int PTR = Long.BYTES;

  private final Mempool mempool;

  /** How the peer chooses its queue; null if it has one. */
  private final FlowSteering steering;

  /** What the port gets: packets that are passed on, and copies. */
  private final long frames = Memory.allocate((long) DpdkDevice.BURST * PTR);

  private final long copies = Memory.allocate((long) DpdkDevice.BURST * PTR);

  /**
   * Creates the output of one queue of a port.
   *
   * @param mempool for the copies; other queues and the link's other end may use it, too
   * @param steering how the peer chooses its queue; null if it has one
   */
  public RingOutput(Mempool mempool, FlowSteering steering) {
    this.mempool = mempool;
    this.steering = steering;
  }

  /**
   * Transmits a burst of at most {@link DpdkDevice#BURST} frames.
   *
   * @return how many the port accepted; their references are passed on or released
   */
  int transmit(BurstPort port, MbufPool pool, long[] packets, int from, int count) {
    int copied = 0;
    for (int i = from; i < from + count; i++) {
      copied += passes(pool, packets[i]) ? 0 : 1;
    }
    if (copied > 0 && !mempool.allocate(copies, copied)) {
      return 0;
    }
    long copy = copies;
    for (int i = 0; i < count; i++) {
      long packet = packets[from + i];
      long frame = packet;
      if (!passes(pool, packet)) {
        frame = Memory.getLongNative(copy);
        copy += PTR;
        copy(pool, packet, frame);
      }
      mark(packet, frame);
      Memory.putLongNative(frames + (long) i * PTR, frame);
    }
    int taken = steering == null ? port.transmit(0, frames, count) : steer(port, pool, count);
    if (copied > 0) {
      release(pool, packets, from, count, taken);
    }
    return taken;
  }

  private boolean passes(MbufPool pool, long packet) {
    int length = pool.length(packet);
    return length >= LEAST_PASSED
        && (requestsChecksum(packet) || length > mempool.dataRoom() - MbufLayout.HEADROOM);
  }

  private static boolean requestsChecksum(long packet) {
    return (Memory.getLongNative(packet + MbufLayout.OL_FLAGS) & MbufFlags.TX_TCP_CHECKSUM) != 0;
  }

  private static void copy(MbufPool pool, long packet, long frame) {
    int length = pool.length(packet);
    Memory.copy(
        pool.address(packet),
        Memory.getLongNative(frame + MbufLayout.BUF_ADDR) + MbufLayout.HEADROOM,
        length);
    Memory.putShortNative(frame + MbufLayout.DATA_LEN, length);
    Memory.putIntNative(frame + MbufLayout.PKT_LEN, length);
  }

  /**
   * Says that no checksum was computed where one was requested. A packet that is passed on keeps
   * the request, by which {@link MbufPool#release} knows it, and which it needs if the ring is full
   * now.
   */
  private static void mark(long packet, long frame) {
    if (requestsChecksum(packet)) {
      long flags = Memory.getLongNative(frame + MbufLayout.OL_FLAGS);
      Memory.putLongNative(frame + MbufLayout.OL_FLAGS, flags | MbufFlags.RX_L4_NONE);
    }
  }

  /** Releases the packets of which a copy was taken, and the copies that were not taken. */
  private void release(MbufPool pool, long[] packets, int from, int count, int taken) {
    int left = 0;
    for (int i = 0; i < count; i++) {
      long packet = packets[from + i];
      long frame = Memory.getLongNative(frames + (long) i * PTR);
      if (frame != packet) {
        if (i < taken) {
          pool.release(packet);
        } else {
          Memory.putLongNative(copies + (long) left++ * PTR, frame);
        }
      }
    }
    if (left > 0) {
      Mempool.free(copies, left);
    }
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
      int taken = port.transmit(queue, frames + (long) done * PTR, end - done);
      done += taken;
      if (done < end) {
        return done;
      }
    }
    return done;
  }

  private int queue(MbufPool pool, int index) {
    long frame = Memory.getLongNative(frames + (long) index * PTR);
    return steering.queue(pool.address(frame), pool.length(frame));
  }
}
