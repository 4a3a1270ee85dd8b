package org.rddp.device;

/** Receives the frames of a device that is captured. */
@FunctionalInterface
public interface FrameSink {
  /**
   * Takes a frame that was received, or that the device has accepted for sending.
   *
   * @param sent whether it was sent
   * @param address of the frame, which may change after this call
   * @param length octets of the frame
   */
  void onFrame(boolean sent, long address, int length);
}
