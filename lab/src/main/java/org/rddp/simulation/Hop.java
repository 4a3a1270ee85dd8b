package org.rddp.simulation;

/** Something that forwards or receives frames: a wire, a middlebox, a card. */
public interface Hop {
  /**
   * Takes a frame.
   *
   * @param frame handle in the network's {@link FrameStore}; the hop owns it from now on
   */
  void take(long frame);
}
