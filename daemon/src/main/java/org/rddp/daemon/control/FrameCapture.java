package org.rddp.daemon.control;

import org.rddp.device.CaptureSink;

/** Captures the frames of one engine. */
@FunctionalInterface
public interface FrameCapture {
  /**
   * Starts or stops passing frames to a sink. Engine thread only.
   *
   * @param sink receives the frames, or null to stop
   * @param plain whether packets in ESP are shown in clear: those that are sealed or were opened
   */
  void capture(CaptureSink sink, boolean plain);
}
