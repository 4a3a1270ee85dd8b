package org.rddp.daemon;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.device.FrameDevice;

/** What one daemon says of its devices to another one that takes its place: their addresses. */
final class MacAddresses {
  private MacAddresses() {}

  /**
   * The MAC addresses of interfaces, by their names.
   *
   * @param devices one for each engine
   */
  static Map<String, Long> of(
      List<InterfaceConfiguration> interfaces, List<? extends FrameDevice> devices) {
    Map<String, Long> all = new HashMap<>();
    int device = 0;
    for (InterfaceConfiguration each : interfaces) {
      all.put(each.name(), devices.get(device).macAddress());
      device += each.engines();
    }
    return all;
  }

  /** An address as people write it, its octets between colons. */
  static String words(long address) {
    return String.format("%012x", address).replaceAll("(..)(?!$)", "$1:");
  }

  /** As text: a name and an address in hexadecimal digits, and so on. */
  static String text(Map<String, Long> addresses) {
    StringBuilder text = new StringBuilder();
    addresses.forEach((name, address) ->
        text.append(name).append(' ').append(Long.toHexString(address)).append(' '));
    return text.toString();
  }

  /**
   * Reads {@link #text}.
   *
   * @throws NumberFormatException if it is something else
   */
  static Map<String, Long> read(String text) {
    Map<String, Long> all = new HashMap<>();
    String[] words = text.split(" ", -1);
    for (int i = 0; i + 1 < words.length; i += 2) {
      all.put(words[i], Long.parseLong(words[i + 1], 16));
    }
    return all;
  }
}
