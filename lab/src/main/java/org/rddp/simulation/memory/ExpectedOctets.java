package org.rddp.simulation.memory;

/** The octets that are expected in a range of memory. */
public interface ExpectedOctets {
  /**
   * Compares memory with the expected octets.
   *
   * @param address of the first octet in memory
   * @param from index of the first expected octet
   * @param most octets to compare
   * @return how many agree before the first difference, 0 to {@code most}
   */
  int agree(long address, int from, int most);
}
