package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class Ipv6NetworkTest {
  private static final long MAC = 0x0200_0000_0001L;
  private static final Ipv6Address ADDRESS = Ipv6Address.parse("2001:db8::1");

  private static Ipv6Address linkLocal(Ipv6Address address, String secret, long mac) {
    return new Ipv6Network(address, 64, secret).linkLocal(mac);
  }

  @Test
  @DisplayName("RFC 7217 5: the link-local address is the same at each start")
  void shouldKeepTheLinkLocalAddress() {
    // SHA-256 of fe80:: in 8 octets, the MAC address in 8 octets, and the secret.
    assertThat(linkLocal(ADDRESS, "secret", MAC))
        .isEqualTo(Ipv6Address.parse("fe80::cd54:2a55:ce2d:2e12"));
    assertThat(linkLocal(Ipv6Address.parse("2001:db8::2"), "secret", MAC))
        .as("whatever the other address")
        .isEqualTo(linkLocal(ADDRESS, "secret", MAC));
  }

  @Test
  @DisplayName("RFC 7217 5: the secret and the interface decide on the link-local address")
  void shouldChangeTheLinkLocalAddress() {
    Ipv6Address one = linkLocal(ADDRESS, "secret", MAC);
    assertThat(one.linkLocal()).isTrue();
    assertThat(linkLocal(ADDRESS, "another", MAC)).isNotEqualTo(one);
    assertThat(linkLocal(ADDRESS, "secret", MAC + 1)).isNotEqualTo(one);
  }
}
