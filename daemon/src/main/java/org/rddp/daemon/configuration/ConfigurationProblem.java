package org.rddp.daemon.configuration;

/**
 * A problem in a configuration file and its position.
 *
 * @param file name of the file
 * @param line line, from 1; 0 for the file as a whole
 * @param column column, from 1
 * @param key full key, such as {@code interface[1].mtu}, or empty
 * @param message the problem and the allowed values
 */
public record ConfigurationProblem(String file, int line, int column, String key, String message) {
  /** {@code file:line:column: key: message}, the format of compilers. */
  @Override
  public String toString() {
    String place = line > 0 ? file + ":" + line + ":" + column : file;
    return key.isEmpty() ? place + ": " + message : place + ": " + key + ": " + message;
  }
}
