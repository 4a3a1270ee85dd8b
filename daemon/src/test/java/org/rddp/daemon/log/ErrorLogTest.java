package org.rddp.daemon.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErrorLogTest {
  private Instant now = Instant.EPOCH;
  private final ErrorLog errors = new ErrorLog(() -> now);

  private boolean record(int user, String text) {
    return errors.record(LogTopic.CONNECTION, user, LogFields.NONE, text);
  }

  @ParameterizedTest
  @CsvSource({
    "STag 3fa2b1c0 is not valid, STag # is not valid",
    "STag 0xdead0001, STag #",
    "10.0.0.1:7471 does not answer, #.#.#.#:# does not answer",
    "no answer for 30s, no answer for #s",
    "the added face is bad, the added face is bad",
  })
  void shouldTreatErrorsThatDifferByNumbersAsOne(String text, String pattern) {
    assertThat(ErrorPattern.of(text)).isEqualTo(pattern);
  }

  @Test
  void shouldCountAndKeepTheLastAsAnExample() {
    assertThat(record(5, "octet 1")).isTrue();
    now = now.plusSeconds(10);
    assertThat(record(5, "octet 2")).isFalse();
    assertThat(record(6, "octet 2")).isTrue();
    DistinctError error = errors.from(0).getFirst();
    assertThat(error.count()).isEqualTo(2);
    assertThat(error.first()).isEqualTo(Instant.EPOCH);
    assertThat(error.last()).isEqualTo(now);
    assertThat(error.example()).isEqualTo("octet 2");
    assertThat(error.pattern()).isEqualTo("octet #");
    assertThat(error.user()).isEqualTo(5);
  }

  @Test
  void shouldForgetThoseThatHappenedLeastRecently() {
    record(5, "first");
    record(5, "second");
    record(5, "first");
    for (int i = 0; i < ErrorLog.CAPACITY - 1; i++) {
      record(5, "error " + "x".repeat(i));
    }
    List<String> texts = errors.from(0).stream().map(DistinctError::example).toList();
    assertThat(texts).hasSize(ErrorLog.CAPACITY).contains("first").doesNotContain("second");
    assertThat(errors.from(errors.from(0).getLast().number())).hasSize(1);
  }

  /** A program can make as many different errors as it likes. */
  @Test
  void shouldKeepAlarmsAndOtherUsersErrorsWhenOneUserHasMany() {
    record(ErrorLog.DAEMON, "an alarm");
    record(6, "of another user");
    for (int i = 0; i < 3 * ErrorLog.CAPACITY; i++) {
      record(5, "error " + "x".repeat(i % 490) + (char) ('a' + i / 490));
    }
    List<String> texts = errors.from(0).stream().map(DistinctError::example).toList();
    assertThat(texts).hasSize(ErrorLog.CAPACITY + 1).contains("an alarm", "of another user");
  }

  @Test
  void shouldBoundTheErrorsOfTheDaemon() {
    for (int i = 0; i < 2 * ErrorLog.CAPACITY; i++) {
      record(ErrorLog.DAEMON, "error " + "x".repeat(i % 490) + (char) ('a' + i / 490));
    }
    assertThat(errors.from(0)).hasSize(ErrorLog.CAPACITY);
  }
}
