package org.rddp.interop.guest;

import java.util.ArrayList;
import java.util.List;
import org.rddp.interop.guest.Perftest.Tool;

/** Every tool in both roles. */
public final class ToolCases {
  private static final int LONGEST_PING = 65535;
  private static final int LONG_MESSAGE = 65536;
  private static final int SHORT_MESSAGE = 64;

  private final GuestToolRunner tools;
  private final boolean quick;
  private final List<GuestCase> rows = new ArrayList<>();

  /** Fewer messages if {@code quick}. */
  public ToolCases(GuestToolRunner tools, boolean quick) {
    this.tools = tools;
    this.quick = quick;
  }

  /** All cases over a link. */
  public List<GuestCase> over(GuestLink link) {
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

  /** The cases over a link by IPv6: rping in both roles. */
  public List<GuestCase> overIpv6(GuestLink link) {
    rows.clear();
    rping(link, quick ? 10 : 100, SHORT_MESSAGE);
    return List.copyOf(rows);
  }

  private void rping(GuestLink link, int count, int size) {
    add("rping", count, size, true, link, () -> tools.rpingClient(link, count, size));
    add("rping", count, size, false, link, () -> tools.rpingServer(link, count, size));
  }

  private void perftest(GuestLink link, Tool tool, int count, int size) {
    Perftest perftest = new Perftest(tool, count, size);
    String name = tool.toString();
    add(name, count, size, true, link, () -> tools.perftestClient(perftest, link));
    add(name, count, size, false, link, () -> tools.perftestServer(perftest, link));
  }

  private void add(
      String name, int count, int size, boolean weOpen, GuestLink link, GuestCase.Action talk) {
    String what = "%-12s %4d x %5d octets".formatted(name, count, size);
    rows.add(GuestCase.of(what, weOpen, link, talk));
  }
}
