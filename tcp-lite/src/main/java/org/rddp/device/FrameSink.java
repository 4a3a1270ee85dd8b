package org.rddp.device;

/** Receives the frames of a device that is captured, such as a {@link PcapWriter}. */
@FunctionalInterface
public interface FrameSink {
  /**
   * A frame has been received, or taken by the device for sending.
   *
   * @param sent whether it was sent
   * @param address of the frame, which may change after this call
   * @param length octets of the frame
   */
  void onFrame(boolean sent, long address, int length);
}
