package org.rddp.daemon.engine;

import org.rddp.client.types.CompletionStatus;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ipc.ring.WorkRequest;

/** A stream or a shared receive queue that takes work requests. Engine thread only. */
interface RequestTarget {
  /** A request has been taken from the ring; {@link #post} or {@link #refuse} follows. */
  void taken(WorkRequest work);

  /** The protection domain of the regions that its requests may name. */
  ProtectionDomain domain();

  /**
   * Starts a work request.
   *
   * @param work the request as the program posted it
   * @param request the request for the stream: its token is the slot in the session's table;
   *     memory, remote STag and TO are set; the target sets the rest
   * @return {@link CompletionStatus#SUCCESS} if it has been started; otherwise the status with
   *     which it completes, such as {@link CompletionStatus#LOCAL_OPERATION_ERROR} when the queue
   *     is full or the target does not support the opcode
   */
  CompletionStatus post(WorkRequest work, StreamRequest request);

  /**
   * Ends a work request that has not been started: it completes with a status, after those posted
   * to the same queue before it.
   *
   * @return false, and nothing happens, if the queue does not exist or promises no order
   */
  boolean refuse(WorkRequest work, StreamRequest request, CompletionStatus status);
}
