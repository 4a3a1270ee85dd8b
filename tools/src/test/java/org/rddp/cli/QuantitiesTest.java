package org.rddp.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class QuantitiesTest {
  @Test
  void shouldNameMicrosecondsAsTheLocaleCanShowThem() {
    assertThat(Quantities.microsecond(StandardCharsets.US_ASCII)).isEqualTo("us");
    assertThat(Quantities.microsecond(StandardCharsets.ISO_8859_1)).isEqualTo("µs");
    assertThat(Quantities.microsecond(StandardCharsets.UTF_8)).isEqualTo("µs");
  }
}
