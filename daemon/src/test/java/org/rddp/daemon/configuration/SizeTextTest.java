package org.rddp.daemon.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SizeTextTest {
  @ParameterizedTest
  @CsvSource({
    "0,0",
    "17,17",
    "17B,17",
    "4KiB,4096",
    "4K,4096",
    "4KB,4000",
    "256MiB,268435456",
    "1.5GiB,1610612736",
    "2 TiB,2199023255552"
  })
  void shouldParse(String text, long octets) {
    assertThat(SizeText.parse(text)).isEqualTo(octets);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "-1", "1XB", "1e3", "MiB", "99999999999999999TiB"})
  void shouldRejectOtherTexts(String text) {
    assertThatThrownBy(() -> SizeText.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldFormat() {
    assertThat(SizeText.format(512)).isEqualTo("512 B");
    assertThat(SizeText.format(64 << 10)).isEqualTo("64 KiB");
    assertThat(SizeText.format(3L << 29)).isEqualTo("1.5 GiB");
  }
}
