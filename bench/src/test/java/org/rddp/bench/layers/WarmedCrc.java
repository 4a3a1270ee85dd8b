package org.rddp.bench.layers;

import org.rddp.crc.Crc32c;
import org.rddp.wire.Memory;

/** The process whose compilations of CRC32c by vectors are checked. */
public final class WarmedCrc {
  /** What it prints where there are no vectors. */
  static final String NONE = "none";

  private static final int ROUNDS = 20_000;
  private static final int SHORT = 78;
  private static final int LONG = 8938;

  private WarmedCrc() {}

  /** Takes CRCs of few and of many octets until HotSpot must have compiled everything. */
  public static void main(String[] arguments) {
    Crc32c crc;
    try {
      crc = Crc32c.create();
    } catch (IllegalStateException e) {
      System.out.println(NONE);
      return;
    }
    long from = Memory.allocate(LONG);
    long to = Memory.allocate(LONG);
    int sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
      sum = crc.update(sum, from, SHORT);
      sum = crc.update(sum, from, LONG);
      sum = crc.copy(sum, from, to, LONG);
    }
    System.out.println(sum);
  }
}
