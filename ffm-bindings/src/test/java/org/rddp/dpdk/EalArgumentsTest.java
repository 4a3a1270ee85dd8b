package org.rddp.dpdk;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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

  @Test
  void shouldNotRepeatWhatOthersSet() {
    EalArguments usual = EalArguments.ordinaryPages(64).withLogLevel("error");
    assertThat(usual.overriddenBy(List.of("--iova-mode=pa", "-m", "32", "-l", "1")).list())
        .containsExactly(
            "--no-telemetry",
            "--no-pci",
            "--file-prefix",
            "rddp-" + ProcessHandle.current().pid(),
            "--no-huge",
            "--no-shconf",
            "--log-level",
            "error",
            "--iova-mode=pa",
            "-m",
            "32",
            "-l",
            "1");
    assertThat(usual.overriddenBy(List.of("-m32", "-l1")).list())
        .containsOnlyOnceElementsOf(List.of("-m32", "-l1"))
        .doesNotContain("-m", "-l");
    assertThat(usual.overriddenBy(List.of("--log-level=info", "--vdev=net_null0")).list())
        .containsAll(usual.list())
        .endsWith("--log-level=info", "--vdev=net_null0");
  }
}
