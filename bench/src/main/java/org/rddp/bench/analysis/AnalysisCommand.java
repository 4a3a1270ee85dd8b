package org.rddp.bench.analysis;

import java.time.Duration;
import org.rddp.bench.NamedBenchmark;
import org.rddp.bench.method.Progress;
import org.rddp.bench.report.Report;
import picocli.CommandLine.Command;

/** {@code bin/rddp bench analysis}. */
@Command(
    name = "analysis",
    description = "The analysis of MPA over TCP (RFC 5044 appendix B) as measured figures.")
public final class AnalysisCommand extends NamedBenchmark {
  /** For picocli. */
  public AnalysisCommand() {}

  @Override
  protected Duration longest() {
    return Duration.ofSeconds(60);
  }

  @Override
  protected void measure(Report report, Progress progress) {
    Analysis.measure(report, quick(), progress);
  }
}
