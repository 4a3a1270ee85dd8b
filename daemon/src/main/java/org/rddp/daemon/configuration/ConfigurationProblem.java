package org.rddp.daemon.configuration;

/**
 * One thing wrong in a configuration file, and where.
 *
 * @param file the file as it was named
 * @param line its line, from 1; 0 when the file as a whole is meant
 * @param column the column, from 1
 * @param key the full key, such as {@code interface[1].mtu}; empty when there is none
 * @param message what is wrong and what is allowed
 */
public record ConfigurationProblem(String file, int line, int column, String key, String message) {
  /** {@code file:line:column: key: message}, as compilers write it. */
  @Override
  public String toString() {
    String place = line > 0 ? file + ":" + line + ":" + column : file;
    return key.isEmpty() ? place + ": " + message : place + ": " + key + ": " + message;
  }
}
