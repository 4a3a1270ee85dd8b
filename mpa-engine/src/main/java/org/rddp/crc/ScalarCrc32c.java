package org.rddp.crc;

import org.rddp.wire.Memory;

/**
 * CRC32c by a table of 256 entries, one octet at a time: the reference for tests, and the fastest
 * for very short lengths. Stateless and thread-safe.
 */
public final class ScalarCrc32c implements Crc32c {
  private static final int[] TABLE = table();

  private static int[] table() {
    int[] table = new int[256];
    for (int octet = 0; octet < table.length; octet++) {
      int remainder = octet;
      for (int bit = 0; bit < 8; bit++) {
        remainder = (remainder >>> 1) ^ (Polynomial.CASTAGNOLI & -(remainder & 1));
      }
      table[octet] = remainder;
    }
    return table;
  }

  /** Creates an instance. */
  public ScalarCrc32c() {}

  @Override
  public int update(int crc, long address, long length) {
    return continued(crc, address, length);
  }

  static int continued(int crc, long address, long length) {
    int remainder = ~crc;
    for (long at = address; at < address + length; at++) {
      remainder = (remainder >>> 8) ^ TABLE[(remainder ^ Memory.getByte(at)) & 255];
    }
    return ~remainder;
  }
}
