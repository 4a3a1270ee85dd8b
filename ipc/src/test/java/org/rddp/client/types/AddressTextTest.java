package org.rddp.client.types;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressTextTest {
  @ParameterizedTest
  @CsvSource({
    "10.0.0.1,             10.0.0.1:7",
    "2001:db8:0:0:0:0:0:1, [2001:db8::1]:7",
    "fe80:0:0:0:1:0:0:2,   [fe80::1:0:0:2]:7",
    "0:0:1:0:0:0:0:2,      [0:0:1::2]:7",
    "2001:db8:0:1:1:1:1:1, [2001:db8:0:1:1:1:1:1]:7",
    "1:0:0:2:0:0:3:4,      [1::2:0:0:3:4]:7",
    "0:0:0:0:0:0:0:1,      [::1]:7",
    "2001:db8:0:0:0:0:0:0, [2001:db8::]:7",
    "0:0:0:0:0:0:0:0,      [::]:7",
    "10:0:100:0:0:0:0:10,  [10:0:100::10]:7",
  })
  void shouldWriteTheFormOfRfc5952(String address, String expected) throws Exception {
    assertThat(AddressText.of(new InetSocketAddress(InetAddress.getByName(address), 7)))
        .isEqualTo(expected);
  }
}
