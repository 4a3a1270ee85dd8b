package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressPrefixTest {
  @Test
  void shouldParsePrefixes() {
    assertThat(AddressPrefix.parse("10.1.2.3/16")).hasToString("10.1.0.0/16");
    assertThat(AddressPrefix.parse("10.1.2.3")).hasToString("10.1.2.3/32");
    assertThat(AddressPrefix.parse("0.0.0.0/0")).hasToString("0.0.0.0/0");
    assertThat(AddressPrefix.parse("2001:db8:1::5/32")).hasToString("2001:db8::/32");
    assertThat(AddressPrefix.parse("::/0")).hasToString("::/0");
    AddressPrefix every = AddressPrefix.parse("0.0.0.0/0");
    assertThat(every.contains(0, AddressPrefix.mapped(0x0a000001))).isTrue();
    assertThat(every.contains(0x2001_0db8_0000_0000L, 1)).as("the other family").isFalse();
    for (String wrong : new String[] {"10.0.0.0/33", "10.0.0.0/x", "::/129", "10.0.0.0/", "a"}) {
      assertThatThrownBy(() -> AddressPrefix.parse(wrong))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"::/0", "::/80", "::/81", "::/95", "::8000:0:0/81"})
  @DisplayName("a prefix of IPv6 contains no address of IPv4, which is held as a mapped one")
  void shouldNotContainTheOtherFamily(String text) {
    AddressPrefix prefix = AddressPrefix.parse(text);
    assertThat(prefix.contains(0, AddressPrefix.mapped(0x0a000001))).isFalse();
    assertThat(prefix.contains(prefix.high(), prefix.low())).isTrue();
  }
}
