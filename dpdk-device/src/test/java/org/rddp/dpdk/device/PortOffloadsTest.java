package org.rddp.dpdk.device;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.device.Offloads;
import org.rddp.dpdk.PortInfo;

/** Which offloads of which ports are used. */
class PortOffloadsTest {
  private static PortOffloads of(String name, Set<String> receive, Set<String> transmit) {
    return of(name, "net_x", receive, transmit, false);
  }

  private static PortOffloads of(
      String name, String driver, Set<String> receive, Set<String> transmit, boolean longFrames) {
    return PortOffloads.of(
        new PortInfo(
            name, driver, 1, 68, 9000, 2048, 1, 1, 512, 512, false, false, 0, 0, 0, receive,
            transmit),
        longFrames);
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
        .isEqualTo(
            Offloads.VERDICT | Offloads.CHECKSUM | Offloads.SEGMENTATION | Offloads.IP_CHECKSUM);
  }

  @ParameterizedTest
  @CsvSource({"net_virtio, 132", "net_hinic, 4", "net_qdma, 4"})
  void shouldTakeForIntactOnlyWhatWasPassedOnInMemory(String driver, int offered) {
    Set<String> receive = Set.of("TCP_CKSUM");
    assertThat(of("0000:03:00.0", driver, receive, Set.of(), false).offered()).isEqualTo(offered);
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
    assertThat(both.offered()).isEqualTo(Offloads.VERDICT | Offloads.INTACT | Offloads.CHECKSUM);
    assertThat(of(name, offered, Set.of())).isEqualTo(PortOffloads.NONE);
    assertThat(of(name, Set.of(), offered)).isEqualTo(PortOffloads.NONE);
  }

  @ParameterizedTest
  @CsvSource({"net_virtio, 32", "net_vmxnet3, 0"})
  void shouldCutWithoutIpChecksumsWhereLongFramesAreAskedFor(String driver, int more) {
    Set<String> transmit = Set.of("TCP_CKSUM", "TCP_TSO");
    PortOffloads offloads = of("0000:03:00.0", driver, Set.of(), transmit, true);
    assertThat(offloads.transmit()).containsExactlyInAnyOrderElementsOf(transmit);
    assertThat(offloads.offered()).isEqualTo(Offloads.CHECKSUM | Offloads.SEGMENTATION | more);
    assertThat(of("0000:03:00.0", driver, Set.of(), transmit, false).offered())
        .isEqualTo(Offloads.CHECKSUM);
    assertThat(of("0000:03:00.0", "net_x", Set.of(), transmit, true).offered())
        .isEqualTo(Offloads.CHECKSUM);
  }

  @Test
  void shouldSendLongFramesOnVirtioUserWhereTheOtherEndTakesThem() {
    Set<String> receive = Set.of("TCP_CKSUM");
    Set<String> transmit = Set.of("TCP_CKSUM", "TCP_TSO");
    PortOffloads offloads = of("net_virtio_user0", "net_virtio_user", receive, transmit, true);
    assertThat(offloads.transmit()).containsExactlyInAnyOrderElementsOf(transmit);
    assertThat(offloads.offered())
        .isEqualTo(
            Offloads.VERDICT
                | Offloads.INTACT
                | Offloads.CHECKSUM
                | Offloads.SEGMENTATION
                | Offloads.SUM_WITH_LENGTH);
    int checksums = Offloads.VERDICT | Offloads.INTACT | Offloads.CHECKSUM;
    assertThat(of("net_virtio_user0", "net_virtio_user", receive, receive, true).offered())
        .isEqualTo(checksums);
  }

  @Test
  void shouldReceiveLongFramesOnVirtioUserWhereTheOtherEndMaySendThem() {
    Set<String> receive = Set.of("TCP_CKSUM", "TCP_LRO");
    Set<String> transmit = Set.of("TCP_CKSUM", "TCP_TSO");
    assertThat(of("net_virtio_user0", "net_virtio_user", receive, transmit, true).receive())
        .containsExactlyInAnyOrderElementsOf(receive);
    assertThat(of("net_virtio_user0", "net_virtio_user", receive, transmit, false).receive())
        .containsExactly("TCP_CKSUM");
  }

  @Test
  void shouldSendLongFramesOnVhostWhileItsPeerTakesThem() {
    Set<String> checksum = Set.of("TCP_CKSUM");
    PortOffloads offloads = of("net_vhost0", "net_vhost", checksum, checksum, true);
    assertThat(offloads.transmit()).containsExactly("TCP_CKSUM");
    assertThat(offloads.offered())
        .isEqualTo(
            Offloads.VERDICT
                | Offloads.INTACT
                | Offloads.CHECKSUM
                | Offloads.TRAINS
                | Offloads.SUM_WITH_LENGTH);
  }

  @ParameterizedTest
  @ValueSource(strings = {"net_tap0", "net_af_packet0", "net_memif0", "net_af_xdp0"})
  void shouldUseNoneOfOtherVirtualDevices(String name) {
    Set<String> checksum = Set.of("TCP_CKSUM");
    assertThat(of(name, checksum, checksum)).isEqualTo(PortOffloads.NONE);
  }
}
