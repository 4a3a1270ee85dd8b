package org.rddp.bench.analysis;

import java.time.Duration;
import org.rddp.analysis.BufferFigures;
import org.rddp.analysis.DelayFigures;
import org.rddp.analysis.LossFigures;
import org.rddp.analysis.PackingFigures;
import org.rddp.analysis.SegmentFigures;
import org.rddp.bench.harness.Progress;
import org.rddp.bench.report.BenchmarkReport;
import org.rddp.bench.report.NamedBenchmark;
import org.rddp.bench.report.ReportTable;
import picocli.CommandLine.Command;

/** {@code bin/rddp bench analysis}: runs in virtual time with fixed seeds, except for the costs. */
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
    report.add(ReportTable.of(PackingFigures.table()));
    report.add(ReportTable.of(SegmentFigures.table()));
    report.add(ReportTable.of(DelayFigures.table()));
    progress.log("receive buffers");
    report.add(ReportTable.of(BufferFigures.table(quick())));
    progress.log("loss");
    report.add(ReportTable.of(LossFigures.table(quick())));
    progress.log("costs");
    report.add(CostFigures.table(quick()));
  }
}
