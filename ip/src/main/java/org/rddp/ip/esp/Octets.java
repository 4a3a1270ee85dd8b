package org.rddp.ip.esp;

import java.util.Arrays;
import org.rddp.wire.Memory;

/** An array that is used again for each packet, and grows to the longest. */
final class Octets {
  private static final int USUAL = 2048;

  private byte[] array = new byte[USUAL];

  /** The array, with room for so many octets. */
  byte[] room(int octets) {
    if (octets > array.length) {
      array = new byte[octets];
    }
    return array;
  }

  /** The array with a copy of so many octets of native memory at its beginning. */
  byte[] read(long address, int octets) {
    byte[] copy = room(octets);
    Memory.copy(address, copy, 0, octets);
    return copy;
  }

  /** Overwrites what it holds. */
  void clear() {
    Arrays.fill(array, (byte) 0);
  }
}
