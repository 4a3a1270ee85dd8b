package org.rddp.daemon.configuration;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads the table {@code [log]}. */
final class LogReader {
  private static final List<String> LOGGERS = List.of("daemon", "session", "connection", "request");
  private static final int MOST_LINES = 100_000;

  private LogReader() {}

  static LogConfiguration read(TomlSection section) {
    LogConfiguration defaults = LogConfiguration.DEFAULTS;
    Map<String, LogLevel> words = TomlSection.words(LogLevel.values());
    LogLevel level = section.choice("level", words, defaults.level());
    LogFormat format =
        section.choice("format", TomlSection.words(LogFormat.values()), defaults.format());
    int lines = section.integer("lines-per-second", 1, MOST_LINES, defaults.linesPerSecond());
    TomlSection loggers = section.section("levels");
    Map<String, LogLevel> levels = new LinkedHashMap<>();
    for (String logger : LOGGERS) {
      levels.put(logger, loggers.choice(logger, words, level));
    }
    loggers.refuseUnknownKeys();
    section.refuseUnknownKeys();
    return new LogConfiguration(level, levels, format, lines);
  }
}
