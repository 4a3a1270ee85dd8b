package org.rddp.bench.analysis;

import org.rddp.bench.method.Progress;
import org.rddp.bench.report.Report;

/** All figures of the analysis. */
final class Analysis {
  private Analysis() {}

  /** Measures: in virtual time and from fixed seeds, the same each time, but for the costs. */
  static void measure(Report report, boolean quick, Progress progress) {
    progress.say("packing, alignment and delay");
    report.add(PackingFigures.table());
    report.add(SegmentFigures.table());
    report.add(DelayFigures.table());
    progress.say("receive buffers");
    report.add(BufferFigures.table(quick));
    progress.say("loss");
    report.add(LossFigures.table(quick));
    progress.say("costs");
    report.add(CostFigures.table(quick));
  }
}
