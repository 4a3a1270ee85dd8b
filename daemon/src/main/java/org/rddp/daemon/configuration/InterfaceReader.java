package org.rddp.daemon.configuration;

import java.util.regex.Pattern;
import org.rddp.ip.StackGroup;
import org.rddp.mpa.MpaSettings;
import org.rddp.tcp.TcpSettings;
import org.rddp.wire.Vlan;

/** Reads an {@code [[interface]]} of a configuration file. */
final class InterfaceReader {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,31}");

  /** The fewest packets that an engine works with, besides those that a card's rings keep. */
  private static final int LEAST_PACKETS = 1024;

  private static final int USUAL_PACKETS = 16384;

  /** The smallest MTU of a link of IPv6 (RFC 8200 section 5). */
  private static final int LEAST_IPV6_MTU = 1280;

  private InterfaceReader() {}

  /** Reads the interface; null if a required key is missing or wrong. */
  static InterfaceConfiguration read(TomlSection section) {
    String name =
        section.required(
            "name",
            "letters, digits, '.', '_' or '-', 1 to 32 of them",
            text -> matching(NAME, text));
    String device = section.required("device", DeviceName.FORM, InterfaceReader::device);
    AddressReader addresses = AddressReader.read(section);
    int mtu = (int) section.integer("mtu", 576, 9600, 1500);
    int vlan = (int) section.integer("vlan", Vlan.NONE, Vlan.LARGEST, Vlan.NONE);
    int engines =
        (int)
            section.integerOr(
                "engines",
                "cores",
                Math.min(Runtime.getRuntime().availableProcessors(), StackGroup.MOST),
                1,
                StackGroup.MOST,
                1);
    int descriptors = section.powerOfTwo("descriptors", 64, 4096, 1024);
    int kept = device == null ? 0 : keptByRings(DeviceName.parse(device), descriptors);
    int least = kept + LEAST_PACKETS;
    int packets =
        (int)
            section.integer(
                "packets", LEAST_PACKETS, 1 << 20, Math.max(USUAL_PACKETS, engines * least));
    int connections = (int) section.integer("connections", 1, 1 << 16, 4096);
    TcpSettings tcp = TcpReader.read(section.section("tcp"), connections);
    MpaSettings mpa = MpaReader.read(section.section("mpa"));
    int held = (int) section.octets("hold-messages", 0, 1 << 28, 2 << 20);
    long heldMemory = section.octets("hold-memory", 1 << 20, 1L << 34, 256 << 20);
    section.refuseUnknownKeys();
    if (name == null || device == null || addresses.isEmpty()) {
      return null;
    }
    if (packets / engines < least) {
      section.refuse(
          "packets",
          packets
              + " are too few for "
              + (engines == 1 ? "an engine" : engines + " engines")
              + (kept == 0 ? "" : ", whose queues of the card keep " + kept + " of them"),
          "at least " + least + " for each engine" + (kept == 0 ? "" : ", or fewer 'descriptors'"));
    }
    if (addresses.ipv6().isPresent() && mtu < LEAST_IPV6_MTU) {
      section.refuse(
          "mtu", mtu + " is too small for IPv6", "at least " + LEAST_IPV6_MTU + " (RFC 8200)");
    }
    DeviceRules.check(section, DeviceName.parse(device), mtu, vlan, engines);
    return new InterfaceConfiguration(
        name,
        device,
        addresses.ipv4(),
        addresses.ipv6(),
        mtu,
        vlan,
        engines,
        packets,
        descriptors,
        tcp,
        mpa,
        held,
        heldMemory);
  }

  /**
   * How many packets the rings of an engine's queues keep. Drivers of cards give sent packets back
   * when they need their descriptors for others. If the pool has no more than the rings, the last
   * packet is sent and nothing is left to receive the answer with.
   */
  private static int keptByRings(DeviceName device, int descriptors) {
    return device.kind() == DeviceName.Kind.PCI ? 2 * descriptors : 0;
  }

  private static String device(String text) {
    DeviceName ignored = DeviceName.parse(text);
    return text;
  }

  private static String matching(Pattern pattern, String text) {
    if (!pattern.matcher(text).matches()) {
      throw new IllegalArgumentException(text);
    }
    return text;
  }
}
