package org.rddp.simulation.memory;

/** What is expected to come to a range of memory. */
public interface ExpectedOctets {
  /**
   * How many octets of memory are those that are expected.
   *
   * @param address of the first to look at
   * @param from which of the expected octets it is held to
   * @param most how many to look at
   * @return how many agree until the first that does not, 0 to {@code most}
   */
  int agree(long address, int from, int most);
}
