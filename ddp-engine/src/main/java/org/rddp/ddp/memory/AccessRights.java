package org.rddp.ddp.memory;

/**
 * Access rights of a Tagged Buffer: bits to be combined. Programs register memory with the same
 * names and values.
 */
public final class AccessRights {
  /** This end may place the responses to its own RDMA Reads. */
  public static final int LOCAL_WRITE = 1;

  /** The peer may write. */
  public static final int REMOTE_WRITE = 4;

  /** The peer may read. */
  public static final int REMOTE_READ = 2;

  /** The peer may do atomic operations. */
  public static final int REMOTE_ATOMIC = 8;

  /** This end may bind memory windows to it. */
  public static final int MW_BIND = 32;

  /**
   * The peer may invalidate the STag, if only its stream may use it. All other rights of the peer
   * include this one. Verbs has no bit for this.
   */
  public static final int REMOTE_INVALIDATE = 16;

  /** All rights of the peer. */
  public static final int REMOTE = REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC | REMOTE_INVALIDATE;

  /** All rights. */
  public static final int ALL = LOCAL_WRITE | MW_BIND | REMOTE;

  /** A bit that no buffer has. */
  private static final int NOBODYS = 1 << 30;

  private AccessRights() {}

  /**
   * What a buffer must grant for a message of a stream that withholds rights from its peer.
   *
   * @param right the one that the message needs
   */
  public static int needed(int right, int withheld) {
    return (right & withheld) == 0 ? right : NOBODYS;
  }
}
