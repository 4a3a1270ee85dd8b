package org.rddp.daemon.configuration;

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
  /** The configuration if the file has none. */
  public static final LogConfiguration DEFAULTS =
      new LogConfiguration(LogLevel.INFO, Map.of(), LogFormat.TEXT, 20);

  /** Copies the levels. */
  public LogConfiguration {
    levels = Map.copyOf(levels);
  }

  /** Copies the configuration with the levels of another. */
  public LogConfiguration withLevels(LogConfiguration other) {
    return new LogConfiguration(other.level, other.levels, format, linesPerSecond);
  }

  /** The level of a logger. */
  public LogLevel level(String logger) {
    return levels.getOrDefault(logger, level);
  }
}
