package org.rddp.bench.rtt;

import org.rddp.bench.harness.CannotRunException;
import org.rddp.rig.ProgramPair.Verb;

/**
 * A round of round trips.
 *
 * @param verb what goes to and fro; peers without such verbs send messages
 * @param octets of each message, 8 or more, a multiple of 8
 * @param warmUp round trips that are not counted
 * @param count round trips that are counted
 * @param gap ns between the intended starts of two round trips; 0: each starts when the one before
 *     is back
 * @param millis ms that all counted round trips may take, and as many for those that are not; on a
 *     busy machine there are fewer then
 */
record RttTask(Verb verb, int octets, int warmUp, int count, long gap, int millis) {
  private static final int MOST = 2_000;

  /** One round trip after the other. */
  static RttTask closed(Verb verb, int octets, int warmUp, int count) {
    return new RttTask(verb, octets, warmUp, count, 0, MOST);
  }

  /** A copy limited to {@code most} ms. */
  RttTask within(int most) {
    return new RttTask(verb, octets, warmUp, count, gap, most);
  }

  /** A copy with this many round trips a second. */
  RttTask atRate(int perSecond) {
    return new RttTask(verb, octets, warmUp, count, 1_000_000_000L / perSecond, millis);
  }

  long mostNanos() {
    return millis * 1_000_000L;
  }

  /** Whether each round trip starts when the one before is back. */
  boolean isClosedLoop() {
    return gap == 0;
  }

  void requireClosedLoop() throws CannotRunException {
    require(isClosedLoop(), "closed-loop only");
  }

  /** Throws if the task needs a verb that peers lack: they only exchange messages. */
  void requireMessages() throws CannotRunException {
    require(verb != Verb.READ, "no such thing");
  }

  /** Throws unless the message can be the payload of one frame. */
  void requireFrame() throws CannotRunException {
    require(verb == Verb.WRITE, "no such thing");
    require(octets <= RawFrames.LONGEST, "longer than a frame");
  }

  private static void require(boolean condition, String reason) throws CannotRunException {
    if (!condition) {
      throw new CannotRunException(reason);
    }
  }
}
