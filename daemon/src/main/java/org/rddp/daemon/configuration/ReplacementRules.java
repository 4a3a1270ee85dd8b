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
      case LINUX, RING -> null;
      case XDP ->
          "xdp: cannot go over to another process; allowed: \"linux:" + device.name() + "\"";
      case PCI -> others(device);
      case VIRTUAL ->
          switch (device.driver()) {
            case "net_af_packet" -> null;
            case "net_tap" -> tap(device);
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

  private static String others(DeviceName device) {
    return "%s cannot go over to another process, as --replace needs; allowed: linux:, ring: and net_tap"
        .formatted(device.name());
  }
}
