package org.rddp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rddp.ddp.segment.DdpError;

/** The numbers of the errors (RFC 5041 section 7.2), also of those that are rare. */
class DdpErrorNumbersTest {
  @ParameterizedTest
  @EnumSource(DdpError.class)
  @Tag("DDP-7.2-01")
  void shouldHaveItsNumbers(DdpError error) {
    assertThat(RecordingUlp.numbers(error)).isEqualTo(RecordingUlp.NUMBERS.get(error));
  }
}
