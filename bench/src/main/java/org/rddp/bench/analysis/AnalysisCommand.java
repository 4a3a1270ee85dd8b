package org.rddp.bench.analysis;

import java.time.Duration;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.NamedBenchmark;
import picocli.CommandLine.Command;

/** {@code bin/rddp bench analysis}. */
@Command(
    name = "analysis",
    description = "The analysis of MPA over TCP (RFC 5044 appendix B) as measured figures.")
public final class AnalysisCommand extends NamedBenchmark {
  /** For picocli. */
  public AnalysisCommand() {}

  @Override
  protected Duration defaultBudget() {
    return Duration.ofSeconds(60);
  }

  @Override
  protected void measure(BenchmarkReport report, Progress progress) {
    Analysis.measure(report, quick(), progress);
  }
}
