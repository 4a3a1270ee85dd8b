package org.rddp.simulation;

import java.lang.foreign.Arena;
import java.util.Arrays;
import org.rddp.wire.Memory;

/**
 * The frames under way in a network, each in a buffer of its own. Grows as needed and can be used
 * by one network after another; its memory is freed when it is no longer reachable.
 */
public final class FrameStore {
  /** Octets of the longest frame. */
  public static final int LONGEST = 33 * 1024;

  private static final int SLAB = 64;

  private long[] addresses = new long[0];
  private int[] lengths = new int[0];
  private int[] free = new int[0];
  private Arena[] slabs = new Arena[0];
  private int freeCount;

  /** A store without frames. */
  public FrameStore() {}

  /**
   * A frame with undefined octets.
   *
   * @param length octets of the frame, at most {@link #LONGEST}
   * @return its handle, never 0
   */
  public long allocate(int length) {
    if (length > LONGEST) {
      throw new IllegalArgumentException("a frame of " + length + " octets");
    }
    if (freeCount == 0) {
      grow();
    }
    int index = free[--freeCount];
    lengths[index] = length;
    return index + 1L;
  }

  /** A frame with the same octets as another. */
  public long copy(long frame) {
    long copy = allocate(length(frame));
    Memory.copy(address(frame), address(copy), length(frame));
    return copy;
  }

  /** Gives a frame back. */
  public void release(long frame) {
    int index = (int) frame - 1;
    if (lengths[index] < 0) {
      throw new IllegalStateException("frame " + frame + " is not allocated");
    }
    lengths[index] = -1;
    free[freeCount++] = index;
  }

  /** Address of a frame's first octet. */
  public long address(long frame) {
    return addresses[(int) frame - 1];
  }

  /** Octets of a frame. */
  public int length(long frame) {
    return lengths[(int) frame - 1];
  }

  /** Sets the length of a frame, up to {@link #LONGEST}. */
  public void length(long frame, int length) {
    lengths[(int) frame - 1] = length;
  }

  /** Frames that are under way. */
  public int used() {
    return addresses.length - freeCount;
  }

  private void grow() {
    int before = addresses.length;
    int after = before + SLAB;
    addresses = Arrays.copyOf(addresses, after);
    lengths = Arrays.copyOf(lengths, after);
    free = new int[after];
    slabs = Arrays.copyOf(slabs, slabs.length + 1);
    slabs[slabs.length - 1] = Arena.ofAuto();
    long memory = slabs[slabs.length - 1].allocate((long) SLAB * LONGEST, 64).address();
    for (int i = 0; i < SLAB; i++) {
      addresses[before + i] = memory + (long) i * LONGEST;
      lengths[before + i] = -1;
      free[freeCount++] = after - 1 - i;
    }
  }
}
