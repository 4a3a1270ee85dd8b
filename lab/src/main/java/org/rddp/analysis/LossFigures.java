package org.rddp.analysis;

import org.rddp.simulation.WireSettings;

/** Octets that a receiver has to buffer when segments are lost, with Markers and without. */
public final class LossFigures {
  private static final int MTU = 1500;
  private static final int POOL = 1 << 14;
  private static final int RECEIVE_BUFFER = 1 << 20;
  private static final int FPDUS = 50_000;
  private static final int FPDUS_QUICK = 5_000;
  private static final double[] LOSSES = {0.001, 0.01, 0.05};
  private static final WireSettings WIRE =
      WireSettings.PERFECT.withBandwidth(1_000_000_000L).withDelay(500_000);

  private LossFigures() {}

  /**
   * The result of one transfer.
   *
   * @param segments received
   * @param beforeTurn segments received out of order, among these
   * @param early ULPDUs passed out of order
   * @param kept octets of segments that were kept after their arrival
   * @param counted octets kept, by TCP's counter
   * @param most octets that waited at a time
   * @param packets kept at a time
   * @param reassembled ULPDUs that were put together from several segments
   */
  record Outcome(
      long segments,
      long beforeTurn,
      long early,
      long kept,
      long counted,
      long most,
      long packets,
      long reassembled) {}

  /** Sends FPDUs as large as segments over a wire that loses some. */
  static Outcome outcome(double loss, boolean markers, int fpdus) {
    TwoHosts hosts =
        new TwoHosts(
            1, MTU, POOL, TwoHosts.TCP.withReceiveBuffer(RECEIVE_BUFFER), WIRE.withLoss(loss));
    hosts.open(1, Segmentation.ALIGNED, markers);
    UlpduSource source = hosts.source();
    UlpduSink sink = hosts.sink();
    source.send(fpdus, source.mulpdu());
    hosts.scheduleTurn();
    hosts.run(() -> sink.ulpdus() == fpdus);
    ReceiveMeter meter = hosts.meter();
    Outcome outcome =
        new Outcome(
            meter.segments(),
            meter.early(),
            sink.early(),
            meter.kept(),
            hosts.octetsKept(),
            hosts.waiting().maximum(),
            hosts.keptPackets().maximum(),
            sink.reassembled());
    hosts.close();
    return outcome;
  }

  /** The figures as a table. */
  public static FigureTable table(boolean quick) {
    int fpdus = quick ? FPDUS_QUICK : FPDUS;
    FigureTable table =
        new FigureTable(
                "loss",
                "Out of order, with Markers and without",
                String.format("%,d", fpdus)
                    + " FPDUs as large as segments, 1 Gb/s, a round trip of 1 ms, receive buffer"
                    + " 1 MiB, random loss. Without Markers what comes behind a gap waits for it;"
                    + " with Markers each FPDU is found, verified and passed at once, and its packet"
                    + " released.")
            .column("loss", "loss, %")
            .column("markers", "Markers")
            .column("before_turn", "segments before their turn")
            .column("early", "ULPDUs passed before their turn")
            .column("kept", "octets buffered in all")
            .column("most", "at a time")
            .column("packets", "packets kept at a time")
            .column("reassembled", "ULPDUs from several segments");
    for (double loss : LOSSES) {
      for (boolean markers : new boolean[] {false, true}) {
        Outcome outcome = outcome(loss, markers, fpdus);
        table.add(
            loss * 100,
            markers ? "yes" : "no",
            outcome.beforeTurn(),
            outcome.early(),
            outcome.kept(),
            outcome.most(),
            outcome.packets(),
            outcome.reassembled());
      }
    }
    return table;
  }
}
