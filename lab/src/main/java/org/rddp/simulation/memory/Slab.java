package org.rddp.simulation.memory;

import org.rddp.wire.Memory;

/** Native memory that every run reuses. */
public final class Slab {
  private static final int LINE = 64;
  private static final int LEAST = 1 << 22;

  private long address;
  private long octets;
  private long used;

  /** Allocates memory for this run. */
  public long take(int length) {
    long needed = ((long) length + LINE - 1) & -LINE;
    if (used + needed > octets) {
      octets = Math.max(LEAST, 2 * (octets + needed));
      address = Memory.allocate(octets);
      used = 0;
    }
    long taken = address + used;
    used += needed;
    return taken;
  }

  /** Frees everything: another run begins. */
  public void clear() {
    used = 0;
  }
}
