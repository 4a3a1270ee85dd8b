package org.rddp.analysis;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.rddp.simulation.WireSettings;
import org.rddp.tcp.CongestionAlgorithm;

/** Congestion control in the network of a data centre, behind one switch: {@link SwitchRun}. */
public final class SwitchFigures {
  private static final int SENDERS = 32;
  private static final int MESSAGE = 64 << 10;
  private static final long MILLISECOND = 1_000_000;
  private static final long FLOW = 100 * MILLISECOND;
  private static final long FLOW_QUICK = 20 * MILLISECOND;
  private static final int ROUNDS = 40;
  private static final int ROUNDS_QUICK = 5;
  private static final int[] ROUND_TRIPS = {10, 20, 50, 100};
  private static final double RARE = 0.01;

  /** Congestion controls that are compared. */
  enum Control {
    CUBIC("CUBIC", CongestionAlgorithm.CUBIC, false),
    CUBIC_ECN("CUBIC, ECN", CongestionAlgorithm.CUBIC, true),
    DCTCP("DCTCP", CongestionAlgorithm.DCTCP, true);

    private final String title;
    private final CongestionAlgorithm algorithm;
    private final boolean ecn;

    Control(String title, CongestionAlgorithm algorithm, boolean ecn) {
      this.title = title;
      this.algorithm = algorithm;
      this.ecn = ecn;
    }

    SwitchRun run(WireSettings cable) {
      return new SwitchRun(SwitchRun.DATA_CENTRE.withEcn(ecn).withCongestion(algorithm), cable);
    }
  }

  private SwitchFigures() {}

  /**
   * What messages took, and the queue of the port to the receiver meanwhile.
   *
   * @param median of the times, in us
   * @param p99 in us
   * @param queue average in octets
   * @param longest queue in octets
   * @param dropped frames
   * @param timeouts of TCP
   * @param gbps of the flow without end, or of all messages while there were some
   */
  record Outcome(
      long median, long p99, double queue, long longest, long dropped, long timeouts, double gbps) {
    static Outcome of(SwitchRun run, double gbps) {
      Histogram times = run.times();
      return new Outcome(
          Math.round(times.getValueAtPercentile(50) / 1000.0),
          Math.round(times.getValueAtPercentile(99) / 1000.0),
          run.port().average(),
          run.port().longest(),
          run.dropped(),
          run.timeouts(),
          gbps);
    }
  }

  /** A cable whose two ends are a quarter of a round trip apart. */
  private static WireSettings cable(int roundTrip) {
    return WireSettings.PERFECT
        .withBandwidth(40_000_000_000L)
        .withDelay(roundTrip * SwitchRun.MICROSECOND / 4);
  }

  /** 32 hosts send a message each at once, again and again. */
  static Outcome incast(Control control, int roundTrip, int rounds) {
    try (SwitchRun run = control.run(cable(roundTrip))) {
      List<MessageFlow> flows = new ArrayList<>();
      for (int i = 0; i < SENDERS; i++) {
        flows.add(run.add());
      }
      run.pass(MILLISECOND);
      run.watch();
      long nanos = 0;
      for (int i = 0; i < rounds; i++) {
        nanos += run.postTogether(flows, MESSAGE);
        run.pass(MILLISECOND);
      }
      return Outcome.of(run, 8.0 * rounds * SENDERS * MESSAGE / nanos);
    }
  }

  /** A message in each millisecond from one host, beside a flow without end from another. */
  static Outcome besideFlow(Control control, int roundTrip, long nanos) {
    try (SwitchRun run = control.run(cable(roundTrip))) {
      MessageFlow flow = run.add();
      MessageFlow messages = run.add();
      run.pass(MILLISECOND);
      flow.stream();
      run.pass(20 * MILLISECOND);
      run.watch();
      long before = flow.received();
      for (long time = 0; time < nanos; time += MILLISECOND) {
        messages.post(MESSAGE);
        run.pass(MILLISECOND);
      }
      return Outcome.of(run, run.gbps(flow.received() - before));
    }
  }

  /** Gb/s of one flow over a cable with faults. */
  static double flow(Control control, WireSettings cable, long nanos) {
    try (SwitchRun run = control.run(cable)) {
      MessageFlow flow = run.add();
      run.pass(MILLISECOND);
      flow.stream();
      run.pass(20 * MILLISECOND);
      run.watch();
      long before = flow.received();
      run.pass(nanos);
      return run.gbps(flow.received() - before);
    }
  }

  /** An incast, by round trip and congestion control. */
  public static FigureTable incastTable(boolean quick) {
    int rounds = quick ? ROUNDS_QUICK : ROUNDS;
    FigureTable table =
        queueTable(
            "incast",
            "Incast of " + SENDERS + " senders, rddp",
            "Each sends a message of 64 KiB at once, "
                + rounds
                + " times. All of them need "
                + "1,770 us of the link, and the last bit of each comes at its end.");
    for (int roundTrip : ROUND_TRIPS) {
      for (Control control : Control.values()) {
        add(table, roundTrip, control, incast(control, roundTrip, rounds));
      }
    }
    return table;
  }

  /** Messages beside a flow without end, by round trip and congestion control. */
  public static FigureTable besideTable(boolean quick) {
    FigureTable table =
        queueTable(
            "beside_flow",
            "Messages of 64 KiB beside a flow without end, rddp",
            "One message in each millisecond; goodput is that of the flow without end.");
    for (int roundTrip : ROUND_TRIPS) {
      for (Control control : Control.values()) {
        Outcome outcome = besideFlow(control, roundTrip, quick ? FLOW_QUICK : FLOW);
        add(table, roundTrip, control, outcome);
      }
    }
    return table;
  }

  private static FigureTable queueTable(String name, String title, String text) {
    return new FigureTable(
            name,
            title,
            text
                + " In virtual time, so that the figures are exact: 10 Gb/s to the receiver, and 40 from"
                + " each sender; a switch with a buffer of 1 MiB, of which one port may take half,"
                + " and marks beyond 96 KiB.")
        .column("round_trip", "round trip, us")
        .column("control", "congestion control")
        .column("p50", "message p50, us")
        .column("p99", "p99, us")
        .column("gbps", "goodput, Gb/s")
        .column("queue", "queue, KiB")
        .column("longest", "longest, KiB")
        .column("dropped", "frames dropped")
        .column("timeouts", "timeouts");
  }

  private static void add(FigureTable table, int roundTrip, Control control, Outcome outcome) {
    table.add(
        roundTrip,
        control.title,
        outcome.median(),
        outcome.p99(),
        outcome.gbps(),
        Math.round(outcome.queue() / 1024),
        outcome.longest() >> 10,
        outcome.dropped(),
        outcome.timeouts());
  }

  /** One flow over cables that lose or reorder frames. */
  public static FigureTable faultTable(boolean quick) {
    long nanos = quick ? FLOW_QUICK : FLOW;
    FigureTable table =
        new FigureTable(
                "faults",
                "One flow through a switch that loses or reorders, rddp",
                "Goodput in Gb/s over 10 Gb/s, in virtual time. Of the reordered frames, 1 % as"
                    + " well, each comes up to a quarter of the round trip late.")
            .column("round_trip", "round trip, us")
            .column("control", "congestion control")
            .column("clean", "no fault")
            .column("loss", "1 % lost")
            .column("reordered", "1 % reordered");
    for (int roundTrip : ROUND_TRIPS) {
      for (Control control : Control.values()) {
        WireSettings cable = cable(roundTrip);
        table.add(
            roundTrip,
            control.title,
            flow(control, cable, nanos),
            flow(control, cable.withLoss(RARE), nanos),
            flow(control, cable.withReorder(RARE).withReorderDelay(cable.delay()), nanos));
      }
    }
    return table;
  }
}
