package org.rddp.daemon.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class DaemonLogTest {
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private long now;
  private final DaemonLog log =
      new DaemonLog(new PrintStream(written, true, StandardCharsets.UTF_8), () -> now);

  /** The lines without their times. */
  private List<String> lines() {
    String text = written.toString(StandardCharsets.UTF_8);
    written.reset();
    return text.lines().map(line -> line.replaceFirst("^\\S+Z ", "")).toList();
  }

  @Test
  void shouldEscapeWhatWouldLookLikeAnotherLine() {
    log.info(
        DaemonLog.Kind.SESSION,
        "session of a\n2026-11-22T00:00:00Z session of root\r\u001b[2J\u009b\u2028\u202e \\ é 線");
    assertThat(lines())
        .containsExactly(
            "session of a\\u000a2026-11-22T00:00:00Z session of root\\u000d\\u001b[2J\\u009b\\u2028"
                + "\\u202e \\\\ é 線");
  }

  @Test
  void shouldBoundALine() {
    log.info(DaemonLog.Kind.SESSION, "x".repeat(10_000));
    assertThat(lines()).containsExactly("x".repeat(500) + " (and 9500 more characters)");
  }

  @Test
  void shouldCountTheLinesThatItLeavesOut() {
    for (int i = 0; i < 2160; i++) {
      log.info(DaemonLog.Kind.CONNECTION, "garbage");
    }
    log.info(DaemonLog.Kind.SESSION, "session");
    assertThat(lines()).hasSize(21).endsWith("session");

    log.countLeftOut();
    assertThat(lines()).isEmpty();
    log.leftOut(DaemonLog.Kind.CONNECTION, 60);
    now = DaemonLog.PERIOD;
    log.countLeftOut();
    assertThat(lines()).containsExactly("2200 further lines about a connection were left out");
    log.info(DaemonLog.Kind.CONNECTION, "garbage");
    log.countLeftOut();
    assertThat(lines()).containsExactly("garbage");
  }

  @Test
  void shouldPrintAnErrorOnceAndEscapeItsMessage() {
    RuntimeException error = new IllegalStateException("a\nb", new RuntimeException("c\nd"));
    log.error("somewhere", error);
    log.error("somewhere", error);
    List<String> lines = lines();
    assertThat(lines)
        .startsWith("internal error in somewhere: java.lang.IllegalStateException: a\\u000ab")
        .contains("    java.lang.RuntimeException: c\\u000ad");
    assertThat(lines.stream().skip(1)).allMatch(line -> line.startsWith("    "));
  }
}
