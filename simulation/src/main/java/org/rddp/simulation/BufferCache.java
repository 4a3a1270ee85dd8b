package org.rddp.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.rddp.device.NativePacketPool;

/**
 * Packet pools and frame stores that are used again in the next run. To allocate them anew would
 * take longer than most runs.
 */
public final class BufferCache {
  private static final int SMALL = 2048;
  private static final int ETHERNET = 14;

  private final Map<Long, Deque<NativePacketPool>> pools = new HashMap<>();
  private FrameStore frames = new FrameStore();

  /** Empty. */
  public BufferCache() {}

  /** A store without frames. */
  public FrameStore frames() {
    if (frames.used() > 0) {
      frames = new FrameStore();
    }
    return frames;
  }

  /**
   * A full pool.
   *
   * @param packets how many it has
   * @param mtu octets of the largest IP packet that must fit
   */
  public NativePacketPool pool(int packets, int mtu) {
    int room = mtu + ETHERNET <= SMALL ? SMALL : FrameStore.LONGEST;
    Deque<NativePacketPool> buffers =
        pools.computeIfAbsent((long) packets << 32 | room, any -> new ArrayDeque<>());
    return buffers.isEmpty() ? new NativePacketPool(packets, room) : buffers.pop();
  }

  /** Returns a pool; one that is not full is not used again. */
  public void giveBack(NativePacketPool pool) {
    if (pool.available() == pool.capacity()) {
      pools.get((long) pool.capacity() << 32 | pool.room()).push(pool);
    }
  }
}
