package org.rddp.analysis;

import org.rddp.simulation.WireSettings;

/**
 * Measures receive buffers with senders that align FPDUs with segments, and with senders that do
 * not (RFC 5044 appendix B.2).
 */
public final class BufferFigures {
  private static final int MTU = 1500;
  private static final int EMSS = 1460;
  private static final int OVERHEAD = 6;
  private static final int POOL = 1 << 16;
  private static final int ROUNDS = 4;
  private static final int[] CONNECTIONS = {1, 10, 100, 1000, 10_000};

  /** How long a turn of the receiver takes; meanwhile frames gather in its card's ring. */
  private static final long TURN = 20_000;

  private static final int QUICK = 1000;
  private static final WireSettings WIRE =
      WireSettings.PERFECT.withBandwidth(10_000_000_000L).withDelay(10_000);

  private BufferFigures() {}

  /**
   * Maxima at a receiver.
   *
   * @param packets kept between two of its turns
   * @param octets of unfinished FPDUs
   * @param all packets in use, with those in its card's ring
   */
  record Kept(long packets, long octets, long all) {}

  /**
   * Sends FPDUs as large as EMSS on all connections in turn. A stock TCP's first FPDU is half as
   * large, so that all others lie in two segments.
   */
  static Kept kept(int connections, Segmentation segmentation) {
    TwoHosts hosts = new TwoHosts(1, MTU, POOL, TwoHosts.TCP, WIRE);
    hosts.receiverTurnTakes(TURN);
    hosts.open(connections, segmentation, false);
    long sent = 0;
    if (segmentation == Segmentation.STOCK) {
      hosts.sources().forEach(source -> source.send(1, EMSS / 2 - OVERHEAD));
      sent++;
    }
    for (int round = 0; round < ROUNDS; round++) {
      hosts.sources().forEach(source -> source.send(1, EMSS - OVERHEAD));
      hosts.scheduleTurn();
      hosts.run(10 * TwoHosts.MILLISECOND * Math.max(1, connections / 1000));
      sent++;
    }
    hosts.sources().forEach(UlpduSource::push);
    hosts.scheduleTurn();
    long all = sent * connections;
    hosts.run(10 * TwoHosts.MILLISECOND * Math.max(1, connections / 1000));
    if (hosts.sinks().stream().mapToLong(UlpduSink::ulpdus).sum() != all) {
      throw new IllegalStateException("not all of " + all + " ULPDUs have arrived");
    }
    Kept kept =
        new Kept(
            hosts.keptPackets().maximum(), hosts.waiting().maximum(), hosts.packets().maximum());
    hosts.close();
    return kept;
  }

  /** The figures as a table. */
  public static FigureTable table(boolean quick) {
    FigureTable table =
        new FigureTable(
                "buffers",
                "Receive buffer, senders that align and senders that do not",
                "FPDUs of EMSS = 1460 octets by turns on so many connections, at 10 Gb/s: the most packets"
                    + " that connections kept between two turns of the receiver, the octets of"
                    + " unfinished FPDUs in them, and the packets in use together with what the card"
                    + " had received during a turn of 20 us (the K2 of the formulas). The"
                    + " formulas are those of RFC 5044 appendix B.2 with K1 = 1 and the measured K2:"
                    + " K2 x EMSS aligned, K1 x EMSS x connections + K2 x EMSS not aligned. The"
                    + " document's example, 10,000 connections and an EMSS of 1500, comes to 15 MB.")
            .column("connections", "connections")
            .column("aligned_packets", "aligned: packets kept")
            .column("aligned_octets", "octets kept")
            .column("aligned_all", "packets in use")
            .column("aligned_formula", "formula, octets")
            .column("stock_packets", "not aligned: packets kept")
            .column("stock_octets", "octets kept")
            .column("stock_all", "packets in use")
            .column("stock_formula", "formula, octets");
    for (int connections : CONNECTIONS) {
      if (!quick || connections <= QUICK) {
        Kept aligned = kept(connections, Segmentation.ALIGNED);
        Kept stock = kept(connections, Segmentation.STOCK);
        table.add(
            connections,
            aligned.packets(),
            aligned.octets(),
            aligned.all(),
            aligned.all() * EMSS,
            stock.packets(),
            stock.octets(),
            stock.all(),
            (long) connections * EMSS + aligned.all() * EMSS);
      }
    }
    return table;
  }
}
