package org.rddp.mirror;

import java.net.InetAddress;
import org.rddp.client.types.SecurityAssociation;
import org.rddp.ipc.control.SecretOctets;

/**
 * A security association as the kernel has it.
 *
 * @param spi Security Parameters Index, unsigned
 * @param destination address of the host that receives
 * @param association for the daemon, of which the addresses are the two hosts'; null if it cannot
 *     be used there
 * @param limits on octets and packets
 * @param keys of encryption, salt and integrity, in this order; empty if it cannot be used
 * @param problem why it cannot be used; empty if it can
 */
public record KernelAssociation(
    int spi,
    InetAddress destination,
    SecurityAssociation association,
    Limits limits,
    SecretOctets keys,
    String problem)
    implements AutoCloseable {
  /**
   * After how many octets and packets it should be replaced, and may not be used.
   *
   * @param softOctets octets of payload; 0: none
   * @param hardOctets octets of payload; 0: none
   * @param softPackets packets; 0: none
   * @param hardPackets packets; 0: none
   */
  public record Limits(long softOctets, long hardOctets, long softPackets, long hardPackets) {
    /** Whether there is one. */
    boolean any() {
      return (softOctets | hardOctets | softPackets | hardPackets) != 0;
    }

    boolean isSoftOver(long octets, long packets) {
      return isOver(softOctets, octets) || isOver(softPackets, packets);
    }

    boolean isHardOver(long octets, long packets) {
      return isOver(hardOctets, octets) || isOver(hardPackets, packets);
    }

    private static boolean isOver(long limit, long used) {
      return limit != 0 && Long.compareUnsigned(used, limit) >= 0;
    }
  }

  /** What names it: SPI and destination. */
  Name name() {
    return new Name(spi, destination);
  }

  /**
   * What names an association.
   *
   * @param spi Security Parameters Index, unsigned
   * @param destination address of the host that receives
   */
  public record Name(int spi, InetAddress destination) {
    @Override
    public String toString() {
      return "0x%08x to %s".formatted(spi, destination.getHostAddress());
    }
  }

  /** Overwrites the keys. */
  @Override
  public void close() {
    keys.wipe();
  }

  /** Everything but the keys. */
  @Override
  public String toString() {
    return name().toString();
  }
}
