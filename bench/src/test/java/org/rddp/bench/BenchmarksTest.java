package org.rddp.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.bench.report.NamedBenchmark;
import picocli.CommandLine;

/** Wrong arguments are reported before anything is measured. */
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
  void shouldNotTakeAContenderThatItDoesNotKnow() {
    assertThat(command.execute("rtt", "--only=kernel,nosuch")).isEqualTo(2);
    assertThat(err.toString()).contains("'nosuch'", "kernel TCP, blocking; Netty");
  }

  @Test
  void shouldNotMeasureForNoTime() {
    assertThat(command.execute("rtt", "--seconds=0")).isEqualTo(2);
    assertThat(err.toString()).contains("--seconds: 1 or more");
  }

  @Test
  void shouldNameItsBenchmarks() {
    assertThat(command.getUsageMessage())
        .contains("goodput", "rate", "analysis", "jmh", "docs/benchmarks.md", "--seconds");
  }

  @Test
  void shouldBeCalledAsTheScriptSaysBeforeAnythingIsBuilt() {
    assertThat(Path.of("..", "bin", "setup", "bench-usage.txt"))
        .as("what 'rddp bench --help' prints: if it is another now, put it there")
        .hasContent(command.getUsageMessage());
  }

  @Test
  void shouldLeaveToJmhItsOptions() {
    assertThat(command.parseArgs("jmh", "Turn", "-p", "octets=64").subcommand().matchedArgs())
        .singleElement()
        .satisfies(all -> assertThat(all.originalStringValues()).hasSize(3));
  }

  @Test
  void shouldNotTakeANameThatItDoesNotKnow() {
    assertThat(command.execute("Integrity")).isEqualTo(2);
    assertThat(err.toString())
        .contains("Integrity", "There are: rtt, waiting, neighbours, goodput", "analysis, jmh");
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
    for (String name : Benchmarks.named(command.getCommandSpec()).keySet()) {
      NamedBenchmark.section(name).check(document);
    }
  }
}
