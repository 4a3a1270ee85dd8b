package org.rddp.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder.request;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherFactory;

class ClauseListenerTest {
  @TempDir private Path folder;

  /** The tests whose results are recorded; not run by the build, so its failure does not count. */
  static final class Example {
    @Test
    @Tag("X-1-01")
    @Tag("slow")
    void passes() {}

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Tag("X-1-02")
    void failsOnce(int number) {
      assertThat(number).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({"1, X-1-05", "2, X-1-06 X-1-07"})
    void failsInOneRow(int number, String clauses) {
      assertThat(number).as(clauses).isEqualTo(2);
    }
  }

  @Test
  void shouldRecordTheResultOfEachTestThatNamesAClause() throws IOException {
    Path file = folder.resolve("clauses.tsv");
    String name = Example.class.getName();
    Files.write(
        file,
        List.of(
            ClauseOutcome.HEADER,
            "X-1-03\t" + name + "#renamed\tpassed",
            "X-1-04\torg.rddp.Gone#test\tpassed",
            "X-1-01\t" + name + "#passes\tfailed"));
    run(file);
    assertThat(file)
        .hasContent(
            ClauseOutcome.HEADER
                + "\nX-1-01\t"
                + name
                + "#passes\tpassed\nX-1-02\t"
                + name
                + "#failsOnce\tfailed\nX-1-05\t"
                + name
                + "#failsInOneRow\tfailed\nX-1-06\t"
                + name
                + "#failsInOneRow\tpassed\nX-1-07\t"
                + name
                + "#failsInOneRow\tpassed\n");
  }

  private static void run(Path file) {
    LauncherConfig config =
        LauncherConfig.builder()
            .enableTestExecutionListenerAutoRegistration(false)
            .addTestExecutionListeners(new ClauseListener(file))
            .build();
    LauncherDiscoveryRequest request = request().selectors(selectClass(Example.class)).build();
    LauncherFactory.create(config).execute(request);
  }
}
