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
  private static final Path DEVICES = Path.of("/sys/bus/pci/devices");

  /** A class code of a network controller begins so. */
  private static final String NETWORK = "0x02";

  /**
   * The drivers by which DPDK reaches a card; with the last ones, Linux uses it at the same time.
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

  private PciCards() {}

  /** Why DPDK cannot use the card at an address, and what would be right; null if it can. */
  static String problem(String address) {
    Path card = DEVICES.resolve(address);
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

  private static String driver(Path card) {
    Path link = card.resolve("driver");
    try {
      return Files.exists(link) ? link.toRealPath().getFileName().toString() : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The addresses of the network cards. */
  private static List<String> cards() {
    if (!Files.isDirectory(DEVICES)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(DEVICES)) {
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
