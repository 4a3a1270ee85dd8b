package org.rddp.simulation.programs;

import java.util.SplittableRandom;
import org.rddp.simulation.RandomSettings;

/**
 * How a program behaves at one end of a connection.
 *
 * @param requests approximate number of requests
 * @param hazard that ends the stream early
 * @param hazardAt number of requests left at that time
 * @param lazy whether it posts receives late
 * @param early whether it posts requests before the stream is established
 * @param small whether its messages are short
 * @param burst the most requests that it posts at a time
 * @param fence probability of a fenced request
 * @param unsignalled probability of an unsignalled request
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
  /** Events that end a stream early. */
  enum Hazard {
    /** None. */
    NONE,
    /** The end posts a wrong request. */
    FAULT,
    /** The end revokes an STag that the peer uses. */
    REVOCATION,
    /** The end closes although the peer waits for answers. */
    CLOSE,
    /** The end resets the connection. */
    ABORT,
    /** The program dies. */
    DEATH
  }

  /** Draws one. */
  static Workload draw(SplittableRandom random, RandomSettings choices, int requests) {
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
        (int) (requests * random.nextDouble(choices.oneIn(4) ? 1 : 0.3)),
        choices.oneIn(4),
        choices.oneIn(3),
        choices.oneIn(4),
        1 + random.nextInt(1 << random.nextInt(6)),
        choices.oneIn(3) ? random.nextDouble(0.5) : 0.05,
        choices.oneIn(3) ? 0 : random.nextDouble());
  }
}
