package org.rddp.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import org.rddp.device.NativePacketPool;

/**
 * Memory that one life after the other uses: making it anew for each would cost more than most
 * lives.
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
    Deque<NativePacketPool> shelf =
        pools.computeIfAbsent((long) packets << 32 | room, any -> new ArrayDeque<>());
    return shelf.isEmpty() ? new NativePacketPool(packets, room) : shelf.pop();
  }

  /** Puts a pool back; one that is not full goes to waste. */
  public void giveBack(NativePacketPool pool) {
    if (pool.available() == pool.capacity()) {
      pools.get((long) pool.capacity() << 32 | pool.room()).push(pool);
    }
  }
}
