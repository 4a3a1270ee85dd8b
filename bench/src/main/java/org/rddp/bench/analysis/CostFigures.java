package org.rddp.bench.analysis;

import java.util.LinkedHashMap;
import java.util.Map;
import org.rddp.bench.harness.InterleavedRounds;
import org.rddp.bench.harness.Series;
import org.rddp.bench.harness.TimedLoop;
import org.rddp.bench.report.ReportTable;

/** CPU time for a received FPDU that lies in one segment, and for one that lies in two. */
final class CostFigures {
  private static final int[] SIZES = {64, 536, 1460, 8960};
  private static final String ALIGNED = "aligned";
  private static final String SPLIT = "split";
  private static final long ROUND = 200_000;
  private static final long WARM_UP = 3_000_000_000L;

  private CostFigures() {}

  static ReportTable table(boolean quick) {
    ReportTable table =
        new ReportTable(
                "cost",
                "What a received FPDU costs, aligned and not",
                "Time from the segment to the placed ULPDU, in MPA alone (FPDU found, CRC verified,"
                    + " ULPDU copied): FPDUs of EMSS that lie in one segment each, and in the halves"
                    + " of two. Nanoseconds, medians of interleaved rounds, on the machine that made"
                    + " this page.")
            .column("fpdu", "FPDU")
            .column("aligned_ns", "aligned, ns")
            .column("split_ns", "in two segments, ns")
            .column("ratio", "in two segments / aligned");
    for (int size : SIZES) {
      MpaReceiveLoop aligned = new MpaReceiveLoop(size, true);
      MpaReceiveLoop split = new MpaReceiveLoop(size, false);
      Map<String, TimedLoop> both = new LinkedHashMap<>();
      both.put(ALIGNED, (length, times) -> aligned.receive(times));
      both.put(SPLIT, (length, times) -> split.receive(times));
      InterleavedRounds rounds = new InterleavedRounds(both, quick ? 31 : 101, ROUND);
      rounds.warmUp(new int[] {size}, quick ? WARM_UP / 3 : WARM_UP);
      Map<String, Series> times = rounds.measure(size);
      table.add(
          size,
          times.get(ALIGNED).median(),
          times.get(SPLIT).median(),
          times.get(SPLIT).over(times.get(ALIGNED)).median());
    }
    return table;
  }
}
