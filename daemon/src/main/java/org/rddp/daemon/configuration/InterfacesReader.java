package org.rddp.daemon.configuration;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.rddp.ip.HostAddress;
import org.rddp.ip.Ipv4Network;
import org.rddp.ip.Ipv6Address;
import org.rddp.ip.Ipv6Network;

/** Reads all {@code [[interface]]} of a configuration file, and checks them against each other. */
final class InterfacesReader {
  private static final long MIB = 1 << 20;

  private record Placed(InterfaceConfiguration read, TomlSection section, int number) {
    List<HostAddress> addresses() {
      List<HostAddress> all = new ArrayList<>();
      read.ipv4().ifPresent(network -> all.add(network.address()));
      read.ipv6().ifPresent(network -> all.add(network.address()));
      return all;
    }
  }

  private final TomlSection root;
  private final List<Placed> interfaces = new ArrayList<>();

  private InterfacesReader(TomlSection root) {
    this.root = root;
  }

  /**
   * Reads the interfaces.
   *
   * @param dpdk settings whose memory must hold the packets
   */
  static List<InterfaceConfiguration> read(TomlSection root, TomlSection dpdk, long memory) {
    InterfacesReader reader = new InterfacesReader(root);
    reader.readAll();
    reader.checkNames();
    reader.checkNetworks();
    reader.checkDevices();
    reader.checkRings();
    reader.checkMemory(dpdk, memory);
    return reader.interfaces.stream().map(Placed::read).toList();
  }

  private void readAll() {
    List<TomlSection> sections = root.sections("interface");
    for (int i = 0; i < sections.size(); i++) {
      InterfaceConfiguration read = InterfaceReader.read(sections.get(i));
      if (read != null) {
        interfaces.add(new Placed(read, sections.get(i), i + 1));
      }
    }
    if (sections.isEmpty()) {
      root.refuse("no [[interface]]; at least one is needed");
    }
  }

  private void checkNames() {
    Map<String, Integer> names = new HashMap<>();
    Map<HostAddress, Integer> addresses = new HashMap<>();
    for (Placed each : interfaces) {
      Integer same = names.putIfAbsent(each.read.name(), each.number);
      if (same != null) {
        each.section.refuse("name", "is that of interface[" + same + "] too", "a unique name");
      }
      for (HostAddress address : each.addresses()) {
        same = addresses.putIfAbsent(address, each.number);
        if (same != null) {
          each.section.refuse(
              "address",
              "\"" + address + "\" is that of interface[" + same + "] too",
              "a unique address");
        }
      }
    }
  }

  /**
   * Two interfaces may be in the same network, as the ends of one link are. Overlapping networks
   * with different prefix lengths are a mistake: hosts would disagree on which hosts are
   * neighbours.
   */
  private void checkNetworks() {
    for (int i = 1; i < interfaces.size(); i++) {
      Placed each = interfaces.get(i);
      for (Placed before : interfaces.subList(0, i)) {
        boolean sameLink = each.read.vlan() == before.read.vlan();
        if (sameLink && overlapOfIpv4(each.read.ipv4(), before.read.ipv4())) {
          each.section.refuse(
              "address",
              "the network "
                  + each.read.ipv4().orElseThrow().text()
                  + " overlaps "
                  + before.read.ipv4().orElseThrow().text()
                  + " of interface["
                  + before.number
                  + "]",
              "the same prefix length for one network, or separate networks");
          break;
        }
        if (sameLink && overlap(each.read.ipv6(), before.read.ipv6())) {
          each.section.refuse(
              "address",
              "its IPv6 network overlaps that of interface[" + before.number + "]",
              "the same prefix length for one network, or separate networks");
          break;
        }
      }
    }
  }

  private static boolean overlapOfIpv4(Optional<Ipv4Network> one, Optional<Ipv4Network> other) {
    return one.isPresent()
        && other.isPresent()
        && one.get().prefixLength() != other.get().prefixLength()
        && (one.get().contains(other.get().address()) || other.get().contains(one.get().address()));
  }

  private static boolean overlap(Optional<Ipv6Network> one, Optional<Ipv6Network> other) {
    if (one.isEmpty() || other.isEmpty()) {
      return false;
    }
    Ipv6Address address = other.get().address();
    int prefix = one.get().prefixLength();
    int otherPrefix = other.get().prefixLength();
    return prefix != otherPrefix
        && one.get()
            .address()
            .sharesPrefix(address.high(), address.low(), Math.min(prefix, otherPrefix));
  }

  private void checkDevices() {
    Map<String, Integer> owners = new HashMap<>();
    for (Placed each : interfaces) {
      for (String owned : DeviceRules.exclusive(each.read.device())) {
        Integer same = owners.putIfAbsent(owned, each.number);
        if (same != null) {
          each.section.refuse(
              "device", owned + " is that of interface[" + same + "] too", "a device of its own");
          break;
        }
      }
    }
  }

  private void checkRings() {
    Map<String, Integer> rings = new LinkedHashMap<>();
    for (Placed each : interfaces) {
      if (each.read.isRing()) {
        rings.merge(each.read.ringName(), 1, Integer::sum);
      }
    }
    rings.forEach((ring, ends) -> {
      if (ends != 2) {
        interfaces.stream()
            .filter(each -> each.read.isRing() && each.read.ringName().equals(ring))
            .reduce((first, last) -> last)
            .orElseThrow()
            .section
            .refuse(
                "device",
                "\"ring:" + ring + "\" needs exactly two interfaces; it has " + ends,
                "a ring's name in exactly two interfaces");
      }
    });
  }

  private void checkMemory(TomlSection dpdk, long memory) {
    long needed = 0;
    List<String> shares = new ArrayList<>();
    Map<String, Boolean> rings = new HashMap<>();
    for (Placed each : interfaces) {
      long own = FrameLengths.packetMemory(each.read);
      // Between the ends of a ring, short frames are copied into a third pool.
      boolean first = each.read.isRing() && rings.putIfAbsent(each.read.ringName(), true) == null;
      own += first ? FrameLengths.ordinaryMemory(each.read) : 0;
      needed += own;
      shares.add(each.read.name() + " " + SizeText.format(own >> 20 << 20));
    }
    if (needed > memory) {
      dpdk.refuse(
          "memory",
          SizeText.format(memory)
              + " does not hold the packets of the interfaces ("
              + String.join(", ", shares)
              + ")",
          "at least "
              + (needed / MIB + needed / MIB / 16 + 1)
              + "MiB, or fewer 'packets' or a smaller 'mtu' of an interface");
    }
  }
}
