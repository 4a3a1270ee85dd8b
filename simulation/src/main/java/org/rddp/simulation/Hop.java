package org.rddp.simulation;

/** A place that frames come to on their way: a wire, a box in the middle, a card. */
public interface Hop {
  /**
   * A frame has come.
   *
   * @param frame its handle in the network's {@link FrameStore}, which the hop takes over
   */
  void take(long frame);
}
