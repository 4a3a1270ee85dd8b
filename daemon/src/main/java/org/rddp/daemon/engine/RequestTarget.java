package org.rddp.daemon.engine;

import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ipc.ring.WorkRequest;

/** A stream or a shared receive queue that takes work requests. Engine thread only. */
interface RequestTarget {
  /**
   * Starts a work request.
   *
   * @param work the request as the program posted it
   * @param request the same for the stream: its id is the number in the session's table; memory,
   *     remote STag and TO are set; the target sets the rest
   * @return false when the queue is full, or the target does not support the opcode
   */
  boolean post(WorkRequest work, StreamRequest request);
}
