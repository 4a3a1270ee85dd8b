package org.rddp.daemon.configuration;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.rddp.daemon.packet.XdpPort;
import org.rddp.wire.Vlan;

/** Rules about drivers that need no call of DPDK: which MTU their arguments allow. */
final class DeviceRules {
  private static final String MEMIF = "net_memif";
  private static final String TAP = "net_tap";

  /** DPDK's default {@code bsize} of net_memif. */
  private static final int MEMIF_DEFAULT = 2048;

  private static final int TAP_MTU = 1500;

  /** Octets of the longest device name that DPDK opens, from 24.11 on. */
  static final int LONGEST = 127;

  /** The arguments that name a resource that only one device can use, such as a socket's path. */
  private static final Map<String, List<String>> EXCLUSIVE =
      Map.of(
          "net_vhost",
          List.of("iface"),
          "net_virtio_user",
          List.of("path"),
          "virtio_user",
          List.of("path"),
          MEMIF,
          List.of("socket", "id", "role"),
          TAP,
          List.of("iface"));

  private DeviceRules() {}

  /** Refuses a device that cannot carry the frames of the interface's MTU. */
  static void check(TomlSection section, DeviceName device, int mtu, int vlan, int queues) {
    if (device.kind() == DeviceName.Kind.XDP) {
      checkXdp(section, device, mtu, vlan);
      return;
    }
    int frame = FrameLengths.frame(mtu, vlan);
    checkLength(section, device.dpdkArguments(frame, queues));
    switch (device.driver()) {
      case MEMIF -> checkMemif(section, device, frame);
      case TAP -> {
        if (mtu > TAP_MTU) {
          section.refuse(
              "mtu",
              mtu + " is more than " + device.name() + " can send",
              "a whole number from 576 to " + TAP_MTU);
        }
      }
      case "net_af_packet" -> checkAfPacket(section, device, frame);
      default -> {}
    }
  }

  private static void checkXdp(TomlSection section, DeviceName device, int mtu, int vlan) {
    if (mtu > XdpPort.LARGEST_MTU) {
      section.refuse(
          "mtu",
          mtu + " is more than AF_XDP carries in a frame",
          "a whole number from 576 to "
              + XdpPort.LARGEST_MTU
              + ", or \"linux:"
              + device.name()
              + "\"");
    }
    if (vlan != Vlan.NONE) {
      section.refuse(
          "vlan",
          "is not for xdp:, whose card may take the tags out of received frames",
          "no 'vlan' and the Linux interface of that VLAN, by linux:");
    }
  }

  private static void checkLength(TomlSection section, String device) {
    int length = device.getBytes(StandardCharsets.UTF_8).length;
    if (length > LONGEST) {
      section.refuse(
          "device",
          "its " + length + " octets are more than DPDK takes: " + device,
          "at most " + LONGEST + " octets, for instance with a shorter path of a socket");
    }
  }

  private static void checkMemif(TomlSection section, DeviceName device, int frame) {
    String given = device.arguments().get("bsize");
    int size = given == null ? MEMIF_DEFAULT : number(given);
    if (size < frame) {
      section.refuse(
          "device",
          device.name()
              + " carries frames of at most "
              + size
              + " octets"
              + (given == null ? " without bsize" : "")
              + ", and this MTU needs "
              + frame,
          "bsize=" + (frame + 1023) / 1024 * 1024 + " or more, the same at both ends");
    } else if (!"no".equals(device.arguments().get("socket-abstract"))) {
      section.refuse(
          "device",
          device.name()
              + " has an abstract socket, which every user may connect to and then end the daemon",
          "socket-abstract=no and socket=, the path of a file");
    }
  }

  private static void checkAfPacket(TomlSection section, DeviceName device, int frame) {
    if (device.kind() == DeviceName.Kind.LINUX) {
      return;
    }
    String linux = device.linuxInterface();
    if (linux == null) {
      section.refuse("device", device.name() + " names no Linux interface", "\"linux:eth0\"");
      return;
    }
    String problem = AfPacketFrames.problem(device.arguments(), frame);
    if (problem != null) {
      String sizes = AfPacketFrames.arguments(frame);
      section.refuse(
          "device",
          device.name() + " " + problem,
          "\"linux:"
              + linux
              + "\", which chooses the sizes, or "
              + (sizes.isEmpty() ? "no framesz and blocksz" : sizes.substring(1)));
    }
  }

  private static int number(String text) {
    try {
      return Integer.parseUnsignedInt(text);
    } catch (NumberFormatException e) {
      // DPDK refuses it.
      return Integer.MAX_VALUE;
    }
  }

  /**
   * The exclusive resources of a device: no two devices may share one. The ends of a link, which
   * name the same socket, share none.
   */
  static List<String> exclusive(DeviceName device) {
    List<String> all = new ArrayList<>();
    switch (device.kind()) {
      case RING -> {}
      case LINUX, XDP, VIRTUAL -> {
        if (device.linuxInterface() != null) {
          all.add("the Linux interface " + device.linuxInterface());
        }
        if (device.kind() == DeviceName.Kind.VIRTUAL) {
          all.add("the name " + device.name());
          addArguments(device, all);
        }
      }
      case PCI -> all.add("the card " + device.name());
    }
    return all;
  }

  private static void addArguments(DeviceName device, List<String> all) {
    List<String> keys = EXCLUSIVE.getOrDefault(device.driver(), List.of());
    List<String> values = new ArrayList<>();
    for (String key : keys) {
      String value = device.arguments().get(key);
      if (value == null) {
        return;
      }
      values.add(key + "=" + value);
    }
    if (!values.isEmpty()) {
      all.add(String.join(",", values) + " of " + device.driver());
    }
  }
}
