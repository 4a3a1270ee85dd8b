package org.rddp.daemon.configuration;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The configuration of the log.
 *
 * @param level of loggers without a level of their own
 * @param levels levels of loggers by name
 * @param format the form of the lines
 * @param linesPerSecond lines of a logger in a second; further ones are counted
 */
public record LogConfiguration(
    LogLevel level, Map<String, LogLevel> levels, LogFormat format, int linesPerSecond) {
  private static final List<String> LOGGERS = List.of("daemon", "session", "connection", "request");

  /** Copies the levels. */
  public LogConfiguration {
    levels = Map.copyOf(levels);
  }

  /** Reads the {@code [log]} of a configuration file. */
  static LogConfiguration read(TomlSection section) {
    Map<String, LogLevel> words = TomlSection.words(LogLevel.values());
    LogLevel level = section.live().choice("level", words, LogLevel.INFO);
    LogFormat format =
        section.choice("format", TomlSection.words(LogFormat.values()), LogFormat.TEXT);
    int lines = section.integer("lines-per-second", 1, 100_000, 20);
    TomlSection loggers = section.live().section("levels");
    Map<String, LogLevel> levels = new LinkedHashMap<>();
    for (String logger : LOGGERS) {
      levels.put(logger, loggers.choice(logger, words, level));
    }
    loggers.refuseUnknownKeys();
    section.refuseUnknownKeys();
    return new LogConfiguration(level, levels, format, lines);
  }

  /** Copies the configuration with what SIGHUP applies of another. */
  public LogConfiguration applied(LogConfiguration other) {
    return new LogConfiguration(other.level, other.levels, format, linesPerSecond);
  }

  /** The level of a logger. */
  public LogLevel level(String logger) {
    return levels.getOrDefault(logger, level);
  }
}
