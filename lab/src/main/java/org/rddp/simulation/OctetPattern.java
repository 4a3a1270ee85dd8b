package org.rddp.simulation;

import org.rddp.wire.Memory;

/** Octets that depend on a seed and on their stream position, to send and to compare with. */
public final class OctetPattern {
  private final long seed;

  /** The pattern of a seed. */
  public OctetPattern(long seed) {
    this.seed = seed;
  }

  /** The eight octets from a position that is a multiple of 8, the first in the lowest bits. */
  private long block(long position) {
    long block = (position >>> 3) * 0x9e3779b97f4a7c15L + seed;
    block = (block ^ (block >>> 29)) * 0xbf58476d1ce4e5b9L;
    return block ^ (block >>> 32);
  }

  /** The octet at a position, 0 to 255. */
  public int octet(long position) {
    return (int) (block(position) >>> ((position & 7) << 3)) & 0xff;
  }

  /** Writes the octets from a position on into memory. */
  public void write(long position, long address, int length) {
    int i = 0;
    for (; i < length && ((position + i) & 7) != 0; i++) {
      Memory.putByte(address + i, octet(position + i));
    }
    for (; i <= length - 8; i += 8) {
      Memory.putLong(address + i, Long.reverseBytes(block(position + i)));
    }
    for (; i < length; i++) {
      Memory.putByte(address + i, octet(position + i));
    }
  }

  /** The first position at which memory differs, or -1. */
  public long mismatch(long position, long address, int length) {
    for (int i = 0; i < length; i++) {
      boolean whole = ((position + i) & 7) == 0 && i <= length - 8;
      if (whole && Memory.getLong(address + i) == Long.reverseBytes(block(position + i))) {
        i += 7;
      } else if (Memory.getByte(address + i) != octet(position + i)) {
        return position + i;
      }
    }
    return -1;
  }
}
