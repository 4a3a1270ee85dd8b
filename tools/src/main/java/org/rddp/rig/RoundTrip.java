package org.rddp.rig;

import java.io.IOException;

/** A message to another program and back. */
@FunctionalInterface
public interface RoundTrip {
  /**
   * Sends a number in a message, lets the other end send it back, and checks what came back.
   *
   * @param number different from that of every earlier message
   * @throws IOException when nothing comes back in time, or another number
   */
  void run(long number) throws IOException;
}
