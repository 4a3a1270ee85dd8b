package org.rddp.simulation.memory;

import java.util.SplittableRandom;
import org.rddp.wire.Memory;

/** Octets that all lives send from, and that nobody may change. */
public final class SourceOctets {
  /** So many there are. */
  public static final int LENGTH = 1 << 21;

  private final byte[] array = new byte[LENGTH];
  private final long address = Memory.allocate(LENGTH);

  /** Always the same. */
  public SourceOctets() {
    new SplittableRandom(LENGTH).nextBytes(array);
    Memory.copy(array, 0, address, LENGTH);
  }

  public byte[] array() {
    return array;
  }

  /** Address of an octet. */
  public long address(int at) {
    return address + at;
  }

  /** The first of so many octets, drawn. */
  public int draw(SplittableRandom random, int length) {
    return random.nextInt(LENGTH - length + 1);
  }

  /** Whether nobody has changed any. */
  public boolean intact() {
    return KnownOctets.agree(address, array, 0, LENGTH) == LENGTH;
  }
}
