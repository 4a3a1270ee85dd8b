package org.rddp.bench.report;

import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import org.rddp.bench.harness.Budget;
import org.rddp.bench.harness.ChildProcessCleanup;
import org.rddp.bench.harness.Progress;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * A benchmark with a name of its own: {@code bin/rddp bench NAME}. Its class has a {@link Command}
 * with that name and stands in the list of {@link org.rddp.bench.Benchmarks}; it measures, and what
 * it has found is printed or written here.
 */
@Command(mixinStandardHelpOptions = true, sortOptions = false)
public abstract class NamedBenchmark implements Callable<Integer> {
  /** With start and end, a shortened run takes less than a minute. */
  private static final Duration QUICK = Duration.ofSeconds(45);

  private static final Duration LONGEST = Duration.ofSeconds(150);

  @Spec private CommandSpec spec;

  @Option(names = "--quick", description = "Fewer figures and rounds: less than a minute.")
  private boolean quick;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "About how long it may take; less time means fewer rounds.")
  private Integer seconds;

  @Option(names = "--json", description = "Print one JSON object instead of tables.")
  private boolean json;

  @Option(
      names = "--write",
      paramLabel = "FILE",
      description =
          "Put the tables into this document, between its two marks, and plots and raw figures into"
              + " the folder 'benchmarks' beside it, instead of printing.")
  private Path file;

  /**
   * Measures.
   *
   * @param report to be filled
   * @param progress to which each step is logged
   * @throws ParameterException when an option is wrong
   * @throws Exception when measuring fails; its message is shown
   */
  protected abstract void measure(BenchmarkReport report, Progress progress) throws Exception;

  /** Whether the run is to be shortened to less than a minute. */
  protected final boolean quick() {
    return quick;
  }

  /**
   * About how long a run that is not shortened may take; it has fewer rounds if it would take
   * longer.
   */
  protected Duration defaultBudget() {
    return LONGEST;
  }

  /** How long a run may take. */
  public final Duration budget(boolean shortened) {
    return shortened ? QUICK : defaultBudget();
  }

  /** An error in the options. */
  protected final ParameterException usageError(String what) {
    return new ParameterException(spec.commandLine(), what);
  }

  /** The section of the document that a benchmark generates. */
  public static GeneratedSection section(String name) {
    return new GeneratedSection("bench " + name);
  }

  /** The summary of the goals of some benchmarks. */
  public static GoalSummary summary(Collection<String> names) {
    return new GoalSummary(List.copyOf(names));
  }

  @Override
  public final Integer call() throws Exception {
    if (file != null && json) {
      throw usageError("--json prints and --write does not: choose one");
    }
    if (seconds != null && seconds < 1) {
      throw usageError("--seconds: 1 or more");
    }
    if (file != null) {
      section(spec.name()).check(file);
      summary(spec.parent().subcommands().keySet()).check(file);
    }
    BenchmarkReport report = new BenchmarkReport(spec.name(), quick);
    int code = measured(report);
    ChildProcessCleanup.blockDuringShutdown();
    PrintWriter out = spec.commandLine().getOut();
    print(report, out);
    out.flush();
    return code;
  }

  /** Returns 0, or 1 where measuring has failed; the results so far are shown all the same. */
  private int measured(BenchmarkReport report) throws Exception {
    try {
      Duration budget = seconds == null ? budget(quick) : Duration.ofSeconds(seconds);
      measure(report, new Progress(System.err, Budget.of(budget)));
      return 0;
    } catch (ParameterException | InterruptedException e) {
      throw e;
    } catch (Exception | LinkageError e) {
      String reason = e.getMessage() == null ? e.toString() : e.getMessage();
      spec.commandLine().getErr().println("rddp: " + reason);
      report.failed(reason);
      return 1;
    }
  }

  private void print(BenchmarkReport report, PrintWriter out) throws IOException {
    if (json) {
      out.println(new GsonBuilder().setPrettyPrinting().create().toJson(report.json()));
    } else if (file != null) {
      report.write(file, section(spec.name()));
      summary(spec.parent().subcommands().keySet()).write(file);
      FirstPage.write(file);
      out.println("written to " + file);
    } else {
      out.print(report.markdown());
    }
  }
}
