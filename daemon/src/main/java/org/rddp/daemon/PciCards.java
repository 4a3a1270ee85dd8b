package org.rddp.daemon;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** The network cards on the PCI bus, and the drivers that they are bound to. */
final class PciCards {
  /** The cards of this machine. */
  static final PciCards OF_MACHINE = new PciCards(Path.of("/sys/bus/pci/devices"));

  /** Prefix of the class codes of network controllers. */
  private static final String NETWORK = "0x02";

  /**
   * The drivers by which DPDK reaches a card; with the last ones, Linux can use it at the same
   * time.
   */
  private static final Set<String> USABLE =
      Set.of(
          "vfio-pci",
          "uio_pci_generic",
          "igb_uio",
          "uio_hv_generic",
          "mlx4_core",
          "mlx5_core",
          "mana");

  /** Drivers that give a card all of the memory: no IOMMU is used. */
  private static final Set<String> WITHOUT_IOMMU =
      Set.of("uio_pci_generic", "igb_uio", "uio_hv_generic");

  /** The name of the group that vfio makes of a card without an IOMMU. */
  private static final String NO_IOMMU = "vfio-noiommu";

  private final Path devices;

  /**
   * The cards of a bus.
   *
   * @param devices a folder as /sys/bus/pci/devices
   */
  PciCards(Path devices) {
    this.devices = devices;
  }

  /** Why DPDK cannot use the card at an address, and what is allowed; null if it can. */
  String problem(String address) {
    Path card = devices.resolve(address);
    if (!Files.isDirectory(card)) {
      List<String> cards = cards();
      return "there is no PCI device "
          + address
          + "; allowed: "
          + (cards.isEmpty()
              ? "a network card of this machine, which has none"
              : "one of " + String.join(", ", cards));
    }
    String driver = driver(card);
    if (USABLE.contains(driver)) {
      return null;
    }
    return "the PCI device "
        + address
        + (driver.isEmpty() ? " is bound to no driver" : " is bound to Linux's driver " + driver)
        + "; allowed: one that is bound to vfio-pci (docs/operations.md, \"Bind a card\")";
  }

  /**
   * Whether a card needs physical addresses, because no IOMMU translates others for it: it is bound
   * to a driver of the kernel's uio, or to vfio-pci without an IOMMU.
   *
   * @return false also if there is no such card
   */
  boolean needsPhysicalAddresses(String address) {
    Path card = devices.resolve(address);
    try {
      return WITHOUT_IOMMU.contains(driver(card))
          || Files.readString(card.resolve("iommu_group/name")).strip().equals(NO_IOMMU);
    } catch (IOException noName) {
      // Only groups without an IOMMU have a name.
      return false;
    }
  }

  /** The NUMA node of a card; -1 if it is not known. */
  int node(String address) {
    try {
      return Integer.parseInt(
          Files.readString(devices.resolve(address).resolve("numa_node")).strip());
    } catch (IOException | NumberFormatException e) {
      return -1;
    }
  }

  private static String driver(Path card) {
    Path link = card.resolve("driver");
    try {
      return Files.exists(link) ? link.toRealPath().getFileName().toString() : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The addresses of the network cards. */
  private List<String> cards() {
    if (!Files.isDirectory(devices)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(devices)) {
      return all.filter(PciCards::isNetworkCard)
          .map(card -> card.getFileName().toString())
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isNetworkCard(Path card) {
    try {
      return Files.readString(card.resolve("class")).startsWith(NETWORK);
    } catch (IOException e) {
      return false;
    }
  }
}
