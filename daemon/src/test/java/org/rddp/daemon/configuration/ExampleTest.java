package org.rddp.daemon.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * docs/rddpd.example.toml, which is the manual page, too, has every key with its default and behind
 * it, where that is a range, what may stand there, as messages about wrong values say it, and
 * whether SIGHUP applies it.
 */
class ExampleTest {
  private static final Path EXAMPLE = Path.of("../docs/rddpd.example.toml");
  private static final Pattern TABLE = Pattern.compile("\\[+([a-z.]+)]+");
  private static final Pattern SETTING =
      Pattern.compile("(?<text>(# )?(?<key>[a-z0-9-]+) = .*?)(  # .*)?");
  private static final Pattern RANGE = Pattern.compile(".* from (?<range>.+ to .+)");

  /** The tables that the example only describes. */
  private static final String DESCRIBED =
      """
      [[limits.tenant]]
      [[interface]]
      name = "port0"
      device = "net_ring0"
      address = "10.0.0.1/24"
      [interface.ipsec]
      key-file = "/keys"
      [[interface.ipsec.rule]]
      remote = "10.0.0.2"
      action = "require"
      [[interface.tcp.network]]
      remote = "10.0.0.2"
      congestion = "cubic"
      """;

  private final List<String> lines = lines();

  /** The full keys that have lines. */
  private final List<String> keys = new ArrayList<>();

  private static List<String> lines() {
    try {
      return Files.readAllLines(EXAMPLE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<String> filled() throws Exception {
    Configuration example = ConfigurationFile.parse("f", String.join("\n", lines));
    List<String> filled = new ArrayList<>();
    String table = "";
    for (String line : lines) {
      Matcher header = TABLE.matcher(line);
      Matcher setting = SETTING.matcher(line);
      if (header.matches()) {
        table = header.group(1).replace("interface", "interface[1]");
        filled.add(line);
      } else if (setting.matches()) {
        String key = table + "." + setting.group("key");
        keys.add(key);
        List<String> behind = new ArrayList<>(range(key, setting.group("key"), filled.size()));
        if (example.keys().get(key).live()) {
          behind.add("SIGHUP");
        }
        filled.add(
            setting.group("text") + (behind.isEmpty() ? "" : "  # " + String.join("; ", behind)));
      } else {
        filled.add(line);
      }
    }
    return filled;
  }

  /** What the message about a value of no use says that may stand there. */
  private List<String> range(String key, String last, int line) {
    List<String> wrong = new ArrayList<>(lines);
    wrong.set(line, last + " = {}");
    String message =
        ConfigurationFileTest.problems(String.join("\n", wrong)).stream()
            .filter(problem -> problem.key().equals(key))
            .map(ConfigurationProblem::message)
            .collect(Collectors.joining());
    assertThat(message).as(key).contains("is a table of 0");
    Matcher range = RANGE.matcher(message);
    return range.matches() ? List.of(range.group("range")) : List.of();
  }

  @Test
  void shouldSayWhatMayStandThere() throws Exception {
    List<String> filled = filled();
    if (Boolean.getBoolean("rddp.example.write")) {
      Files.write(EXAMPLE, filled);
    }
    assertThat(EXAMPLE).hasContent(String.join("\n", filled));
  }

  @Test
  void shouldHaveEveryKey() throws Exception {
    filled();
    String text = String.join("\n", lines);
    Configuration example = ConfigurationFile.parse("f", text);

    assertThat(example.keys().keySet())
        .filteredOn(key -> !key.equals("interface[1].longest-frame"))
        .isSubsetOf(keys);
    assertThat(ConfigurationFile.parse("f", DESCRIBED).keys().keySet())
        .map(key -> key.substring(key.lastIndexOf('.') + 1))
        .allMatch(text::contains);
  }
}
