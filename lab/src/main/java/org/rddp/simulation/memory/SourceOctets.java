package org.rddp.simulation.memory;

import java.util.SplittableRandom;
import org.rddp.wire.Memory;

/** Octets that all runs send from, and that must never change. */
public final class SourceOctets {
  /** Number of octets. */
  public static final int LENGTH = 1 << 21;

  private final byte[] array = new byte[LENGTH];
  private final long address = Memory.allocate(LENGTH);

  /** The octets are always the same. */
  public SourceOctets() {
    new SplittableRandom(LENGTH).nextBytes(array);
    Memory.copy(array, 0, address, LENGTH);
  }

  public byte[] array() {
    return array;
  }

  /** Draws the index at which this many octets begin. */
  public int draw(SplittableRandom random, int length) {
    return random.nextInt(LENGTH - length + 1);
  }

  /** Whether no octet has changed. */
  public boolean intact() {
    return KnownOctets.agree(address, array, 0, LENGTH) == LENGTH;
  }
}
