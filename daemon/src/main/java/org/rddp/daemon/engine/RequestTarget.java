package org.rddp.daemon.engine;

import org.rddp.ddp.memory.DdpScatterList;
import org.rddp.ipc.ring.WorkRequest;

/** What a program's work requests go to. Engine thread only. */
interface RequestTarget {
  /**
   * Starts a work request.
   *
   * @param request its number in the session's table
   * @param address of its memory
   * @return false when its queue is full, or it is none that can be done here
   */
  boolean post(int request, WorkRequest work, long address);

  /** Starts a work request whose message lies in pieces. */
  boolean post(int request, WorkRequest work, DdpScatterList list);
}
