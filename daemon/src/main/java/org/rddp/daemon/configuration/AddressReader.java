package org.rddp.daemon.configuration;

import java.util.List;
import java.util.Optional;
import org.rddp.ip.HostAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv4Network;
import org.rddp.ip.Ipv6Address;
import org.rddp.ip.Ipv6Network;

/**
 * Reads the addresses and the configured or advertised gateways of an interface: at most one
 * address of each family, and at least one.
 */
final class AddressReader {
  private static final String ADDRESS = "address";
  private static final String GATEWAY = "gateway";
  private static final String ADVERTISED = "router-advertisements";

  private static final String ADDRESSES =
      "a unicast IPv4 address and its prefix length (1 to 31), such as \"10.0.0.1/24\", an IPv6 address that"
          + " is not link-local, such as \"2001:db8::1/64\", or a list of both, such as"
          + " [\"10.0.0.1/24\", \"2001:db8::1/64\"]";

  private static final String GATEWAYS =
      "an IPv4 address, such as \"10.0.0.254\", an IPv6 address, or a list of both";

  private final TomlSection section;
  private Ipv4Network ipv4;
  private Ipv4Address ipv4Gateway;
  private Ipv6Address address;
  private int prefix;
  private Ipv6Address gateway;
  private boolean advertised;

  private AddressReader(TomlSection section) {
    this.section = section;
  }

  /** Reads the keys, and refuses wrong values. */
  static AddressReader read(TomlSection section) {
    AddressReader reader = new AddressReader(section);
    List<String> addresses = section.stringOrStrings(ADDRESS, ADDRESSES);
    addresses.forEach(reader::readAddress);
    if (!section.has(ADDRESS)) {
      section.refuse(ADDRESS, "missing", ADDRESSES);
    } else if (section.isEmptyList(ADDRESS)) {
      section.refuse(ADDRESS, "is empty; every interface needs an address", ADDRESSES);
    }
    section.stringOrStrings(GATEWAY, GATEWAYS).forEach(reader::readGateway);
    reader.advertised = section.flag(ADVERTISED, false);
    if (reader.advertised) {
      reader.checkAdvertised();
    }
    return reader;
  }

  /** Whether there is no usable address. */
  boolean isEmpty() {
    return ipv4 == null && address == null;
  }

  /** The IPv4 of the interface. */
  Optional<Ipv4Network> ipv4() {
    return Optional.ofNullable(ipv4)
        .map(own ->
            new Ipv4Network(own.address(), own.prefixLength(), Optional.ofNullable(ipv4Gateway)));
  }

  /** The IPv6 of the interface. */
  Optional<Ipv6Network> ipv6() {
    return Optional.ofNullable(address)
        .map(own ->
            new Ipv6Network(
                own, prefix, Optional.ofNullable(gateway), advertised, HostSecret.value()));
  }

  private void checkAdvertised() {
    if (address == null) {
      section.refuse(ADVERTISED, "is for IPv6, and the interface has none", "an IPv6 address");
    } else if (gateway != null) {
      section.refuse(ADVERTISED, "contradicts the gateway " + gateway, "one of both, or neither");
      gateway = null;
    }
  }

  private void readAddress(String text) {
    try {
      if (text.indexOf(':') < 0) {
        requireFirst(ADDRESS, text, ipv4 == null);
        readIpv4(text);
      } else {
        requireFirst(ADDRESS, text, address == null);
        readIpv6(text);
      }
    } catch (IllegalArgumentException e) {
      section.refuse(ADDRESS, "\"" + text + "\" cannot be used", ADDRESSES);
    }
  }

  private void requireFirst(String key, String text, boolean first) {
    if (!first) {
      section.refuse(
          key, "\"" + text + "\" is the second one of its family", "one for each family");
    }
  }

  private void readIpv4(String text) {
    int slash = slash(text);
    Ipv4Address parsed = Ipv4Address.parse(text.substring(0, slash).strip());
    Ipv4Network network = new Ipv4Network(parsed, number(text, slash), Optional.empty());
    if (network.prefixLength() == 32 || !network.isHost(parsed)) {
      throw new IllegalArgumentException(text);
    }
    ipv4 = network;
  }

  private void readIpv6(String text) {
    int slash = slash(text);
    Ipv6Address parsed = Ipv6Address.parse(text.substring(0, slash));
    int bits = number(text, slash);
    if (!parsed.unicast() || parsed.linkLocal() || bits < 1 || bits > 128) {
      throw new IllegalArgumentException(text);
    }
    address = parsed;
    prefix = bits;
  }

  private static int slash(String text) {
    int slash = text.indexOf('/');
    if (slash < 0) {
      throw new IllegalArgumentException("no prefix length");
    }
    return slash;
  }

  private static int number(String text, int slash) {
    return Integer.parseInt(text, slash + 1, text.length(), 10);
  }

  private void readGateway(String text) {
    HostAddress parsed;
    try {
      parsed = HostAddress.parse(text);
    } catch (IllegalArgumentException e) {
      section.refuse(GATEWAY, "\"" + text + "\" cannot be used", GATEWAYS);
      return;
    }
    switch (parsed) {
      case Ipv4Address v4 -> {
        requireFirst(GATEWAY, text, ipv4Gateway == null);
        checkGateway(v4);
      }
      case Ipv6Address v6 -> {
        requireFirst(GATEWAY, text, gateway == null);
        checkGateway(v6);
      }
    }
  }

  private void checkGateway(Ipv4Address router) {
    if (ipv4 == null) {
      refuseWithoutAddress(router, "IPv4");
    } else if (!ipv4.contains(router) || !ipv4.isHost(router)) {
      section.refuse(
          GATEWAY,
          "\"" + router + "\" is not a host address of this interface's network",
          "an address of the network of " + ipv4.address() + "/" + ipv4.prefixLength());
    } else if (router.equals(ipv4.address())) {
      refuseOwn();
    } else {
      ipv4Gateway = router;
    }
  }

  private void checkGateway(Ipv6Address router) {
    if (address == null) {
      refuseWithoutAddress(router, "IPv6");
    } else if (router.equals(address)) {
      refuseOwn();
    } else if (router.unicast()
        && (router.linkLocal() || address.sharesPrefix(router.high(), router.low(), prefix))) {
      gateway = router;
    } else {
      section.refuse(
          GATEWAY,
          "\"" + router + "\" is neither link-local nor in this interface's network",
          "an address of the network of " + address + "/" + prefix);
    }
  }

  /** Refuses a gateway of a family without an address, unless the address itself was refused. */
  private void refuseWithoutAddress(HostAddress router, String family) {
    if (!isEmpty()) {
      section.refuse(
          GATEWAY, "\"" + router + "\" is of " + family + ", and the interface has none", GATEWAYS);
    }
  }

  private void refuseOwn() {
    section.refuse(GATEWAY, "is the interface's own address", "another host's");
  }
}
