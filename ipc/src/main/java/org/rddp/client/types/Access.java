package org.rddp.client.types;

/**
 * Access rights to a memory region. Names and rules are those of verbs ({@code ibv_reg_mr}): a
 * region with {@link #REMOTE_WRITE} or {@link #REMOTE_ATOMIC} needs {@link #LOCAL_WRITE}, too.
 */
public enum Access {
  /** The engine may place received messages and the answers of reads in the region. */
  LOCAL_WRITE(1),
  /** The peer may read the region. */
  REMOTE_READ(2),
  /** The peer may write the region. */
  REMOTE_WRITE(4),
  /** The peer may run atomic operations on the region. */
  REMOTE_ATOMIC(8),
  /**
   * The peer may invalidate the STag with a Send with Invalidate. Every other right of the peer
   * includes this one if a region or window is for one connection only (RFC 5040 section 5.3). A
   * region for all connections of a session cannot have it: one peer could invalidate the STag for
   * the others (section 8.1.1 item 7).
   */
  REMOTE_INVALIDATE(16),
  /** The program may bind memory windows to the region. */
  MW_BIND(32);

  private static final int ALL = 63;

  /** The bits of all rights of the peer. */
  private static final int REMOTE = 30;

  /** The bits of the rights that let the peer change the memory. */
  private static final int REMOTE_CHANGES = 12;

  private final int bit;

  Access(int bit) {
    this.bit = bit;
  }

  /** The right's bit in messages. */
  public int bit() {
    return bit;
  }

  /** Whether the bits contain this right. */
  public boolean isIn(int bits) {
    return (bits & bit) != 0;
  }

  /** The combined bits of some rights. */
  public static int bits(Access... rights) {
    int bits = 0;
    for (Access right : rights) {
      bits |= right.bit;
    }
    return bits;
  }

  /** Whether the bits contain rights of the peer only. */
  public static boolean areRemote(int bits) {
    return (bits & ~REMOTE) == 0;
  }

  /** Whether the bits let the peer change the memory, which needs {@link #LOCAL_WRITE}. */
  public static boolean letPeerChange(int bits) {
    return (bits & REMOTE_CHANGES) != 0;
  }

  /** Whether a region for all connections of a session may have these rights. */
  public static boolean mayBeShared(int bits) {
    return !REMOTE_INVALIDATE.isIn(bits);
  }

  /** Whether all bits are known rights. */
  public static boolean areValid(int bits) {
    return (bits & ~ALL) == 0;
  }
}
