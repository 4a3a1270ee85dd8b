package org.rddp.interop.siw;

import java.util.ArrayList;
import java.util.List;
import org.rddp.interop.siw.Perftest.Tool;

/** Every tool in both roles. */
final class ToolCases {
  private static final int LONGEST_PING = 65535;
  private static final int LONG_MESSAGE = 65536;
  private static final int SHORT_MESSAGE = 64;

  private final GuestToolRunner tools;
  private final boolean quick;
  private final List<SiwCase> rows = new ArrayList<>();

  /** Fewer messages if {@code quick}. */
  ToolCases(GuestToolRunner tools, boolean quick) {
    this.tools = tools;
    this.quick = quick;
  }

  /** All cases over a link. */
  List<SiwCase> over(SiwLink link) {
    rows.clear();
    rping(link, quick ? 10 : 1000, SHORT_MESSAGE);
    if (!quick) {
      rping(link, 100, 1459);
      rping(link, 50, 8192);
    }
    rping(link, quick ? 3 : 50, LONGEST_PING);
    perftest(link, Tool.SEND_LATENCY, quick ? 20 : 500, SHORT_MESSAGE);
    perftest(link, Tool.WRITE_BANDWIDTH, quick ? 5 : 100, LONG_MESSAGE);
    perftest(link, Tool.READ_BANDWIDTH, quick ? 5 : 100, LONG_MESSAGE);
    if (!quick) {
      perftest(link, Tool.SEND_LATENCY, 100, LONG_MESSAGE);
      perftest(link, Tool.WRITE_BANDWIDTH, 1000, SHORT_MESSAGE);
      perftest(link, Tool.READ_BANDWIDTH, 500, SHORT_MESSAGE);
    }
    return List.copyOf(rows);
  }

  private void rping(SiwLink link, int count, int size) {
    add("rping", count, size, true, link, () -> tools.rpingClient(link, count, size));
    add("rping", count, size, false, link, () -> tools.rpingServer(link, count, size));
  }

  private void perftest(SiwLink link, Tool tool, int count, int size) {
    Perftest perftest = new Perftest(tool, count, size);
    String name = tool.toString();
    add(name, count, size, true, link, () -> tools.perftestClient(perftest, link));
    add(name, count, size, false, link, () -> tools.perftestServer(perftest, link));
  }

  private void add(
      String name, int count, int size, boolean weOpen, SiwLink link, SiwCase.Action talk) {
    String what = "%-12s %4d x %5d octets".formatted(name, count, size);
    rows.add(SiwCase.of(what, weOpen, link, talk));
  }
}
