package org.rddp.ipc.ring;

import java.lang.foreign.MemorySegment;

/**
 * One end's view of a ring of an octet stream. The ring uses the first octets of its part of the
 * memory, and can get longer: the octet at a position lies where that is modulo the length in use.
 * Not thread-safe; allocates nothing.
 */
public final class StreamRing {
  private final long start;
  private final int largest;
  private int octets;

  StreamRing(long start, int largest, int octets) {
    this.start = start;
    this.largest = largest;
    this.octets = octets;
  }

  /** Octets in use, a power of two. */
  public int octets() {
    return octets;
  }

  /** The most octets that it can use, a power of two. */
  public int largest() {
    return largest;
  }

  /**
   * Whether the octets in the ring stay where they are when it gets longer.
   *
   * @param more octets to be used
   * @param from position of the first octet in the ring
   * @param to position behind the last one
   */
  public boolean canUse(int more, long from, long to) {
    return from == to || (from & (more - 1)) + (to - from) <= octets;
  }

  /**
   * Uses more octets from now on, if {@link #canUse} says it.
   *
   * @return false if the ring cannot have that length, and nothing was changed
   */
  public boolean use(int more) {
    if (more < octets || more > largest || Integer.bitCount(more) != 1) {
      return false;
    }
    octets = more;
    return true;
  }

  /** Address of the octet at a position of the stream. */
  public long address(long position) {
    return start + offset(position);
  }

  /** Where in the ring the octet at a position is. */
  public int offset(long position) {
    return (int) position & (octets - 1);
  }

  /** Clears the octets up to a position, beyond which none have been. */
  void clear(long to) {
    long used = to < 0 ? octets : Math.min(to, octets);
    MemorySegment.ofAddress(start).reinterpret(octets).asSlice(0, used).fill((byte) 0);
  }

  /** Octets that lie in a row, from a position on. */
  public int inRow(long position) {
    return octets - offset(position);
  }
}
