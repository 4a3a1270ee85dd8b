package org.rddp.dpdk;

import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongFunction;
import org.rddp.dpdk.generated.Dpdk;

/** Translates offloads of one direction between DPDK's names and bit masks. */
final class OffloadNames {
  static final OffloadNames RECEIVE =
      new OffloadNames("receive", bit -> Dpdk.rddp_rx_offload_name(bit).getString(0));
  static final OffloadNames TRANSMIT =
      new OffloadNames("transmit", bit -> Dpdk.rddp_tx_offload_name(bit).getString(0));

  private final String direction;
  private final LongFunction<String> nameOfBit;

  private OffloadNames(String direction, LongFunction<String> nameOfBit) {
    this.direction = direction;
    this.nameOfBit = nameOfBit;
  }

  /** Names of the bits set in {@code mask}, in alphabetical order. */
  Set<String> names(long mask) {
    Set<String> names = new TreeSet<>();
    for (long rest = mask; rest != 0; rest &= rest - 1) {
      names.add(nameOfBit.apply(Long.lowestOneBit(rest)));
    }
    return Collections.unmodifiableSet(names);
  }

  /**
   * The bits of {@code capable} with the given names.
   *
   * @throws DpdkException if a name is not among them
   */
  long mask(Set<String> names, long capable) {
    long mask = 0;
    Set<String> missing = new TreeSet<>(names);
    for (long rest = capable; rest != 0; rest &= rest - 1) {
      long bit = Long.lowestOneBit(rest);
      if (missing.remove(nameOfBit.apply(bit))) {
        mask |= bit;
      }
    }
    if (!missing.isEmpty()) {
      throw DpdkException.refused(
          "The port has no "
              + direction
              + " offload "
              + String.join(", ", missing)
              + ". It has: "
              + String.join(", ", names(capable))
              + ".");
    }
    return mask;
  }
}
