package org.rddp.bench.analysis;

import org.rddp.bench.harness.Progress;
import org.rddp.bench.report.BenchmarkReport;

/** All figures of the analysis. */
final class Analysis {
  private Analysis() {}

  /** Measures: in virtual time and from fixed seeds, the same each time, but for the costs. */
  static void measure(BenchmarkReport report, boolean quick, Progress progress) {
    progress.log("packing, alignment and delay");
    report.add(PackingFigures.table());
    report.add(SegmentFigures.table());
    report.add(DelayFigures.table());
    progress.log("receive buffers");
    report.add(BufferFigures.table(quick));
    progress.log("loss");
    report.add(LossFigures.table(quick));
    progress.log("costs");
    report.add(CostFigures.table(quick));
  }
}
