package org.rddp.daemon.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.rddp.daemon.configuration.LogConfiguration;
import org.rddp.daemon.configuration.LogFormat;
import org.rddp.daemon.configuration.LogLevel;
import org.slf4j.event.Level;

class DaemonLogTest {
  private static final LogFields SESSION = LogFields.session("one", 3, "a b", 77, 5);

  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private long now;

  private DaemonLog log(LogFormat format) {
    return log(new LogConfiguration(LogLevel.INFO, Map.of(), format, 20));
  }

  private DaemonLog log(LogConfiguration configuration) {
    return new DaemonLog(configuration, written, () -> now);
  }

  /** The lines that the log has written, which is closed. */
  private List<String> lines(DaemonLog log) {
    log.close();
    return written.toString(StandardCharsets.UTF_8).lines().toList();
  }

  /** The lines without their times. */
  private List<String> withoutTimes(DaemonLog log) {
    return lines(log).stream()
        .map(line -> line.replaceFirst("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z ", ""))
        .toList();
  }

  @Test
  void shouldEscapeWhatWouldLookLikeAnotherLineOrValue() {
    DaemonLog log = log(LogFormat.TEXT);
    String forged = "a\n2026-11-22T00:00:00Z root\r\u001b[2J\u009b\u2028\u202e \\ é 線 {} pid=\"1\"";
    log.log(LogTopic.SESSION, Level.INFO, LogFields.session("", 4, forged, 78, 6), forged);
    String escaped =
        "a\\u000a2026-11-22T00:00:00Z root\\u000d\\u001b[2J\\u009b\\u2028\\u202e \\\\ é 線 {} pid=";
    assertThat(withoutTimes(log))
        .containsExactly(
            "info session session=4 program=\""
                + escaped
                + "\\\"1\\\"\" pid=78 uid=6: "
                + escaped
                + "\"1\"");
  }

  @Test
  void shouldBoundALine() {
    DaemonLog log = log(LogFormat.TEXT);
    log.log(LogTopic.DAEMON, Level.INFO, LogFields.NONE, "x".repeat(10_000));
    assertThat(withoutTimes(log))
        .containsExactly("info daemon: " + "x".repeat(500) + " (and 9500 more characters)");
  }

  @Test
  void shouldCountTheLinesThatItLeavesOut() {
    DaemonLog log = log(LogFormat.TEXT);
    for (int i = 0; i < 2160; i++) {
      log.log(LogTopic.CONNECTION, Level.WARN, LogFields.NONE, "garbage");
    }
    log.log(LogTopic.SESSION, Level.INFO, LogFields.NONE, "session");
    log.countLeftOut();
    log.leftOut(LogTopic.CONNECTION, 60);
    now = DaemonLog.PERIOD;
    log.countLeftOut();
    log.log(LogTopic.CONNECTION, Level.WARN, LogFields.NONE, "more garbage");
    log.countLeftOut();
    List<String> lines = withoutTimes(log);
    assertThat(lines).hasSize(23);
    assertThat(lines.subList(20, 23))
        .containsExactly(
            "info session: session",
            "warn connection: 2200 further lines of this logger were left out",
            "warn connection: more garbage");
  }

  @Test
  void shouldWriteWhatTheLevelOfEachLoggerAsksFor() {
    Map<String, LogLevel> levels =
        Map.of("connection", LogLevel.OFF, "request", LogLevel.DEBUG, "session", LogLevel.WARN);
    DaemonLog log = log(new LogConfiguration(LogLevel.INFO, levels, LogFormat.TEXT, 20));
    for (LogTopic topic : LogTopic.values()) {
      for (Level level : new Level[] {Level.DEBUG, Level.INFO, Level.WARN, Level.ERROR}) {
        log.log(topic, level, LogFields.NONE, "x");
      }
    }
    assertThat(withoutTimes(log))
        .containsExactly(
            "info daemon: x",
            "warn daemon: x",
            "error daemon: x",
            "warn session: x",
            "error session: x",
            "debug request: x",
            "info request: x",
            "warn request: x",
            "error request: x");
  }

  @Test
  void shouldWriteJson() {
    DaemonLog log = log(LogFormat.JSON);
    log.log(LogTopic.SESSION, Level.INFO, SESSION, "the \"session\"\nbegins");
    log.error("internal error", new IllegalStateException("a\nb"));
    List<JsonObject> lines =
        lines(log).stream().map(line -> JsonParser.parseString(line).getAsJsonObject()).toList();
    assertThat(lines).hasSize(2);
    JsonObject session = lines.getFirst();
    assertThat(Instant.parse(session.get("time").getAsString())).isBefore(Instant.MAX);
    assertThat(session.get("level").getAsString()).isEqualTo("info");
    assertThat(session.get("logger").getAsString()).isEqualTo("session");
    assertThat(session.get("message").getAsString()).isEqualTo("the \"session\"\\u000abegins");
    assertThat(session.get("session").getAsInt()).isEqualTo(3);
    assertThat(session.get("program").getAsString()).isEqualTo("a b");
    assertThat(lines.get(1).get("stack_trace").getAsString())
        .startsWith("    java.lang.IllegalStateException: a\\u000ab\n        at ");
  }

  @Test
  void shouldGiveEachLinePriorityForTheJournal() {
    DaemonLog log = log(LogFormat.JOURNALD);
    log.log(LogTopic.SESSION, Level.INFO, SESSION, "begins");
    log.log(LogTopic.CONNECTION, Level.WARN, LogFields.NONE, "fails");
    log.error("internal error", new IllegalStateException("a\nb"));
    List<String> lines = lines(log);
    assertThat(lines)
        .startsWith(
            "<6>session interface=one session=3 program=\"a b\" pid=77 uid=5: begins",
            "<4>connection: fails",
            "<3>daemon: internal error",
            "<3>    java.lang.IllegalStateException: a\\u000ab");
    assertThat(lines.subList(4, lines.size()))
        .isNotEmpty()
        .allMatch(line -> line.startsWith("<3>        at "));
  }

  @Test
  void shouldLogAnInternalErrorOnce() {
    DaemonLog log = log(LogFormat.TEXT);
    DaemonEvents events = new DaemonEvents(log);
    for (int i = 0; i < 2; i++) {
      events.fault("somewhere", new IllegalStateException("number " + i));
    }
    assertThat(withoutTimes(log))
        .filteredOn(line -> !line.startsWith(" "))
        .containsExactly(
            "error daemon: internal error in somewhere: java.lang.IllegalStateException: number 0");
    assertThat(events.errors().from(0).getFirst().count()).isEqualTo(2);
  }
}
