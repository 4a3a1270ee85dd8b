package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.rddp.daemon.control.PublishedValue;

/** docs/counters.md has what the daemon publishes. */
class CountersDocumentTest {
  private static final Path DOCUMENT = Path.of("../docs/counters.md");

  private static String document() {
    return """
    # Counters

    What `rddp stat` shows by these names, behind the interface's, such as `eth0.tcp_sent_segments`, and metrics behind `rddp_`, such as
    `rddp_tcp_sent_segments_total{interface="eth0"}` ([operations](operations.md#metrics)): counters, with `_total` in metrics, and gauges,
    which rise and fall. Those of the daemon as a whole have no interface. Bytes are octets. Written anew by
    `mvn -q -B -pl daemon -am test -Dtest=CountersDocumentTest -Dsurefire.failIfNoSpecifiedTests=false -Drddp.counters.write=true`.

    | Name | | What it is |
    |---|---|---|
    """
        + EngineStatistics.all().stream()
            .map(CountersDocumentTest::row)
            .collect(Collectors.joining());
  }

  private static String row(PublishedValue<?> each) {
    return "| `%s` | %s | %s |\n"
        .formatted(each.name(), each.isGauge() ? "gauge" : "counter", each.help());
  }

  @Test
  void shouldDescribeEveryCounterOnce() {
    assertThat(EngineStatistics.all())
        .extracting(PublishedValue::name)
        .doesNotHaveDuplicates()
        .allMatch(name -> name.matches("[a-z]+(_[a-z]+)*"));
    assertThat(EngineStatistics.all())
        .extracting(PublishedValue::help)
        .allMatch(help -> help.matches("[A-Z].*\\.") && !help.contains("|"));
  }

  @Test
  void shouldListEveryCounter() throws IOException {
    if (Boolean.getBoolean("rddp.counters.write")) {
      Files.writeString(DOCUMENT, document());
    }
    assertThat(DOCUMENT).hasContent(document());
  }
}
