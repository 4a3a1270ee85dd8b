package org.rddp.bench.analysis;

import java.util.ArrayList;
import java.util.List;

/** All figures of the analysis. */
final class Analysis {
  private Analysis() {}

  /** Measures: in virtual time and from fixed seeds, the same each time, but for the costs. */
  static List<Table> tables(boolean quick) {
    List<Table> tables = new ArrayList<>();
    tables.add(PackingFigures.table());
    tables.add(SegmentFigures.table());
    tables.add(DelayFigures.table());
    tables.add(BufferFigures.table(quick));
    tables.add(LossFigures.table(quick));
    tables.add(CostFigures.table(quick));
    return tables;
  }

  /** All of them as sections. */
  static String markdown(List<Table> tables) {
    StringBuilder all = new StringBuilder();
    tables.forEach(table -> all.append(table.markdown()).append('\n'));
    return all.toString();
  }
}
