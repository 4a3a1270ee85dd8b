package org.rddp.dpdk.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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

  @ParameterizedTest
  @ValueSource(strings = {"net_vhost0", "net_virtio_user3"})
  void shouldLeaveChecksumsOutWithinTheMachine(String name) {
    Set<String> offered = Set.of("TCP_CKSUM", "TCP_TSO", "IPV4_CKSUM");
    PortOffloads both = of(name, offered, offered);
    assertThat(both.receive()).containsExactly("TCP_CKSUM");
    assertThat(both.transmit()).containsExactly("TCP_CKSUM");
    assertThat(both.offered()).isEqualTo(Offloads.VERDICT | Offloads.CHECKSUM);
    assertThat(of(name, offered, Set.of())).isEqualTo(PortOffloads.NONE);
    assertThat(of(name, Set.of(), offered)).isEqualTo(PortOffloads.NONE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"net_tap0", "net_af_packet0", "net_memif0", "net_af_xdp0"})
  void shouldUseNoneOfOtherVirtualDevices(String name) {
    Set<String> checksum = Set.of("TCP_CKSUM");
    assertThat(of(name, checksum, checksum)).isEqualTo(PortOffloads.NONE);
  }
}
