package org.rddp.simulation.programs;

import java.util.SplittableRandom;
import org.rddp.simulation.RandomSettings;

/**
 * How a program behaves towards one connection.
 *
 * @param requests how many it posts, about
 * @param hazard what it does that ends the stream before its time
 * @param hazardAt how many requests are left then
 * @param lazy whether it takes its time to post receives
 * @param early whether it posts requests before the stream is up
 * @param small whether its messages have few octets
 * @param burst the most requests that it posts in one go
 * @param fence chance that a request is fenced
 * @param unsignalled chance that a request is not signalled
 */
record Workload(
    int requests,
    Hazard hazard,
    int hazardAt,
    boolean lazy,
    boolean early,
    boolean small,
    int burst,
    double fence,
    double unsignalled) {
  /** What ends a stream before its time. */
  enum Hazard {
    /** Nothing does. */
    NONE,
    /** A request that the peer has to refuse. */
    FAULT,
    /** An STag is taken away while requests of the peer's name it. */
    REVOCATION,
    /** It closes its half, whatever the peer waits for. */
    CLOSE,
    /** It resets the connection. */
    ABORT,
    /** Its program dies. */
    DEATH
  }

  /** Draws one. */
  static Workload draw(SplittableRandom random, RandomSettings lots, int requests) {
    Hazard hazard =
        switch (random.nextInt(24)) {
          case 0, 1, 2, 3 -> Hazard.FAULT;
          case 4, 5 -> Hazard.REVOCATION;
          case 6 -> Hazard.CLOSE;
          case 7 -> Hazard.ABORT;
          case 8 -> random.nextBoolean() ? Hazard.DEATH : Hazard.NONE;
          default -> Hazard.NONE;
        };
    return new Workload(
        requests,
        hazard,
        (int) (requests * random.nextDouble(lots.oneIn(4) ? 1 : 0.3)),
        lots.oneIn(4),
        lots.oneIn(3),
        lots.oneIn(4),
        1 + random.nextInt(1 << random.nextInt(6)),
        lots.oneIn(3) ? random.nextDouble(0.5) : 0.05,
        lots.oneIn(3) ? 0 : random.nextDouble());
  }
}
