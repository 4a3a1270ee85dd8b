package org.rddp.simulation.memory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.rddp.snapshot.Memories;
import org.rddp.wire.Memory;

/** Native memory that every run reuses. */
public final class Slab {
  private static final int LINE = 64;
  private static final int LEAST = 1 << 22;

  private long address;
  private long octets;
  private long used;

  /** What has been taken, in order. */
  private final List<Memories.Range> taken = new ArrayList<>();

  /** Allocates memory for this run. */
  public long take(int length) {
    long needed = ((long) length + LINE - 1) & -LINE;
    if (used + needed > octets) {
      octets = Math.max(LEAST, 2 * (octets + needed));
      address = Memory.allocate(octets);
      used = 0;
    }
    Memories.Range next = new Memories.Range(address + used, length);
    taken.add(next);
    used += needed;
    return next.address();
  }

  /** All memory that was taken. */
  public List<Memories.Range> ranges() {
    return Collections.unmodifiableList(taken);
  }

  /** Frees everything: another run begins. */
  public void clear() {
    used = 0;
    taken.clear();
  }
}
