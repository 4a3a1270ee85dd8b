package org.rddp.simulation.memory;

import java.util.ArrayList;
import java.util.List;

/**
 * The octets that an RDMA Read may bring: those of its source after everything posted before it, or
 * those of requests that write there and are not ordered with it.
 */
public final class ReadOctets implements ExpectedOctets {
  private final int source;
  private final byte[] expected;
  private final long number;
  private final ModelStag tag;
  private final List<ExpectedPlacement> rivals = new ArrayList<>(0);

  /**
   * The octets that a Read may bring.
   *
   * @param source offset in the memory, in octets
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

  /** Whether the STag of its source is still valid. */
  public boolean named() {
    return tag.live();
  }

  public boolean overlaps(int from, int end) {
    return from < source + expected.length && end > source;
  }

  /** The source may hold the octets of this Write, or not. */
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
