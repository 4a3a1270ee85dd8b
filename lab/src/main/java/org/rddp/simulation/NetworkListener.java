package org.rddp.simulation;

/** Is told of everything that a {@link Network} does to a frame. */
@FunctionalInterface
public interface NetworkListener {
  /**
   * Something was done to a frame.
   *
   * @param frame address of its first octet, after the event
   * @param length octets of the frame
   * @param detail for {@link NetworkEvent#CORRUPTED_UNSEEN} the octet's index in the frame; else 0
   */
  void onEvent(NetworkEvent event, long frame, int length, int detail);
}
