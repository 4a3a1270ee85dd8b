package org.rddp.simulation;

/** Sees everything that a {@link Network} does to a frame, as it does it. */
@FunctionalInterface
public interface NetworkListener {
  /**
   * Something has been done to a frame.
   *
   * @param frame address of its first octet, as it is after the deed
   * @param length its octets
   * @param detail for {@link NetworkEvent#CORRUPTED_UNSEEN} the octet's index in the frame; else 0
   */
  void onEvent(NetworkEvent deed, long frame, int length, int detail);
}
