package org.rddp.daemon.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChangesTest {
  private static final String INTERFACE =
      """
      [[interface]]
      name = "a"
      device = "ring:x"
      address = "10.1.0.1/16"
      [[interface]]
      name = "b"
      device = "ring:x"
      address = "10.1.0.2/16"
      """;

  /** Keys of the tables of which SIGHUP applies some, with values that are not the defaults. */
  private static final String LIVE =
      """
      [control]
      mode = "0600"
      group = 0
      users = [7]
      drain-timeout = "1s"
      [limits]
      sessions = 3
      memory = "12GiB"
      memories = 9000
      session-regions = 4
      session-memory = "1MiB"
      session-memories = 8
      session-connections = 5
      session-listeners = 6
      user-share = 60
      process-share = 40
      requests = 128
      completions = 256
      largest-send-queue = 512
      largest-receive-queue = 513
      largest-requests = 512
      largest-completions = 2048
      largest-regions = 11
      largest-memories = 9
      [log]
      level = "off"
      """;

  private static final String FIXED =
      """
      [control]
      socket = "/s"
      [limits]
      send-queue = 7
      receive-queue = 8
      tenant = [{ weight = 2 }]
      [log]
      format = "json"
      lines-per-second = 2
      [dpdk]
      hugepages = false
      [engine]
      idle = "spin"
      [metrics]
      listen = "9470"
      """;

  private static Configuration read(String tables) throws ConfigurationException {
    return ConfigurationFile.parse("rddpd.toml", tables + INTERFACE);
  }

  /** The keys of a text, as changes are told. */
  private static List<String> keys(String text) {
    List<String> keys = new ArrayList<>();
    String table = "";
    for (String line : text.lines().toList()) {
      if (line.startsWith("[")) {
        table = line.substring(1, line.length() - 1);
      } else {
        keys.add(table + "." + line.substring(0, line.indexOf(' ')));
      }
    }
    return keys;
  }

  @Test
  void shouldApplyTheKeysThatSayIt() throws ConfigurationException {
    Configuration running = read("");
    Configuration next = read(LIVE);

    Changes changes = Changes.between(running, next);

    assertThat(changes.applied()).containsAll(keys(LIVE));
    assertThat(changes.applied()).hasSize(keys(LIVE).size() + 1).contains("log.levels");
    assertThat(changes.restart()).isEmpty();
    assertThat(running.applied(next)).isEqualTo(next);
  }

  @Test
  void shouldLeaveTheOthersForARestart() throws ConfigurationException {
    Configuration running = read("");
    Configuration next =
        ConfigurationFile.parse("rddpd.toml", FIXED + INTERFACE.replace("ring:x", "ring:y"));

    Changes changes = Changes.between(running, next);

    List<String> told = new ArrayList<>(keys(FIXED));
    told.addAll(List.of("interface[1]", "interface[2]"));
    assertThat(changes.restart()).containsExactlyElementsOf(told);
    assertThat(changes.applied()).isEmpty();
    assertThat(running.applied(next)).isEqualTo(running);
  }
}
