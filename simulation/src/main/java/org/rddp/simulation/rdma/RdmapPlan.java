package org.rddp.simulation.rdma;

import java.util.SplittableRandom;
import org.rddp.simulation.RandomSettings;

/**
 * How the program of one end behaves.
 *
 * @param segments how many segments it asks for, about
 * @param hazard what it does that ends the stream before its time
 * @param hazardAt how many segments are left then
 * @param receiving when it posts receives
 * @param early whether it posts requests before the stream is up
 * @param small whether its requests have few octets
 * @param burst the most requests that it posts in a turn
 * @param think chance that it waits after a request
 * @param thinkTime the most that it waits, in nanoseconds
 * @param fence chance that a request is fenced
 */
record RdmapPlan(
    double segments,
    Hazard hazard,
    double hazardAt,
    Receiving receiving,
    boolean early,
    boolean small,
    int burst,
    double think,
    long thinkTime,
    double fence) {
  /** What ends a stream before its time. */
  enum Hazard {
    /** Nothing does. */
    NONE,
    /** A request that the peer has to refuse. */
    FAULT,
    /** An STag is taken away while requests of the peer's name it. */
    REVOCATION,
    /** The sink of its own reads is taken away. */
    SINK,
    /** It closes its half, whatever the peer waits for. */
    CLOSE,
    /** It resets the connection. */
    ABORT
  }

  /** When receives are posted. */
  enum Receiving {
    /** As early as there is room. */
    EAGER,
    /** Some time or other. */
    LAZY,
    /** When a message has come and finds none. */
    LAST_MOMENT
  }

  private static final long MILLISECOND = 1_000_000;

  /** Draws one. */
  static RdmapPlan draw(
      SplittableRandom random, RandomSettings lots, double segments, boolean holds) {
    Hazard hazard =
        switch (random.nextInt(20)) {
          case 0, 1, 2, 3 -> Hazard.FAULT;
          case 4, 5 -> Hazard.REVOCATION;
          case 6 -> Hazard.SINK;
          case 7 -> Hazard.CLOSE;
          case 8 -> random.nextBoolean() ? Hazard.ABORT : Hazard.CLOSE;
          default -> Hazard.NONE;
        };
    Receiving receiving =
        switch (random.nextInt(4)) {
          case 0 -> Receiving.LAST_MOMENT;
          case 1 -> holds ? Receiving.LAZY : Receiving.EAGER;
          default -> Receiving.EAGER;
        };
    return new RdmapPlan(
        segments,
        hazard,
        segments * random.nextDouble(lots.oneIn(4) ? 1 : 0.2),
        receiving,
        lots.oneIn(4),
        lots.oneIn(6),
        1 + random.nextInt(1 << random.nextInt(6)),
        lots.oneIn(4) ? random.nextDouble(0.02) : 0,
        (1 + random.nextInt(300)) * MILLISECOND,
        lots.oneIn(3) ? random.nextDouble(0.5) : 0.05);
  }
}
