package org.rddp.bench.rtt;

import java.io.IOException;

/** One way for a message to go to another program and back. */
interface RoundTripMethod {
  /**
   * Makes it ready for messages of another kind or length; nothing is under way then.
   *
   * @throws org.rddp.bench.harness.CannotRunException when it cannot do that
   */
  void prepare(RttTask task) throws Exception;

  /**
   * Sends a number in a message, lets the other end send it back, and checks that what has come is
   * that number.
   *
   * @param number that no message before has had
   * @throws IOException when it has not come, or something else has
   */
  void roundTrip(long number) throws IOException;
}
