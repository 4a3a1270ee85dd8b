package org.rddp.simulation.memory;

import java.util.ArrayList;
import java.util.List;

/**
 * What an RDMA Read may bring: what its source holds behind everything posted before it, and where
 * requests that are not ordered with it write there, what those write.
 */
public final class ReadOctets implements ExpectedOctets {
  private final int source;
  private final byte[] expected;
  private final long number;
  private final ModelStag tag;
  private final List<ExpectedPlacement> rivals = new ArrayList<>(0);

  /**
   * What a read brings.
   *
   * @param source where in the source's memory, in octets from its beginning
   * @param number of the request
   */
  public ReadOctets(int source, byte[] expected, long number, ModelStag tag) {
    this.source = source;
    this.expected = expected;
    this.number = number;
    this.tag = tag;
  }

  public long number() {
    return number;
  }

  public boolean under(ModelStag other) {
    return tag.under(other);
  }

  /** Whether its source still has the name that it was asked for by. */
  public boolean named() {
    return tag.live();
  }

  public boolean overlaps(int from, int end) {
    return from < source + expected.length && end > source;
  }

  /** What a write leaves may be there when the source is read, or may not. */
  public void addRival(ExpectedPlacement write) {
    rivals.add(write);
  }

  @Override
  public int agree(long address, int from, int most) {
    int same = KnownOctets.agree(address, expected, from, most);
    for (int i = 0; same == 0 && i < rivals.size(); i++) {
      ExpectedPlacement rival = rivals.get(i);
      if (rival.covers(source + from)) {
        same = rival.agree(address, source + from, most);
      }
    }
    return same;
  }
}
