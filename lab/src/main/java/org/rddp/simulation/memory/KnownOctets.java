package org.rddp.simulation.memory;

import java.lang.foreign.MemorySegment;

/** Octets each of which is known. */
@SuppressWarnings("ArrayRecordComponent")
public record KnownOctets(byte[] array, int first) implements ExpectedOctets {
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  @Override
  public int agree(long address, int from, int most) {
    return agree(address, array, first + from, most);
  }

  /** How many octets of memory agree with an array from an index on. */
  public static int agree(long address, byte[] octets, int from, int most) {
    MemorySegment array = MemorySegment.ofArray(octets);
    long end = address + most;
    long same = MemorySegment.mismatch(ALL, address, end, array, from, (long) from + most);
    return same < 0 ? most : (int) same;
  }
}
