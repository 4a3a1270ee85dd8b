package org.rddp.ddp.memory;

/**
 * What may be done with a Tagged Buffer: bits to be combined. The numbers are those of verbs, where
 * it has one.
 */
public final class AccessRights {
  /** We place what we asked for: answers to our own RDMA Reads. */
  public static final int LOCAL_WRITE = 1;

  /** The peer may write. */
  public static final int REMOTE_WRITE = 2;

  /** The peer may read. */
  public static final int REMOTE_READ = 4;

  /** The peer may do atomic operations. */
  public static final int REMOTE_ATOMIC = 8;

  /** We may bind windows to it. */
  public static final int BIND = 16;

  /** The peer may invalidate the STag: verbs has no bit for this. */
  public static final int REMOTE_INVALIDATE = 1 << 8;

  /** All that are for the peer. */
  public static final int REMOTE = REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC | REMOTE_INVALIDATE;

  /** All the rights there are. */
  public static final int ALL = LOCAL_WRITE | BIND | REMOTE;

  private AccessRights() {}
}
