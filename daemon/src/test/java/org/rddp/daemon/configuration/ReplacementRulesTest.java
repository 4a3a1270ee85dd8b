package org.rddp.daemon.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReplacementRulesTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "linux:eth0",
        "ring:a",
        "pci:0000:01:00.0",
        "xdp:eth0",
        "net_af_packet0,iface=eth0",
        "net_tap0,iface=tap0",
        "net_virtio_user0,path=/run/a.sock",
        "virtio_user0,path=/run/a.sock,server=0"
      })
  void shouldLetGoOver(String device) {
    assertThat(ReplacementRules.problem(DeviceName.parse(device))).isNull();
  }

  @Test
  void shouldLeaveRoomForTheAddress() {
    String device = "net_virtio_user0,path=/" + "a".repeat(82);
    assertThat(ReplacementRules.problem(DeviceName.parse(device))).isNull();
    assertThat(ReplacementRules.problem(DeviceName.parse(device + "a")))
        .contains("its 128 octets are more than DPDK takes");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "net_tap0|allowed: iface=",
        "net_tap0,iface=tap0,remote=eth0|allowed: no remote=",
        "net_vhost0,iface=/run/a.sock,client=1|net_vhost0 loses its peer",
        "net_virtio_user0,path=/run/a.sock,server=1|allowed: no server=1",
        "net_memif0,socket=/run/a.sock|net_memif0 cannot go over",
        "net_null0|net_null0 cannot go over"
      })
  void shouldSayWhyNot(String device, String why) {
    assertThat(ReplacementRules.problem(DeviceName.parse(device))).contains(why);
  }
}
