package org.rddp.daemon.configuration;

import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.rddp.group.StackGroup;
import org.rddp.mpa.MpaSettings;
import org.rddp.tcp.TcpSettings;
import org.rddp.wire.Vlan;

/** Reads an {@code [[interface]]} of a configuration file. */
final class InterfaceReader {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,31}");

  /** The fewest packets of an engine, besides those that a card's rings keep. */
  private static final int LEAST_PACKETS = 1024;

  private static final int USUAL_PACKETS = 16384;

  /** The most that fits a packet buffer, whose octets DPDK counts in 16 bits. */
  private static final int LONGEST_FRAME = 65000;

  /**
   * Octets of frames with several segments, for usual and for large MTUs: more segments in a frame
   * cost less, but longer packets fill the processor's cache.
   */
  private static final int USUAL_LONG_FRAME = 16384;

  private static final int LARGE_LONG_FRAME = 32768;
  private static final int LARGE_MTU = 4096;

  /** Drivers of virtual devices that may have long frames. */
  private static final Set<String> LONG_FRAMES = Set.of("net_vhost", "net_virtio_user");

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
    DeviceName device = section.required("device", DeviceName.FORM, DeviceName::parse);
    AddressReader addresses = AddressReader.read(section);
    int mtu = section.integer("mtu", 576, 9600, 1500);
    int longest = section.integer("longest-frame", 576, LONGEST_FRAME, 0);
    int vlan = section.integer("vlan", Vlan.NONE, Vlan.LARGEST, Vlan.NONE);
    int priority = section.integer("vlan-priority", 0, Vlan.HIGHEST_PRIORITY, 0);
    if (priority > 0 && vlan == Vlan.NONE) {
      section.refuse(
          "vlan-priority",
          "is " + priority + ", and untagged frames have no priority",
          "a 'vlan', or no priority");
    }
    int engines =
        section.integerOr(
            "engines",
            "cores",
            Math.min(Runtime.getRuntime().availableProcessors(), StackGroup.MOST),
            1,
            StackGroup.MOST,
            1);
    int descriptors = section.powerOfTwo("descriptors", 64, 4096, 1024);
    int kept = device == null ? 0 : keptByRings(device, descriptors);
    int least = kept + LEAST_PACKETS;
    int packets =
        section.integer(
            "packets", LEAST_PACKETS, 1 << 20, Math.max(USUAL_PACKETS, engines * least));
    int connections = section.integer("connections", 1, 1 << 16, 16384);
    TcpSettings tcp = TcpReader.read(section.section("tcp"), connections);
    MpaSettings mpa = MpaReader.read(section.section("mpa"));
    long rate = TenantsReader.rate(section);
    int held = (int) section.octets("hold-messages", 0, 1 << 28, 2 << 20);
    long heldMemory = section.octets("hold-memory", 1 << 20, 1L << 34, 256 << 20);
    int queuePairPort =
        section.integer("queue-pair-port", 0, 65535, InterfaceConfiguration.QUEUE_PAIR_PORT);
    int socketsPort =
        section.integer("sockets-port", 0, 65535, InterfaceConfiguration.SOCKETS_PORT);
    if (socketsPort != 0 && socketsPort == queuePairPort) {
      section.refuse(
          "sockets-port",
          "is " + socketsPort + ", which is also queue-pair-port",
          "another port, or 0 for none");
    }
    Optional<IpsecConfiguration> ipsec = IpsecReader.read(section);
    if (!mpa.crcInEsp() && ipsec.isEmpty()) {
      section
          .section("mpa")
          .refuse(
              "crc-in-esp",
              "is false, and the interface has no security policy",
              "true, or a table [interface.ipsec]");
    }
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
    DeviceRules.check(section, device, mtu, vlan, engines);
    checkLongestFrame(section, device, longest, mtu, vlan);
    return new InterfaceConfiguration(
        name,
        device,
        addresses.ipv4(),
        addresses.ipv6(),
        mtu,
        longest == 0 ? usualLongestFrame(device, mtu, vlan) : longest,
        vlan,
        priority,
        engines,
        packets,
        descriptors,
        tcp,
        mpa,
        rate,
        held,
        heldMemory,
        queuePairPort,
        socketsPort,
        ipsec);
  }

  private static void checkLongestFrame(
      TomlSection section, DeviceName device, int longest, int mtu, int vlan) {
    if (longest == 0) {
      return;
    }
    boolean any =
        switch (device.kind()) {
          case RING, PCI, LINUX -> true;
          default -> LONG_FRAMES.contains(device.driver());
        };
    if (!any) {
      section.refuse(
          "longest-frame",
          "is for rings, cards, linux:, net_vhost and net_virtio_user only",
          "no 'longest-frame' here");
    } else if (device.kind() == DeviceName.Kind.LINUX && vlan != Vlan.NONE && longest > mtu) {
      section.refuse(
          "longest-frame",
          "is not for frames with a VLAN tag on linux:",
          "no 'longest-frame', or no 'vlan' and the Linux interface of that VLAN (\"linux:"
              + device.name()
              + "."
              + vlan
              + "\")");
    } else if (longest < mtu) {
      section.refuse(
          "longest-frame",
          longest + " is less than the mtu, " + mtu,
          "a whole number from " + mtu + " (no longer frames) to " + LONGEST_FRAME);
    }
  }

  private static int usualLongestFrame(DeviceName device, int mtu, int vlan) {
    return switch (device.kind()) {
      case RING -> mtu < LARGE_MTU ? USUAL_LONG_FRAME : LARGE_LONG_FRAME;
      // The kernel takes the tags out of received frames, which net_af_packet puts back.
      case LINUX -> vlan == Vlan.NONE ? LONGEST_FRAME : mtu;
      default -> mtu;
    };
  }

  /**
   * Packets that the rings of an engine's queues keep. Drivers of cards free sent packets only when
   * they need their descriptors for others. If the pool has no more packets than the rings, none is
   * left to receive an answer.
   */
  private static int keptByRings(DeviceName device, int descriptors) {
    return device.kind() == DeviceName.Kind.PCI ? 2 * descriptors : 0;
  }

  private static String matching(Pattern pattern, String text) {
    if (!pattern.matcher(text).matches()) {
      throw new IllegalArgumentException(text);
    }
    return text;
  }
}
