package org.rddp.dpdk;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EalArgumentsTest {
  @Test
  void shouldGiveDevicesVirtualAddressesUnlessTheyNeedOthers() {
    EalArguments usual = EalArguments.hugepages();
    assertThat(usual.list()).contains("--iova-mode=va");
    assertThat(usual.withPhysicalAddresses().list())
        .contains("--iova-mode=pa")
        .doesNotContain("--iova-mode=va");
  }

  @Test
  void shouldLookOnlyForPciDevicesThatAreNamed() {
    assertThat(EalArguments.hugepages().list()).contains("--no-pci");
    assertThat(EalArguments.hugepages().withPciDevice("0000:03:00.0").list())
        .doesNotContain("--no-pci")
        .containsSequence("--allow", "0000:03:00.0");
  }
}
