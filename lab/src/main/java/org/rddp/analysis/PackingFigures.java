package org.rddp.analysis;

import org.rddp.simulation.WireSettings;
import org.rddp.tcp.CongestionAlgorithm;

/**
 * The shortest tagged ULPDUs, of one octet of payload each, in segments of their own and packed
 * (section 6 of the analysis draft).
 */
public final class PackingFigures {
  static final int ULPDUS = 1200;

  /** Octets of DDP's header and of payload. */
  static final int ULPDU = UlpduSource.TAGGED_HEADER + 1;

  /** IP and TCP without options. */
  static final int HEADERS = 40;

  private static final int POOL = 8192;
  private static final long ROUND_TRIP = 10 * TwoHosts.MILLISECOND;

  /** Slow enough that a receiver sees each segment by itself. */
  private static final WireSettings WIRE =
      WireSettings.PERFECT.withBandwidth(100_000_000L).withDelay(ROUND_TRIP / 2);

  private PackingFigures() {}

  /**
   * The result of one transfer.
   *
   * @param fpdu octets of each FPDU, Markers not counted
   * @param segments with data
   * @param acknowledgments without data, sent for every second segment
   * @param mostInOne FPDUs in the fullest segment
   * @param whole segments that began and ended with an FPDU
   */
  record Outcome(long fpdu, long segments, long acknowledgments, long mostInOne, long whole) {}

  /** Sends ULPDUs that are all posted at once. */
  static Outcome outcome(int emss, boolean markers, boolean packing, int ulpdus) {
    TwoHosts hosts =
        new TwoHosts(
            1,
            emss + HEADERS,
            POOL,
            TwoHosts.TCP
                .withCongestion(CongestionAlgorithm.NONE)
                .withAcknowledgmentDelay(40 * TwoHosts.MILLISECOND),
            WIRE);
    hosts.open(1, packing ? Segmentation.PACKED : Segmentation.ALIGNED, markers);
    hosts.source().send(ulpdus, ULPDU);
    hosts.scheduleTurn();
    UlpduSink sink = hosts.sink();
    hosts.run(() -> sink.ulpdus() == ulpdus);
    hosts.run(TwoHosts.SECOND);
    ReceiveMeter meter = hosts.meter();
    SegmentCounter count = hosts.count();
    long fpdu = markers ? 0 : count.octets() / ulpdus;
    Outcome outcome =
        new Outcome(
            fpdu, count.data(), count.acknowledgments(), meter.mostInOne(), meter.passedWhole());
    hosts.close();
    return outcome;
  }

  /** The figures as a table. */
  public static FigureTable table() {
    FigureTable table =
        new FigureTable(
                "packing",
                "The shortest FPDUs, packed and not",
                String.format("%,d", ULPDUS)
                    + " tagged DDP segments with 1 octet of payload, all there at once: FPDUs of 24"
                    + " octets (2 + 14 + 1, pad 3, CRC 4). EMSS is that of MTUs of 1500 and 576"
                    + " without TCP options. Every second segment is acknowledged. Without congestion"
                    + " control: at the edge of a congestion window a segment leaves as full as it is.")
            .column("emss", "EMSS")
            .column("markers", "Markers")
            .column("packing", "packed")
            .column("fpdus_per_segment", "FPDUs in the fullest segment")
            .column("segments", "segments")
            .column("acknowledgments", "ACKs");
    for (int emss : new int[] {1460, 536}) {
      for (boolean markers : new boolean[] {false, true}) {
        for (boolean packing : new boolean[] {false, true}) {
          Outcome outcome = outcome(emss, markers, packing, ULPDUS);
          table.add(
              emss,
              markers ? "yes" : "no",
              packing ? "yes" : "no",
              outcome.mostInOne(),
              outcome.segments(),
              outcome.acknowledgments());
        }
      }
    }
    return table;
  }
}
