package org.rddp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What is wrong with a call is said before anything is measured. */
class BenchmarksTest {
  private final StringWriter err = new StringWriter();
  private final CommandLine command = Benchmarks.commandLine().setErr(new PrintWriter(err));
  @TempDir private Path folder;

  @Test
  void shouldNotMeasureForAFileThatIsNotThere() {
    Path file = folder.resolve("none.md");
    assertThat(command.execute("analysis", "--write", file.toString())).isEqualTo(1);
    assertThat(err.toString()).startsWith("rddp: " + file + ": no file that can be written");
  }

  @Test
  void shouldNotMeasureForAFileWithoutAPlaceForTheTables() throws IOException {
    Path file = Files.writeString(folder.resolve("some.md"), "# Something");
    assertThat(command.execute("analysis", "--write", file.toString())).isEqualTo(1);
    assertThat(err.toString())
        .contains("lacks the lines")
        .contains("made by bin/rddp bench analysis");
    assertThat(file).hasContent("# Something");
  }

  @Test
  void shouldNotPrintAndWrite() {
    assertThat(command.execute("analysis", "--json", "--write", "x.md")).isEqualTo(2);
    assertThat(err.toString()).contains("choose one");
  }

  @Test
  void shouldNameItsBenchmarks() {
    assertThat(command.getUsageMessage())
        .contains("goodput", "rate", "analysis", "crc", "jmh", "docs/benchmarks.md");
  }

  @Test
  void shouldNotTakeANameThatItDoesNotKnow() {
    assertThat(command.execute("Integrity")).isEqualTo(2);
    assertThat(err.toString()).contains("Integrity");
  }

  @Test
  void shouldMeasureNothingWhereOneHasNoPlace() throws IOException {
    Path file = Files.writeString(folder.resolve("some.md"), "# Something");
    assertThat(command.execute("--write", file.toString())).isEqualTo(1);
    assertThat(err.toString()).contains("lacks the lines").doesNotContain("==");
  }

  @Test
  void shouldHaveAPlaceForEachInTheDocument() throws IOException {
    Path document = Path.of("..", "docs", "benchmarks.md");
    for (String name : command.getSubcommands().keySet()) {
      NamedBenchmark.section(name).check(document);
    }
  }
}
