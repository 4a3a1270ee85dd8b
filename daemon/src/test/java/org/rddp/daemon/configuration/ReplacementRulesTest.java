package org.rddp.daemon.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

class ReplacementRulesTest {
  @ParameterizedTest
  @CsvFileSource(resources = "replaceable.txt", delimiter = '|')
  void shouldSayWhatGoesOver(String device, String why) {
    String problem = ReplacementRules.problem(DeviceName.parse(device));
    if (why == null) {
      assertThat(problem).isNull();
    } else {
      assertThat(problem).contains(why);
    }
  }

  @Test
  void shouldLeaveRoomForTheAddress() {
    String device = "net_virtio_user0,path=/" + "a".repeat(82);
    assertThat(ReplacementRules.problem(DeviceName.parse(device))).isNull();
    assertThat(ReplacementRules.problem(DeviceName.parse(device + "a")))
        .contains("its 128 octets are more than DPDK takes");
  }
}
