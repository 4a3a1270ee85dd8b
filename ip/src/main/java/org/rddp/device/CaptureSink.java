package org.rddp.device;

/** Receives the frames of a {@link CapturePoint}. */
@FunctionalInterface
public interface CaptureSink {
  /**
   * Takes a frame that has been received or transmitted. Engine thread only.
   *
   * @param timeNanos since 1970
   * @param address of its first octet; valid only during this call
   * @param length octets of the frame
   */
  void offer(long timeNanos, long address, int length);
}
