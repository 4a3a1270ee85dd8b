package org.rddp.bench;

import com.google.gson.GsonBuilder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.rddp.bench.method.Progress;
import org.rddp.bench.report.GeneratedSection;
import org.rddp.bench.report.Report;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * A benchmark with a name of its own: {@code bin/rddp bench NAME}. Its class has a {@link Command}
 * with that name and stands in the list of {@link Benchmarks}; it measures, and what it has found
 * is printed or written here.
 */
@Command(mixinStandardHelpOptions = true, sortOptions = false)
public abstract class NamedBenchmark implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Option(names = "--quick", description = "Fewer figures and rounds: less than a minute.")
  private boolean quick;

  @Option(names = "--json", description = "Print one JSON object instead of tables.")
  private boolean json;

  @Option(
      names = "--write",
      paramLabel = "FILE",
      description =
          "Put the tables into this document, between its two marks, and plots and raw data into"
              + " the folder 'benchmarks' beside it, instead of printing.")
  private Path file;

  /** For picocli. */
  protected NamedBenchmark() {}

  /**
   * Measures.
   *
   * @param report to be filled
   * @param progress told what is being done
   * @throws ParameterException when it is called wrongly
   * @throws Exception whose message is shown, when nothing can be measured
   */
  protected abstract void measure(Report report, Progress progress) throws Exception;

  /** Whether figures are to be there in less than a minute. */
  protected final boolean quick() {
    return quick;
  }

  /** An error in how it was called. */
  protected final ParameterException wrong(String what) {
    return new ParameterException(spec.commandLine(), what);
  }

  /** The part of the document that it makes. */
  static GeneratedSection section(String name) {
    return new GeneratedSection("bench " + name);
  }

  @Override
  public final Integer call() throws Exception {
    if (file != null && json) {
      throw wrong("--json prints and --write does not: choose one");
    }
    if (file != null) {
      section(spec.name()).check(file);
    }
    Report report = new Report(spec.name(), quick);
    measure(report, new Progress(System.err));
    PrintWriter out = spec.commandLine().getOut();
    print(report, out);
    out.flush();
    return 0;
  }

  private void print(Report report, PrintWriter out) throws IOException {
    if (json) {
      out.println(new GsonBuilder().setPrettyPrinting().create().toJson(report.json()));
    } else if (file != null) {
      report.write(file, section(spec.name()));
      out.println("written to " + file);
    } else {
      out.print(report.markdown());
    }
  }
}
