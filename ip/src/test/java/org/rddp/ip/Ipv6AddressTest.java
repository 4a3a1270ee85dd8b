package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class Ipv6AddressTest {
  @ParameterizedTest
  @CsvSource({
    "2001:db8::1, 2001:0DB8:0:0:0:0:0:1",
    "::, 0:0:0:0:0:0:0:0",
    "::1, 0::1",
    "1::, 1:0::",
    "1:2:3:4:5:6:7:0, 1:2:3:4:5:6:7::",
    "2001:db8:0:1:1:1:1:1, 2001:db8:0000:1:1:1:1:1",
    "2001:0:0:1::1, 2001:0:0:1:0:0:0:1",
    "2001:db8::1:0:0:1, 2001:db8:0:0:1:0:0:1",
    "2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff, 2001:DB8:AAAA:BBBB:CCCC:DDDD:EEEE:FFFF",
    "fe80::200:ff:fe00:1, fe80:0:0:0:200:ff:fe00:1",
    "::ffff:192.0.2.1, ::ffff:c000:201",
    "64:ff9b::c000:201, 64:ff9b::192.0.2.1"
  })
  @DisplayName("RFC 5952 4: one text for each address")
  void shouldPrintTheCanonicalText(String canonical, String other) {
    assertThat(Ipv6Address.parse(other)).hasToString(canonical);
    assertThat(HostAddress.parse(canonical)).isEqualTo(Ipv6Address.parse(other));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ":",
        ":::",
        "1:2",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "1:2:3:4:5:6:7::8",
        ":1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:",
        "::1::",
        "12345::",
        "[::1]",
        "fe80::1%1",
        "::1 ",
        "g::",
        "::+1",
        "::1.2.3",
        "::1.2.3.4:5",
        "1:2:3:4:5:6:7:1.2.3.4",
        "::\u0661"
      })
  void shouldRefuseOtherText(String text) {
    assertThatThrownBy(() -> Ipv6Address.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldTellKindsOfAddresses() {
    assertThat(Ipv6Address.parse("2001:db8::1").unicast()).isTrue();
    assertThat(Ipv6Address.parse("fe80::1").unicast()).isTrue();
    assertThat(Ipv6Address.parse("fe80::1").linkLocal()).isTrue();
    assertThat(Ipv6Address.parse("febf::1").linkLocal()).isTrue();
    assertThat(Ipv6Address.parse("fec0::1").linkLocal()).isFalse();
    assertThat(Ipv6Address.parse("ff02::1").unicast()).isFalse();
    assertThat(Ipv6Address.parse("ff02::1").multicast()).isTrue();
    assertThat(Ipv6Address.parse("::").unicast()).isFalse();
    assertThat(Ipv6Address.parse("::1").unicast()).isFalse();
    assertThat(Ipv6Address.parse("::ffff:192.0.2.1").unicast()).isFalse();
  }

  @Test
  @DisplayName("RFC 4291 2.7.1: the solicited-node group")
  void shouldFindTheSolicitedNodeGroup() {
    assertThat(Ipv6Address.parse("4037::01:800:200e:8c6c").solicitedNode())
        .isEqualTo(Ipv6Address.parse("ff02::1:ff0e:8c6c"));
  }

  @ParameterizedTest
  @CsvSource({
    "64, true",
    "96, true",
    "127, false",
    "126, true",
    "128, false",
    "1, true",
    "0, true"
  })
  void shouldComparePrefixes(int bits, boolean same) {
    Ipv6Address other = Ipv6Address.parse("2001:db8::3");
    assertThat(Ipv6Address.parse("2001:db8::1").sharesPrefix(other.high(), other.low(), bits))
        .isEqualTo(same);
    assertThat(Ipv6Address.parse("2001:db8::1").sharesPrefix(other.high() ^ 1, other.low(), bits))
        .isEqualTo(bits < 64);
  }
}
