package org.rddp.device;

/** A device whose frames can be captured while it runs. */
@FunctionalInterface
public interface CapturePoint {
  /**
   * Starts or stops passing every frame to a sink. Engine thread only.
   *
   * @param sink receives the frames, or null to stop
   */
  void capture(CaptureSink sink);
}
