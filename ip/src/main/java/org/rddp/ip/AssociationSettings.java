package org.rddp.ip;

import org.rddp.ip.esp.EspSuite;
import org.rddp.ip.esp.Lifetime;
import org.rddp.ip.esp.ReplayWindow;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;

/**
 * A security association without its keys (RFC 4301 section 4.4.2): one direction between two
 * hosts.
 *
 * @param spi Security Parameters Index, 256 to 2^32 - 1, unsigned; the receiver chooses it
 * @param source of its packets
 * @param destination of its packets
 * @param tunnel whether whole IP packets are sealed, with an IP header of the two addresses in
 *     front (tunnel mode); otherwise the payload of packets between the two (transport mode)
 * @param suite encryption and integrity
 * @param esn whether sequence numbers have 64 bits (RFC 4303 section 2.2.1)
 * @param window packets in the receiver's {@link ReplayWindow}
 * @param selector the traffic that may be in it; of an address other than the peer's in tunnel mode
 *     only
 * @param lifetime how long it may be used
 */
public record AssociationSettings(
    int spi,
    HostAddress source,
    HostAddress destination,
    boolean tunnel,
    EspSuite suite,
    boolean esn,
    int window,
    TrafficSelector selector,
    Lifetime lifetime) {
  private static final int FIRST_SPI = 256;

  /** What the fields have before they are read. */
  private static final AssociationSettings UNREAD =
      usual(
          FIRST_SPI,
          Ipv4Address.parse("10.0.0.1"),
          Ipv4Address.parse("10.0.0.2"),
          false,
          EspSuite.AES128_GCM16,
          Ipv4Address.parse("10.0.0.2"));

  /** Checks the ranges, and that both addresses are hosts' and of one family. */
  public AssociationSettings {
    if (Integer.compareUnsigned(spi, FIRST_SPI) < 0) {
      throw new IllegalArgumentException("an SPI is 256 to 2^32 - 1; lower ones are reserved");
    }
    if (!source.unicast()
        || !destination.unicast()
        || source instanceof Ipv4Address != destination instanceof Ipv4Address
        || source.equals(destination)) {
      throw new IllegalArgumentException(
          "the addresses are of two hosts and of one family, not %s and %s"
              .formatted(source, destination));
    }
    if (window < ReplayWindow.LEAST || window > ReplayWindow.MOST) {
      throw new IllegalArgumentException(
          "a replay window has %d to %d packets, not %d"
              .formatted(ReplayWindow.LEAST, ReplayWindow.MOST, window));
    }
  }

  /**
   * Transfers settings.
   *
   * @param written null if they are read
   */
  static AssociationSettings transfer(Snapshot snapshot, AssociationSettings written) {
    AssociationSettings from = written == null ? UNREAD : written;
    snapshot.begin(AssociationSettings.class);
    int spi = snapshot.number("spi", from.spi);
    HostAddress source = HostAddress.transfer(snapshot, from.source);
    HostAddress destination = HostAddress.transfer(snapshot, from.destination);
    boolean tunnel = snapshot.flag("tunnel", from.tunnel);
    EspSuite suite = snapshot.constant("suite", EspSuite.class, from.suite);
    boolean esn = snapshot.flag("esn", from.esn);
    int window = snapshot.number("window", from.window);
    TrafficSelector selector = snapshot.record("selector", TrafficSelector.class, from.selector);
    Lifetime lifetime = snapshot.record("lifetime", Lifetime.class, from.lifetime);
    snapshot.end();
    if (selector == null || lifetime == null) {
      throw snapshot.wrong("an association has no selector or no lifetime");
    }
    try {
      return new AssociationSettings(
          spi, source, destination, tunnel, suite, esn, window, selector, lifetime);
    } catch (IllegalArgumentException invalid) {
      throw snapshot.wrong(invalid.getMessage());
    }
  }

  /** Octets of the IP header in front of what is sealed. */
  int header() {
    return destination instanceof Ipv4Address ? Ipv4.HEADER : Ipv6.HEADER;
  }

  /** Whether it is the association with an SPI to a destination. */
  boolean isNamed(int other, HostAddress to) {
    return spi == other && destination.equals(to);
  }

  /**
   * Settings with 64-bit sequence numbers, the usual window and no lifetime, for all traffic with
   * one of the addresses.
   *
   * @param remote the peer's address
   */
  public static AssociationSettings usual(
      int spi,
      HostAddress source,
      HostAddress destination,
      boolean tunnel,
      EspSuite suite,
      HostAddress remote) {
    return new AssociationSettings(
        spi,
        source,
        destination,
        tunnel,
        suite,
        true,
        ReplayWindow.USUAL,
        TrafficSelector.of(remote),
        Lifetime.UNLIMITED);
  }
}
