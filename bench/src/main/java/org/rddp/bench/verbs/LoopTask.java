package org.rddp.bench.verbs;

import org.rddp.rig.ProgramPair.Verb;

/**
 * A round of the loops that {@link CLoopsRig} and {@link JavaLoopsRig} do alike.
 *
 * @param kind what is measured
 * @param verb of round trips
 * @param octets of each message, a multiple of 8
 * @param window writes that are outstanding, or that a batch has; 2 to 256
 * @param count round trips, or batches
 * @param millis that a round may take
 */
record LoopTask(Kind kind, Verb verb, int octets, int window, int count, int millis) {
  /** What is measured. */
  enum Kind {
    /** Times of round trips. */
    TRIPS,

    /** What a post and a completion take of the program's time. */
    COST,

    /** Octets a second. */
    STREAM
  }

  static LoopTask trips(Verb verb, int octets, int count, int millis) {
    return new LoopTask(Kind.TRIPS, verb, octets, 2, count, millis);
  }

  static LoopTask cost(int window, int batches) {
    return new LoopTask(Kind.COST, Verb.WRITE, Long.BYTES, window, batches, 0);
  }

  static LoopTask stream(int octets, int window, int millis) {
    return new LoopTask(Kind.STREAM, Verb.WRITE, octets, window, 0, millis);
  }

  long nanos() {
    return millis * 1_000_000L;
  }
}
