package org.rddp.device;

/** Where a {@link CapturedDevice} puts every frame that it sees. */
@FunctionalInterface
public interface FrameSink {
  /**
   * A frame has been received, or taken by the device for sending.
   *
   * @param sent whether it was sent
   * @param address its first octet; the octets may change after this call
   * @param length its octets
   */
  void onFrame(boolean sent, long address, int length);
}
