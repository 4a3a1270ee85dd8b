package org.rddp.daemon.configuration;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parsed name of an interface's device.
 *
 * @param text all of it, as configured
 * @param kind the form of the name
 * @param name the name of the ring or of the Linux interface, the address of the PCI device with
 *     its domain, or the name of the virtual device, such as {@code net_vhost0}
 * @param arguments the arguments of a virtual or a PCI device in their order; an argument without a
 *     value has an empty one
 */
public record DeviceName(String text, Kind kind, String name, Map<String, String> arguments) {
  /** The forms, for messages. */
  public static final String FORM =
      "\"linux:eth0\" or \"xdp:eth0\" (a Linux interface), \"pci:0000:03:00.0\" (a card bound to vfio-pci),"
          + " \"ring:NAME\" (used by exactly two interfaces), or a DPDK virtual device with its"
          + " arguments (\"net_virtio_user0,path=/run/vhost.sock\")";

  private static final Pattern RING = Pattern.compile("ring:([A-Za-z0-9]{1,16})");
  private static final Pattern LINUX = Pattern.compile("linux:([A-Za-z0-9_.-]{1,15})");
  private static final Pattern XDP = Pattern.compile("xdp:([A-Za-z0-9_.-]{1,15})");
  private static final Pattern PCI =
      Pattern.compile("(?:pci:)?((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7])((?:,[^,]+)*)");
  private static final Pattern VIRTUAL =
      Pattern.compile("((?:net_|virtio_user)[a-z0-9_]+)((?:,[^,]+)*)");

  /** The forms of a device's name. */
  public enum Kind {
    /** {@code ring:NAME}: one end of a pair of rings in this process. */
    RING,
    /** {@code linux:IF}: a Linux interface, by packet sockets or DPDK's driver net_af_packet. */
    LINUX,
    /** {@code xdp:IF}: a Linux interface, by AF_XDP sockets. */
    XDP,
    /** {@code pci:ADDRESS}, or the address alone: a card that is bound to a driver for DPDK. */
    PCI,
    /** A virtual device of DPDK with its arguments. */
    VIRTUAL
  }

  /** Copies the arguments. */
  public DeviceName {
    arguments = Collections.unmodifiableMap(new LinkedHashMap<>(arguments));
  }

  /**
   * Parses a device's name.
   *
   * @throws IllegalArgumentException if it has none of the forms {@link #FORM}
   */
  public static DeviceName parse(String text) {
    Matcher matcher = RING.matcher(text);
    if (matcher.matches()) {
      return new DeviceName(text, Kind.RING, matcher.group(1), Map.of());
    }
    matcher = LINUX.matcher(text);
    if (matcher.matches()) {
      return new DeviceName(text, Kind.LINUX, matcher.group(1), Map.of());
    }
    matcher = XDP.matcher(text);
    if (matcher.matches()) {
      return new DeviceName(text, Kind.XDP, matcher.group(1), Map.of());
    }
    matcher = PCI.matcher(text);
    if (matcher.matches()) {
      String address = matcher.group(1);
      String whole = address.length() > "03:00.0".length() ? address : "0000:" + address;
      return new DeviceName(text, Kind.PCI, whole, arguments(matcher.group(2)));
    }
    matcher = VIRTUAL.matcher(text);
    if (matcher.matches()) {
      return new DeviceName(text, Kind.VIRTUAL, matcher.group(1), arguments(matcher.group(2)));
    }
    throw new IllegalArgumentException("not a device: " + text);
  }

  private static Map<String, String> arguments(String list) {
    Map<String, String> arguments = new LinkedHashMap<>();
    for (String each : list.split(",", -1)) {
      int equals = each.indexOf('=');
      if (equals >= 0) {
        arguments.put(each.substring(0, equals), each.substring(equals + 1));
      } else if (!each.isEmpty()) {
        arguments.put(each, "");
      }
    }
    return arguments;
  }

  /** DPDK's driver of a virtual device, such as {@code net_vhost}; empty for the other kinds. */
  public String driver() {
    if (kind == Kind.LINUX) {
      return "net_af_packet";
    }
    return kind == Kind.VIRTUAL ? name.replaceFirst("[0-9].*", "") : "";
  }

  /** Whether at most one process can have the device at a time. */
  public boolean isExclusive() {
    return kind == Kind.PCI
        || kind == Kind.XDP
        || (kind == Kind.VIRTUAL && linuxInterface() == null);
  }

  /** Whether the device is a virtio-user end. */
  public boolean isVirtioUser() {
    return driver().equals("net_virtio_user") || driver().equals("virtio_user");
  }

  /** The device with another value of an argument. */
  public DeviceName with(String argument, String value) {
    Map<String, String> all = new LinkedHashMap<>(arguments);
    all.put(argument, value);
    return new DeviceName(text, kind, name, all);
  }

  /** The Linux interface of {@code linux:}, {@code xdp:} or net_af_packet; null for others. */
  public String linuxInterface() {
    if (kind == Kind.LINUX || kind == Kind.XDP) {
      return name;
    }
    return driver().equals("net_af_packet") ? arguments.get("iface") : null;
  }

  /**
   * The device with the driver's own name and arguments; itself unless it is a Linux interface.
   *
   * @param frame octets of the longest frame that it is to carry
   * @param queues receive and transmit queues
   */
  DeviceName ofDriver(int frame, int queues) {
    if (kind != Kind.LINUX) {
      return this;
    }
    String list = "iface=" + name + AfPacketFrames.arguments(frame);
    if (queues > 1) {
      list += ",qpairs=" + queues;
    }
    return new DeviceName(text, Kind.VIRTUAL, driver() + "_" + name, arguments(list));
  }

  /** As configured. */
  @Override
  public String toString() {
    return text;
  }

  /**
   * The device in DPDK's form, for any kind but a ring.
   *
   * @param frame octets of the longest frame that it is to carry
   * @param queues receive and transmit queues
   */
  public String dpdkArguments(int frame, int queues) {
    DeviceName device = ofDriver(frame, queues);
    StringBuilder all = new StringBuilder(device.name);
    device.arguments.forEach((key, value) -> {
      all.append(',').append(key);
      if (!value.isEmpty()) {
        all.append('=').append(value);
      }
    });
    return all.toString();
  }
}
