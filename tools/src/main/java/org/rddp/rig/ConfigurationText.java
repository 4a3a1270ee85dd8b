package org.rddp.rig;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.dpdk.Hugepages;

/** Builds the TOML text of a configuration, table by table. */
public final class ConfigurationText {
  private final StringBuilder text = new StringBuilder();

  /** An empty configuration. */
  public ConfigurationText() {}

  /**
   * Whether enough huge pages are free.
   *
   * @param mebibytes that all daemons to be started need together
   */
  public static boolean hasHugepages(int mebibytes) {
    return freeHugepages() >= mebibytes;
  }

  /** MiB of free huge pages; 0 where RDDP_NO_HUGEPAGES is set. */
  public static long freeHugepages() {
    return System.getenv("RDDP_NO_HUGEPAGES") == null ? Hugepages.available() >> 20 : 0;
  }

  /** Adds the control socket, which only this user may open. */
  public ConfigurationText control(Path socket) {
    return table("[control]", "socket", socket, "mode", "0600");
  }

  /** Adds DPDK's memory, in huge pages where enough of them are free. */
  public ConfigurationText dpdk(int mebibytes) {
    return dpdk(mebibytes, hasHugepages(mebibytes), "error");
  }

  /**
   * Adds DPDK's memory.
   *
   * @param logLevel as DPDK's option {@code --log-level} takes it
   */
  public ConfigurationText dpdk(int mebibytes, boolean hugepages, String logLevel) {
    return table(
        "[dpdk]",
        "hugepages",
        hugepages,
        "memory",
        mebibytes + "MiB",
        "arguments",
        List.of("--log-level=" + logLevel));
  }

  /** Adds how engine threads idle. */
  public ConfigurationText idle(String strategy) {
    return table("[engine]", "idle", strategy);
  }

  /**
   * Adds an interface.
   *
   * @param address with its prefix length
   * @param more further keys and values, as in {@link #table}
   */
  public ConfigurationText port(String name, String device, String address, Object... more) {
    return port(name, device, List.of(address), more);
  }

  /**
   * Adds an interface.
   *
   * @param addresses one for each family, with their prefix lengths
   * @param more further keys and values, as in {@link #table}
   */
  public ConfigurationText port(
      String name, String device, List<String> addresses, Object... more) {
    return table("[[interface]]", "name", name, "device", device, "address", addresses).keys(more);
  }

  /** Adds TOML as it is; each line must end with a line feed. */
  public ConfigurationText toml(String lines) {
    text.append(lines);
    return this;
  }

  /**
   * Adds a table.
   *
   * @param header with its brackets
   * @param keysAndValues alternately; a value is a number, a boolean, a list, or else quoted
   */
  public ConfigurationText table(String header, Object... keysAndValues) {
    text.append(header).append('\n');
    return keys(keysAndValues);
  }

  private ConfigurationText keys(Object... keysAndValues) {
    for (int i = 0; i < keysAndValues.length; i += 2) {
      text.append(keysAndValues[i]).append(" = ").append(quoted(keysAndValues[i + 1])).append('\n');
    }
    return this;
  }

  private static String quoted(Object value) {
    if (value instanceof List<?> list) {
      return list.stream()
          .map(ConfigurationText::quoted)
          .collect(Collectors.joining(", ", "[", "]"));
    }
    return value instanceof Number || value instanceof Boolean
        ? value.toString()
        : '"' + value.toString() + '"';
  }

  /**
   * Reads the text as the daemon reads its file.
   *
   * @param name stands for the file's name in errors
   */
  public Configuration parse(String name) throws ConfigurationException {
    return ConfigurationFile.parse(name, toString());
  }

  /** The text. */
  @Override
  public String toString() {
    return text.toString();
  }
}
