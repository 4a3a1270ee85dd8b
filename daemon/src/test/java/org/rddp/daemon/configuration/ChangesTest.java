package org.rddp.daemon.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
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

  /** Every key of {@code [limits]}, with a value that is not the default. */
  private static final List<String> LIMITS =
      List.of(
          "sessions = 3",
          "memory = \"12GiB\"",
          "memories = 9000",
          "session-regions = 4",
          "session-memory = \"1MiB\"",
          "session-memories = 8",
          "session-connections = 5",
          "session-listeners = 6",
          "user-share = 60",
          "process-share = 40",
          "send-queue = 7",
          "receive-queue = 8",
          "requests = 128",
          "completions = 256",
          "largest-send-queue = 9",
          "largest-receive-queue = 10",
          "largest-requests = 512",
          "largest-completions = 1024",
          "largest-regions = 11",
          "largest-memories = 9");

  private static Configuration read(String limits) throws ConfigurationException {
    return ConfigurationFile.parse("rddpd.toml", "[limits]\n" + limits + "\n" + INTERFACE);
  }

  @Test
  void everyLimitShouldBeNamedAsInTheFile() throws ConfigurationException {
    Changes changes = Changes.between(read(""), read(String.join("\n", LIMITS)));

    assertThat(Stream.of(changes.applied(), changes.restart()).flatMap(List::stream))
        .containsExactlyInAnyOrderElementsOf(
            LIMITS.stream().map(line -> "limits." + line.substring(0, line.indexOf(' '))).toList());
    assertThat(changes.restart())
        .containsExactlyInAnyOrder("limits.send-queue", "limits.receive-queue");
  }

  @Test
  void shouldNameATableWithinATableOnce() throws ConfigurationException {
    Configuration running = read("");
    Configuration next =
        read("[log.levels]\nsession = \"off\"\nrequest = \"off\"\n[[limits.tenant]]\nweight = 2");
    Changes changes = Changes.between(running, next);

    assertThat(changes.applied()).containsExactly("log.levels");
    assertThat(changes.restart()).containsExactly("limits.tenant");
    assertThat(changes.keys(running, next))
        .containsEntry("log.levels.session", LogLevel.OFF)
        .doesNotContainKey("limits.tenant[1].weight");
  }
}
