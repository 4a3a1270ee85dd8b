package org.rddp.simulation;

import java.util.SplittableRandom;
import org.rddp.tcp.CongestionAlgorithm;
import org.rddp.tcp.TcpSettings;

/** Draws the settings of a run: TCP stacks and wires of every kind. */
public final class RandomSettings {
  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1000 * MILLISECOND;
  private static final long HOUR = 3600 * SECOND;
  private static final int MANY = 256;
  private static final double FASTEST = 10e9;
  private static final double SLOWEST = 1e6;

  private final SplittableRandom random;

  /** Settings drawn with the given generator. */
  public RandomSettings(SplittableRandom random) {
    this.random = random;
  }

  /** True with probability 1/{@code in}. */
  public boolean oneIn(int in) {
    return random.nextInt(in) == 0;
  }

  /** A number from {@code least} to below {@code most}, uniformly distributed on a log scale. */
  public double logUniform(double least, double most) {
    return least * Math.pow(most / least, random.nextDouble());
  }

  /** Settings of a stack: each option on or off, timeouts long enough for the worst wires. */
  public TcpSettings tcpSettings() {
    CongestionAlgorithm[] algorithms = CongestionAlgorithm.values();
    long least = (long) logUniform(10 * MILLISECOND, 200 * MILLISECOND);
    return TcpSettings.DEFAULTS
        .withReceiveBuffer(2048 + random.nextInt(1 << random.nextInt(12, 22)))
        .withWindowScale(!oneIn(4))
        .withTimestamps(!oneIn(4))
        .withSelectiveAcknowledgment(!oneIn(4))
        .withEcn(!oneIn(4))
        .withCongestion(algorithms[random.nextInt(algorithms.length)])
        .withBacklog(oneIn(2) ? MANY : 1 + random.nextInt(3))
        .withSynCookies(oneIn(2))
        .withConnectTimeout(HOUR)
        .withUserTimeout(oneIn(8) ? (long) logUniform(4 * SECOND, 60 * SECOND) : HOUR)
        .withKeepAlive(oneIn(4) ? (long) logUniform(50 * MILLISECOND, 10 * SECOND) : Long.MAX_VALUE)
        .withKeepAliveInterval((long) logUniform(SECOND, 10 * SECOND))
        .withKeepAliveProbes(3 + random.nextInt(6))
        .withTimeWait(SECOND)
        .withMinimumRetransmission(least)
        .withInitialRetransmission(SECOND)
        .withMaximumRetransmission((2 + random.nextInt(4)) * SECOND)
        .withAcknowledgmentDelay(oneIn(2) ? 0 : random.nextLong(least));
  }

  /** One direction of a link. */
  public WireSettings wireSettings() {
    WireSettings settings =
        WireSettings.PERFECT
            .withDelay((long) logUniform(10_000, 100 * MILLISECOND))
            .withJitter(oneIn(2) ? 0 : (long) logUniform(1000, 10 * MILLISECOND));
    if (!oneIn(4)) {
      settings =
          settings
              .withBandwidth((long) logUniform(SLOWEST, FASTEST))
              .withQueue((long) logUniform(20_000, 1_000_000));
    }
    return oneIn(8) ? settings : spoil(settings);
  }

  private WireSettings spoil(WireSettings clean) {
    WireSettings settings =
        clean
            .withLoss(oneIn(4) ? 0 : random.nextDouble(oneIn(4) ? 0.3 : 0.05))
            .withReorder(oneIn(3) ? 0 : random.nextDouble(0.1))
            .withReorderDelay((long) logUniform(10_000, 20 * MILLISECOND))
            .withDuplicate(oneIn(2) ? 0 : random.nextDouble(0.1))
            .withCorrupt(oneIn(2) ? 0 : random.nextDouble(0.03))
            .withCorruptUnseen(oneIn(2) ? 0 : random.nextDouble(0.02))
            .withMark(oneIn(2) ? 0 : random.nextDouble(0.1));
    return oneIn(4)
        ? settings
            .withBurstLoss(0.5 + random.nextDouble(0.5))
            .withBurstLength((long) logUniform(MILLISECOND, 50 * MILLISECOND))
            .withBurstGap((long) logUniform(50 * MILLISECOND, 2 * SECOND))
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
