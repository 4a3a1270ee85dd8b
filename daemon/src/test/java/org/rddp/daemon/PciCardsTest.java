package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PciCardsTest {
  private static final String ADDRESS = "0000:03:00.0";

  @TempDir Path machine;
  private Path card;
  private PciCards cards;

  @BeforeEach
  void makeCard() throws IOException {
    card = Files.createDirectories(machine.resolve("devices").resolve(ADDRESS));
    Files.writeString(card.resolve("class"), "0x020000\n");
    cards = new PciCards(machine.resolve("devices"));
  }

  private void bind(String driver) throws IOException {
    Path folder = Files.createDirectories(machine.resolve("drivers").resolve(driver));
    Files.createSymbolicLink(card.resolve("driver"), folder);
  }

  /** Puts the card into a group; the kernel names only those that vfio makes by itself. */
  private void group(String name) throws IOException {
    Path group = Files.createDirectories(machine.resolve("groups/7"));
    Files.writeString(group.resolve("name"), name);
    Files.createSymbolicLink(card.resolve("iommu_group"), group);
  }

  @Test
  void shouldTranslateAddressesBehindAnIommu() throws IOException {
    bind("vfio-pci");
    Path group = Files.createDirectories(machine.resolve("groups/7"));
    Files.createSymbolicLink(card.resolve("iommu_group"), group);
    assertThat(cards.needsPhysicalAddresses(ADDRESS)).isFalse();
    assertThat(cards.problem(ADDRESS)).isNull();
  }

  @Test
  void shouldNeedPhysicalAddressesWithVfioWithoutIommu() throws IOException {
    bind("vfio-pci");
    group("vfio-noiommu\n");
    assertThat(cards.needsPhysicalAddresses(ADDRESS)).isTrue();
  }

  @Test
  void shouldNeedPhysicalAddressesWithUio() throws IOException {
    bind("uio_pci_generic");
    assertThat(cards.needsPhysicalAddresses(ADDRESS)).isTrue();
    assertThat(cards.problem(ADDRESS)).isNull();
  }

  @Test
  void shouldNameTheCardsThatThereAre() {
    assertThat(cards.needsPhysicalAddresses("0000:04:00.0")).isFalse();
    assertThat(cards.problem("0000:04:00.0")).contains("no PCI device 0000:04:00.0", ADDRESS);
    assertThat(cards.problem(ADDRESS)).contains("bound to no driver", "vfio-pci");
  }
}
