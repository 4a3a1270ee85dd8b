package org.rddp.analysis;

import org.rddp.simulation.WireSettings;
import org.rddp.tcp.CongestionAlgorithm;
import org.rddp.tcp.TcpSettings;

/** The receive buffer after a lost segment (BufferSizeTCP of RFC 5044 appendix B.2). */
public final class DelayFigures {
  /** Round trip in ns. */
  static final long DELAY = 2 * TwoHosts.MILLISECOND;

  private static final int MTU = 1500;
  private static final int POOL = 1 << 15;
  private static final long[] BANDWIDTHS = {100_000_000L, 1_000_000_000L, 10_000_000_000L};

  /** Round trips of data to be sent. */
  private static final int ROUND_TRIPS = 8;

  private DelayFigures() {}

  /** Octets under way: bandwidth in bit/s times delay. */
  static long product(long bandwidth) {
    return bandwidth / 8 * DELAY / TwoHosts.SECOND;
  }

  /**
   * The most octets kept when a segment is lost in the middle of a transfer that fills the wire.
   *
   * @param bandwidth bits per second
   */
  static long kept(long bandwidth, boolean markers) {
    long product = product(bandwidth);
    TcpSettings settings =
        TwoHosts.TCP
            .withCongestion(CongestionAlgorithm.NONE)
            .withReceiveBuffer((int) product + 2 * MTU);
    WireSettings wire = WireSettings.PERFECT.withBandwidth(bandwidth).withDelay(DELAY / 2);
    TwoHosts hosts = new TwoHosts(1, MTU, POOL, settings, wire);
    hosts.open(1, Segmentation.ALIGNED, markers);
    UlpduSource source = hosts.source();
    int fpdus = (int) (ROUND_TRIPS * product / MTU);
    source.send(fpdus, source.mulpdu());
    hosts.scheduleTurn();
    hosts.run(ROUND_TRIPS * DELAY / 2);
    hosts.loseOne();
    hosts.run(() -> hosts.sink().ulpdus() == fpdus);
    long kept = hosts.waiting().maximum();
    hosts.close();
    return kept;
  }

  /** The figures as a table. */
  public static FigureTable table() {
    FigureTable table =
        new FigureTable(
                "delay",
                "Receive buffer behind a lost segment, by bandwidth",
                "A transfer fills a wire whose round trip takes 2 ms, and loses a segment. Without"
                    + " Markers the receiver keeps what comes until it is there again: bandwidth x"
                    + " delay, BufferSizeTCP with K = 1. With Markers it keeps nothing.")
            .column("bandwidth", "Mb/s")
            .column("product", "bandwidth x delay, octets")
            .column("kept", "octets kept")
            .column("kept_markers", "with Markers");
    for (long bandwidth : BANDWIDTHS) {
      table.add(
          bandwidth / 1_000_000, product(bandwidth), kept(bandwidth, false), kept(bandwidth, true));
    }
    return table;
  }
}
