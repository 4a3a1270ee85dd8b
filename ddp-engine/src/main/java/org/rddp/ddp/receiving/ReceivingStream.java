package org.rddp.ddp.receiving;

import org.rddp.ddp.segment.DdpError;
import org.rddp.ddp.segment.DdpErrorReport;

/** The stream of a {@link DdpReceiver}: the receiver can withhold its window, or fail it. */
public interface ReceivingStream extends DdpSharedReceiveQueue.Waiter {
  /**
   * Keeps TCP's receive window from opening while received segments are only held.
   *
   * @param held true to withhold; false opens the window by everything withheld so far
   */
  void holdWindow(boolean held);

  /** Fails the stream: DDP has refused a segment. */
  void refuse(DdpError error, DdpErrorReport report);

  /** Fails the stream: the user has refused a segment. */
  void refuseForUser(DdpErrorReport report);
}
