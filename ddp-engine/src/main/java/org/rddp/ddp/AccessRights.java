package org.rddp.ddp;

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

  /** The peer may invalidate the STag: verbs has no bit for this. */
  public static final int REMOTE_INVALIDATE = 1 << 8;

  /** All the rights there are. */
  public static final int ALL = LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_INVALIDATE;

  private AccessRights() {}
}
