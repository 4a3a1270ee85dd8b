package org.rddp.dpdk.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.rddp.device.Offloads;
import org.rddp.dpdk.PortInfo;

/** Which offloads of which ports are used. */
class PortOffloadsTest {
  private static PortOffloads of(String name, Set<String> receive, Set<String> transmit) {
    return PortOffloads.of(
        new PortInfo(
            name, "net_x", 1, 68, 9000, 2048, 9018, 1, 1, 512, 512, 512, 512, false, false, 0, 0, 0,
            receive, transmit));
  }

  @Test
  void shouldUseThoseOfACard() {
    PortOffloads all =
        of(
            "0000:03:00.0",
            Set.of("IPV4_CKSUM", "TCP_CKSUM", "TCP_LRO"),
            Set.of("IPV4_CKSUM", "TCP_CKSUM", "TCP_TSO", "VLAN_INSERT"));
    assertThat(all.receive()).containsExactlyInAnyOrder("TCP_CKSUM");
    assertThat(all.transmit()).containsExactlyInAnyOrder("TCP_CKSUM", "TCP_TSO", "IPV4_CKSUM");
    assertThat(all.offered())
        .isEqualTo(Offloads.VERDICT | Offloads.CHECKSUM | Offloads.SEGMENTATION);
  }

  @Test
  void shouldNotCutWithoutChecksums() {
    assertThat(of("0000:03:00.0", Set.of(), Set.of("TCP_TSO", "IPV4_CKSUM")))
        .isEqualTo(PortOffloads.NONE);
    assertThat(of("0000:03:00.0", Set.of(), Set.of("TCP_TSO", "TCP_CKSUM")).offered())
        .isEqualTo(Offloads.CHECKSUM);
  }

  @Test
  void shouldUseNoneOfAVirtualDevice() {
    Set<String> checksum = Set.of("TCP_CKSUM");
    assertThat(of("net_virtio_user0", checksum, checksum)).isEqualTo(PortOffloads.NONE);
  }
}
