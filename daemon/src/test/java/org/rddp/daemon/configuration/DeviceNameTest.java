package org.rddp.daemon.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeviceNameTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          linux:eth0             | 1514 | net_af_packet_eth0,iface=eth0
          linux:eth0.7           | 2017 | net_af_packet_eth0.7,iface=eth0.7,framesz=3072,blocksz=12288,framecnt=512
          linux:eth0             | 9014 | net_af_packet_eth0,iface=eth0,framesz=9216,blocksz=36864,framecnt=512
          linux:eth0             | 9618 | net_af_packet_eth0,iface=eth0,framesz=10240,blocksz=20480,framecnt=512
          linux:br-Lan           | 1514 | net_af_packet_br-Lan,iface=br-Lan
          pci:0000:03:00.0       | 9014 | 0000:03:00.0
          03:00.1,queues=1,flag  | 1514 | 0000:03:00.1,queues=1,flag
          net_vhost0,iface=/a,x  | 9014 | net_vhost0,iface=/a,x
          """)
  void shouldBeWrittenAsDpdkTakesIt(String device, int frame, String expected) {
    assertThat(DeviceName.parse(device).dpdkArguments(frame, 1)).isEqualTo(expected);
  }
}
