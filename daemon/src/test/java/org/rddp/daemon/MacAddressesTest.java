package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** MAC addresses as messages have them. */
class MacAddressesTest {
  @Test
  void shouldWriteOctetsBetweenColons() {
    assertThat(MacAddresses.words(0x02_00_5e_00_00_ffL)).isEqualTo("02:00:5e:00:00:ff");
  }
}
