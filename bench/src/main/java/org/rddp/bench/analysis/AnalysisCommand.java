package org.rddp.bench.analysis;

import java.time.Duration;
import org.rddp.analysis.BufferFigures;
import org.rddp.analysis.DelayFigures;
import org.rddp.analysis.FigureTable;
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
    report.add(table(PackingFigures.table()));
    report.add(table(SegmentFigures.table()));
    report.add(table(DelayFigures.table()));
    progress.log("receive buffers");
    report.add(table(BufferFigures.table(quick())));
    progress.log("loss");
    report.add(table(LossFigures.table(quick())));
    progress.log("costs");
    report.add(CostFigures.table(quick()));
  }

  private static ReportTable table(FigureTable figures) {
    ReportTable table = new ReportTable(figures.name(), figures.title(), figures.text());
    figures.columns().forEach(table::column);
    figures.rows().forEach(table::add);
    return table;
  }
}
