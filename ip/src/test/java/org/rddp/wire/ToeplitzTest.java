package org.rddp.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv6Address;

/** The hash of network cards, by the published verification suite of RSS. */
class ToeplitzTest {
  private static final byte[] KEY =
      HexFormat.of()
          .parseHex(
              "6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa");

  @ParameterizedTest
  @CsvSource({
    "66.9.149.187, 2794, 161.142.100.80, 1766, 51ccc178",
    "199.92.111.2, 14230, 65.69.140.83, 4739, c626b0ea",
    "24.19.198.95, 12898, 12.22.207.184, 38024, 5c2b394a",
    "38.27.205.30, 48228, 209.142.163.6, 2217, afc7327f",
    "153.39.163.191, 44251, 202.188.127.2, 1303, 10e828a2"
  })
  void shouldHashAsCardsDo(
      String source, int sourcePort, String destination, int destinationPort, String hash) {
    int from = Ipv4Address.parse(source).bits();
    int to = Ipv4Address.parse(destination).bits();
    assertThat(new Toeplitz(KEY).hash(from, to, sourcePort, destinationPort))
        .isEqualTo(Integer.parseUnsignedInt(hash, 16));
  }

  @ParameterizedTest
  @CsvSource({
    "3ffe:2501:200:1fff::7, 2794, 3ffe:2501:200:3::1, 1766, 40207d3d",
    "3ffe:501:8::260:97ff:fe40:efab, 14230, ff02::1, 4739, dde51bbf",
    "3ffe:1900:4545:3:200:f8ff:fe21:67cf, 44251, fe80::200:f8ff:fe21:67cf, 38024, 02d1feef"
  })
  void shouldHashIpv6AsCardsDo(
      String source, int sourcePort, String destination, int destinationPort, String hash) {
    Ipv6Address from = Ipv6Address.parse(source);
    Ipv6Address to = Ipv6Address.parse(destination);
    Toeplitz toeplitz = new Toeplitz(KEY);
    assertThat(toeplitz.hashesIpv6()).isTrue();
    assertThat(
            toeplitz.hash(
                from.high(), from.low(), to.high(), to.low(), sourcePort, destinationPort))
        .isEqualTo(Integer.parseUnsignedInt(hash, 16));
    assertThat(new Toeplitz(new byte[39]).hashesIpv6()).isFalse();
  }

  @Test
  void shouldRefuseAShortKey() {
    assertThatThrownBy(() -> new Toeplitz(new byte[15]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("15 octets");
  }
}
