package org.rddp.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.rddp.device.NativePacketPool;

/**
 * Keeps packet pools and frame stores for the next run: allocating them takes longer than most
 * runs.
 */
public final class BufferCache {
  private static final int SMALL = 2048;
  private static final int LARGE = 9216;

  /** Ordinary packets for each long one. */
  private static final int PACKETS_PER_LONG = 16;

  private static final int ETHERNET = 14;

  private final Map<Long, Deque<NativePacketPool>> pools = new HashMap<>();
  private FrameStore frames = new FrameStore();

  /** Creates an empty cache. */
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
   * @param hasLong whether it has packets for the longest frames, too
   */
  public NativePacketPool pool(int packets, int mtu, boolean hasLong) {
    int room = mtu + ETHERNET <= SMALL ? SMALL : LARGE;
    int longOnes = hasLong ? packets / PACKETS_PER_LONG : 0;
    Deque<NativePacketPool> buffers = shelf(packets, room, longOnes);
    return buffers.isEmpty()
        ? new NativePacketPool(packets, room, longOnes, FrameStore.LONGEST)
        : buffers.pop();
  }

  private Deque<NativePacketPool> shelf(int packets, int room, int longOnes) {
    long key = (long) packets << 32 | (long) room << 1 | (longOnes > 0 ? 1 : 0);
    return pools.computeIfAbsent(key, any -> new ArrayDeque<>());
  }

  /** Returns a pool; one that is not full is not used again. */
  public void giveBack(NativePacketPool pool) {
    if (pool.available() == pool.capacity() && pool.longAvailable() == pool.longCapacity()) {
      shelf(pool.capacity(), pool.room(), pool.longCapacity()).push(pool);
    }
  }
}
