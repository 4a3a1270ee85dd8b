package org.rddp.dpdk.device;

import org.rddp.ipc.ring.CaptureRing;

/** Something whose frames can be copied into a ring while it runs. */
@FunctionalInterface
public interface CapturePoint {
  /**
   * Starts copying every frame into a ring, or stops it. On the engine's thread.
   *
   * @param ring where frames go, or null to stop
   */
  void capture(CaptureRing ring);
}
