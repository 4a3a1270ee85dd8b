package org.rddp.daemon.configuration;

/** Whether a device goes over when another process takes the daemon's place, and if not, why. */
public final class ReplacementRules {
  private ReplacementRules() {}

  /**
   * Why a device cannot go over to another process.
   *
   * @return the reason and what is allowed; null if it can
   */
  public static String problem(DeviceName device) {
    return switch (device.kind()) {
      case LINUX, RING, PCI, XDP -> null;
      case VIRTUAL ->
          switch (device.driver()) {
            case "net_af_packet" -> null;
            case "net_tap" -> firstOf(tap(device), length(device));
            case "net_vhost" ->
                device.name()
                    + " loses its peer: a virtio-user end does not come back by itself (docs/handover.md);"
                    + " allowed: net_virtio_user here, and net_vhost at the other end";
            case "net_virtio_user", "virtio_user" -> firstOf(virtioUser(device), length(device));
            default -> others(device);
          };
    };
  }

  private static String tap(DeviceName device) {
    if (!device.arguments().containsKey("iface")) {
      return "another process cannot find the interface of a net_tap without a name; allowed: iface=";
    }
    if (device.arguments().containsKey("remote")) {
      return "a net_tap with remote= turns that interface off when it ends; allowed: no remote=";
    }
    return null;
  }

  private static String firstOf(String one, String other) {
    return one == null ? other : one;
  }

  /** The new process gives the device a MAC address. */
  private static String length(DeviceName device) {
    int octets = device.with("mac", "00:00:00:00:00:00").dpdkArguments(0, 1).length();
    return octets <= DeviceRules.LONGEST
        ? null
        : "with mac=, which the new process adds, its %d octets are more than DPDK takes; allowed: at most %d"
            .formatted(octets, DeviceRules.LONGEST);
  }

  private static String virtioUser(DeviceName device) {
    return device.arguments().getOrDefault("server", "0").equals("1")
        ? device.name()
            + " waits for its peer when it is opened, and no program would be served; allowed: no"
            + " server=1"
        : null;
  }

  private static String others(DeviceName device) {
    return "%s cannot go over to another process, as --replace needs; allowed: those that docs/operations.md lists"
        .formatted(device.name());
  }
}
