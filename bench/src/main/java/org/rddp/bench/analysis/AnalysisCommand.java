package org.rddp.bench.analysis;

import java.time.Duration;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.NamedBenchmark;
import picocli.CommandLine.Command;

/** {@code bin/rddp bench analysis}: in virtual time and from fixed seeds, but for the costs. */
@Command(
    name = "analysis",
    description = "The analysis of MPA over TCP (RFC 5044 appendix B) as measured figures.")
public final class AnalysisCommand extends NamedBenchmark {
  @Override
  protected Duration defaultBudget() {
    return Duration.ofSeconds(60);
  }

  @Override
  protected void measure(BenchmarkReport report, Progress progress) {
    progress.log("packing, alignment and delay");
    report.add(PackingFigures.table());
    report.add(SegmentFigures.table());
    report.add(DelayFigures.table());
    progress.log("receive buffers");
    report.add(BufferFigures.table(quick()));
    progress.log("loss");
    report.add(LossFigures.table(quick()));
    progress.log("costs");
    report.add(CostFigures.table(quick()));
  }
}
