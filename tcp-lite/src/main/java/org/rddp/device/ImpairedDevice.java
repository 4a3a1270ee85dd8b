package org.rddp.device;

import java.util.random.RandomGenerator;
import org.rddp.wire.Memory;

/**
 * A bad link: drops, duplicates, reorders and corrupts received frames at random. Wrap both ends of
 * a link to impair both directions. The same random numbers cause the same faults.
 */
public final class ImpairedDevice extends WrappedDevice {
  private static final int LONGEST_DELAY = 8;
  private static final int HELD = 64;

  /**
   * The probability of each fault, 0 to 1.
   *
   * @param drop frames lost
   * @param duplicate frames received twice
   * @param reorder frames received after later ones
   * @param corrupt frames with one bit inverted
   */
  public record Faults(double drop, double duplicate, double reorder, double corrupt) {
    /** Checks the ranges. */
    public Faults {
      for (double chance : new double[] {drop, duplicate, reorder, corrupt}) {
        if (!(chance >= 0 && chance <= 1)) {
          throw new IllegalArgumentException("a chance is from 0 to 1, not " + chance);
        }
      }
    }
  }

  private final RandomGenerator random;
  private final Faults faults;
  private final long[] held = new long[HELD];
  private final int[] delay = new int[HELD];
  private int heldCount;
  private long[] burst = new long[1];
  private long dropped;
  private long duplicated;
  private long reordered;
  private long corrupted;

  /** Impairs the frames that a device receives; it is closed with this one. */
  public ImpairedDevice(FrameDevice device, RandomGenerator random, Faults faults) {
    super(device);
    this.random = random;
    this.faults = faults;
  }

  /** None: the frame may have been changed. */
  @Override
  public int checksum(long packet) {
    return Offloads.UNKNOWN;
  }

  /** {@inheritDoc} Delayed frames are received at the latest when no others are. */
  @Override
  public int receive(long[] packets) {
    if (burst.length != Math.max(packets.length / 2, 1)) {
      burst = new long[Math.max(packets.length / 2, 1)];
    }
    int room = Math.min(burst.length, packets.length - heldCount);
    int count = room < burst.length ? 0 : device().receive(burst);
    int out = 0;
    for (int i = 0; i < count; i++) {
      out = pass(burst[i], packets, out);
    }
    for (int i = 0; i < heldCount && out < packets.length; i++) {
      if (--delay[i] < 0 || count == 0) {
        packets[out++] = held[i];
        heldCount--;
        System.arraycopy(held, i + 1, held, i, heldCount - i);
        System.arraycopy(delay, i + 1, delay, i, heldCount - i);
        i--;
      }
    }
    return out;
  }

  private int pass(long packet, long[] packets, int at) {
    PacketPool pool = pool();
    if (chance(faults.drop)) {
      pool.release(packet);
      dropped++;
      return at;
    }
    if (chance(faults.corrupt) && !pool.shared(packet)) {
      long octet = pool.address(packet) + random.nextInt(pool.length(packet));
      Memory.putByte(octet, Memory.getByte(octet) ^ (1 << random.nextInt(8)));
      corrupted++;
    }
    int out = at;
    if (chance(faults.duplicate)) {
      long copy = copy(packet);
      if (copy != 0) {
        packets[out++] = copy;
        duplicated++;
      }
    }
    if (heldCount < held.length && chance(faults.reorder)) {
      held[heldCount] = packet;
      delay[heldCount++] = random.nextInt(LONGEST_DELAY);
      reordered++;
    } else {
      packets[out++] = packet;
    }
    return out;
  }

  private boolean chance(double probability) {
    return probability > 0 && random.nextDouble() < probability;
  }

  private long copy(long packet) {
    PacketPool pool = pool();
    long copy = pool.allocate();
    if (copy != 0) {
      int length = pool.length(packet);
      Memory.copy(pool.address(packet), pool.address(copy), length);
      pool.window(copy, pool.address(copy), length);
    }
    return copy;
  }

  /** Frames lost so far. */
  public long dropped() {
    return dropped;
  }

  /** Frames duplicated so far. */
  public long duplicated() {
    return duplicated;
  }

  /** Frames reordered so far. */
  public long reordered() {
    return reordered;
  }

  /** Frames corrupted so far. */
  public long corrupted() {
    return corrupted;
  }

  @Override
  public void close() {
    for (; heldCount > 0; heldCount--) {
      pool().release(held[heldCount - 1]);
    }
    super.close();
  }
}
