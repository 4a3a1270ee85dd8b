package org.rddp.rdmap;

/** How a request ended. */
public final class RdmapCompletionStatus {
  /** As asked. */
  public static final int SUCCESS = 0;

  /** Not done, or not in full: the stream failed or was closed first. */
  public static final int FLUSHED = 1;

  /**
   * Not done: a message has 0 to 2^32-1 octets; or, of a receive, the one that came has more than
   * it.
   */
  public static final int LENGTH_ERROR = 2;

  /** Not done: the local STag is none that this stream may read into, there, or may invalidate. */
  public static final int LOCAL_PROTECTION_ERROR = 3;

  /** Not done: both ends have agreed on no reads and atomics of ours. */
  public static final int NO_READS = 4;

  /** Not done: the window may not be bound so. */
  public static final int BIND_ERROR = 5;

  /** Not done: the peer's Terminate says that STag, range or rights did not allow it there. */
  public static final int REMOTE_ACCESS_ERROR = 6;

  /** Not done: the peer's Terminate says that it could not do this, for another reason. */
  public static final int REMOTE_OPERATION_ERROR = 7;

  private RdmapCompletionStatus() {}
}
