package org.rddp.analysis;

import org.rddp.simulation.WireSettings;

/** The number of segments with alignment, beside a stock TCP (RFC 5044 appendix B.2.2). */
public final class SegmentFigures {
  static final int FPDUS = 1000;

  /** EMSS without TCP options at an MTU of 1500. */
  static final int EMSS = 1460;

  private static final int MTU = 1500;
  private static final int OVERHEAD = 6;
  private static final int PACKETS = 8192;
  private static final int[] SIZES = {1460, 1200, 976, 732};
  private static final WireSettings WIRE =
      WireSettings.PERFECT.withBandwidth(1_000_000_000L).withDelay(50_000);

  private SegmentFigures() {}

  /** Segments for {@link #FPDUS} FPDUs of a size, a multiple of 4, that are all posted at once. */
  static long segments(int fpdu, Segmentation segmentation) {
    TwoHosts hosts = sent(fpdu, segmentation);
    long segments = hosts.meter().segments();
    hosts.close();
    return segments;
  }

  private static TwoHosts sent(int fpdu, Segmentation segmentation) {
    TwoHosts hosts = new TwoHosts(1, MTU, PACKETS, TwoHosts.TCP, WIRE);
    hosts.open(1, segmentation, false);
    UlpduSource source = hosts.source();
    source.send(FPDUS, fpdu - OVERHEAD);
    hosts.scheduleTurn();
    hosts.run(source::idle);
    source.push();
    hosts.scheduleTurn();
    hosts.run(() -> hosts.sink().ulpdus() == FPDUS);
    return hosts;
  }

  /**
   * Segments sent by the end of each round trip of slow start, with FPDUs as large as EMSS. A stock
   * TCP's FPDUs lie in two segments each.
   */
  static long[] growth(Segmentation segmentation, int roundTrips) {
    long roundTrip = 100 * TwoHosts.MILLISECOND;
    TwoHosts hosts =
        new TwoHosts(1, MTU, PACKETS, TwoHosts.TCP, WireSettings.PERFECT.withDelay(roundTrip / 2));
    hosts.open(1, segmentation, false);
    UlpduSource source = hosts.source();
    if (segmentation == Segmentation.STOCK) {
      source.send(1, EMSS / 2 - OVERHEAD);
    }
    source.send(FPDUS, EMSS - OVERHEAD);
    hosts.scheduleTurn();
    hosts.run(roundTrip / 2);
    long[] segments = new long[roundTrips];
    for (int i = 0; i < roundTrips; i++) {
      segments[i] = hosts.count().data();
      hosts.run(roundTrip);
    }
    hosts.close();
    return segments;
  }

  /** The figures as a table. */
  public static FigureTable table() {
    FigureTable table =
        new FigureTable(
                "segments",
                "What alignment costs in segments",
                FPDUS
                    + " FPDUs of one size that are all there at once, EMSS 1460: segments with"
                    + " one FPDU each, and those of a TCP that cuts full segments wherever they"
                    + " end. The worst is an FPDU of a little more than half of EMSS, and never"
                    + " more than twice as many (RFC 5044 appendix B.2.2).")
            .column("fpdu", "FPDU")
            .column("aligned", "aligned")
            .column("stock", "stock TCP")
            .column("ratio", "aligned / stock TCP");
    for (int size : SIZES) {
      long aligned = segments(size, Segmentation.ALIGNED);
      long stock = segments(size, Segmentation.STOCK);
      table.add(size, aligned, stock, (double) aligned / stock);
    }
    return table;
  }
}
