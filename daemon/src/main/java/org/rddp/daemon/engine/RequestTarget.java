package org.rddp.daemon.engine;

import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ipc.ring.WorkRequest;

/** What a program's work requests go to. Engine thread only. */
interface RequestTarget {
  /**
   * Starts a work request.
   *
   * @param work what the program asks for
   * @param request the same for the stream: the number in the session's table as its id, the memory
   *     by address, and what is named at the peer; the rest is the target's to fill in
   * @return false when its queue is full, or it is none that can be done here
   */
  boolean post(WorkRequest work, StreamRequest request);
}
