package org.rddp.simulation;

import java.util.SplittableRandom;
import org.rddp.tcp.CongestionAlgorithm;
import org.rddp.tcp.TcpSettings;

/** Draws the settings of a life: stacks and wires of every kind, good and bad. */
public final class Lots {
  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1000 * MILLISECOND;
  private static final long HOUR = 3600 * SECOND;
  private static final int MANY = 256;
  private static final double FASTEST = 10e9;
  private static final double SLOWEST = 1e6;

  private final SplittableRandom random;

  /** Lots that a generator decides. */
  public Lots(SplittableRandom random) {
    this.random = random;
  }

  /** Whether something that is so once in so many lives is so in this one. */
  public boolean once(int in) {
    return random.nextInt(in) == 0;
  }

  /** A number from {@code least} on to below {@code most}, small ones as likely as large ones. */
  public double scale(double least, double most) {
    return least * Math.pow(most / least, random.nextDouble());
  }

  /** How a stack behaves: each option on or off, patient enough for the worst of wires. */
  public TcpSettings stack() {
    CongestionAlgorithm[] algorithms = CongestionAlgorithm.values();
    long least = (long) scale(10 * MILLISECOND, 200 * MILLISECOND);
    return TcpSettings.DEFAULTS
        .withReceiveBuffer(2048 + random.nextInt(1 << random.nextInt(12, 22)))
        .withWindowScale(!once(4))
        .withTimestamps(!once(4))
        .withSelectiveAcknowledgment(!once(4))
        .withEcn(!once(4))
        .withCongestion(algorithms[random.nextInt(algorithms.length)])
        .withNagle(once(4))
        .withBacklog(once(2) ? MANY : 1 + random.nextInt(3))
        .withSynCookies(once(2))
        .withConnectTimeout(HOUR)
        .withUserTimeout(once(8) ? (long) scale(4 * SECOND, 60 * SECOND) : HOUR)
        .withKeepAlive(once(4) ? (long) scale(50 * MILLISECOND, 10 * SECOND) : Long.MAX_VALUE)
        .withKeepAliveInterval((long) scale(SECOND, 10 * SECOND))
        .withKeepAliveProbes(3 + random.nextInt(6))
        .withTimeWait(SECOND)
        .withMinimumRetransmission(least)
        .withInitialRetransmission(SECOND)
        .withMaximumRetransmission((2 + random.nextInt(4)) * SECOND)
        .withAcknowledgmentDelay(once(2) ? 0 : random.nextLong(least));
  }

  /** One direction of a link. */
  public WireSettings wire() {
    WireSettings settings =
        WireSettings.PERFECT
            .withDelay((long) scale(10_000, 100 * MILLISECOND))
            .withJitter(once(2) ? 0 : (long) scale(1000, 10 * MILLISECOND));
    if (!once(4)) {
      settings =
          settings
              .withBandwidth((long) scale(SLOWEST, FASTEST))
              .withQueue((long) scale(20_000, 1_000_000));
    }
    return once(8) ? settings : spoil(settings);
  }

  private WireSettings spoil(WireSettings clean) {
    WireSettings settings =
        clean
            .withLoss(once(4) ? 0 : random.nextDouble(once(4) ? 0.3 : 0.05))
            .withReorder(once(3) ? 0 : random.nextDouble(0.1))
            .withReorderDelay((long) scale(10_000, 20 * MILLISECOND))
            .withDuplicate(once(2) ? 0 : random.nextDouble(0.1))
            .withCorrupt(once(2) ? 0 : random.nextDouble(0.03))
            .withCorruptUnseen(once(2) ? 0 : random.nextDouble(0.02))
            .withMark(once(2) ? 0 : random.nextDouble(0.1));
    return once(4)
        ? settings
            .withBurstLoss(0.5 + random.nextDouble(0.5))
            .withBurstLength((long) scale(MILLISECOND, 50 * MILLISECOND))
            .withBurstGap((long) scale(50 * MILLISECOND, 2 * SECOND))
        : settings;
  }

  /** The largest packet of both cards. */
  public int mtu() {
    return switch (random.nextInt(8)) {
      case 0 -> 9000;
      case 1 -> 100 + random.nextInt(500);
      case 2, 3 -> 576 + random.nextInt(8000);
      default -> 1500;
    };
  }
}
