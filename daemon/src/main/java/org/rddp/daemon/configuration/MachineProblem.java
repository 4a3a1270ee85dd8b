package org.rddp.daemon.configuration;

/**
 * A valid configuration names something that the machine lacks or does not allow.
 *
 * @param table the table of the key, such as {@code engine}
 * @param number number of the {@code [[interface]]}, from 1; 0 for another table
 * @param key the key in the table
 * @param message the problem, and what is allowed
 */
public record MachineProblem(String table, int number, String key, String message) {
  /** A problem with a key of a table that exists once. */
  public static MachineProblem of(String table, String key, String message) {
    return new MachineProblem(table, 0, key, message);
  }

  /** A problem with a key of an interface. */
  public static MachineProblem ofInterface(int number, String key, String message) {
    return new MachineProblem("interface", number, key, message);
  }

  /** The full key, such as {@code interface[1].mtu}. */
  public String fullKey() {
    return table + (number > 0 ? "[" + number + "]." : ".") + key;
  }

  /** {@code key: message}. */
  @Override
  public String toString() {
    return fullKey() + ": " + message;
  }
}
