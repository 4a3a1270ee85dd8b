package org.rddp.daemon;

import java.util.ArrayList;
import java.util.List;
import org.rddp.device.Offloads;
import org.rddp.dpdk.PortInfo;
import org.rddp.dpdk.device.DpdkDevice;

/** Describes in words what the daemon uses of a port. */
public final class PortWords {
  private PortWords() {}

  /**
   * Name, driver, queues, offloads and interrupts of a port.
   *
   * @param device one of the port's queues
   * @param engines how many queues are used
   */
  public static String of(DpdkDevice device, int engines) {
    PortInfo port = device.port().info();
    return "%s by %s, %s, offloads: %s, %s"
        .formatted(
            port.name(),
            port.driver(),
            queues(port, engines, device.foretells(false)),
            offloads(device.offloads()),
            device.interrupt() >= 0 ? "frames wake the engine" : "polled");
  }

  private static String queues(PortInfo port, int engines, boolean foretold) {
    String used = engines + " of " + port.maxReceiveQueues() + " queues";
    if (engines == 1) {
      return used;
    }
    if (!foretold) {
      return used + " by rules that the driver does not tell";
    }
    // Rings have no table of their own.
    int entries = port.rssTableEntries();
    return used + " by a table" + (entries == 0 ? "" : " of " + entries + " entries");
  }

  /** Names bits of {@link Offloads}. */
  private static String offloads(int offered) {
    List<String> names = new ArrayList<>();
    if ((offered & Offloads.CHECKSUM) != 0) {
      names.add("TCP checksums sent");
    }
    if ((offered & Offloads.VERDICT) != 0) {
      names.add("TCP checksums received");
    }
    if ((offered & Offloads.SEGMENTATION) != 0) {
      names.add("segmentation");
    }
    return names.isEmpty() ? "none" : String.join(", ", names);
  }
}
