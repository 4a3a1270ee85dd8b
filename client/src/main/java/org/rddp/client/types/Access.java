package org.rddp.client.types;

/**
 * What may be done to a memory region; the words and the rules are those of verbs: a region that
 * the peer may write, or do atomics on, has {@link #LOCAL_WRITE} too ({@code ibv_reg_mr}).
 */
public enum Access {
  /** The engine may place received messages there. */
  LOCAL_WRITE(1),
  /** The peer may read it. */
  REMOTE_READ(2),
  /** The peer may write it. */
  REMOTE_WRITE(4),
  /** The peer may do atomic operations there. */
  REMOTE_ATOMIC(8),
  /** The peer may take the STag back with a message. */
  REMOTE_INVALIDATE(16),
  /** This program may bind windows to it. */
  MW_BIND(32);

  private static final int ALL = 63;

  /** All that are for the peer. */
  private static final int REMOTE = 30;

  /** Those of them that change the memory. */
  private static final int REMOTE_CHANGES = 12;

  private final int bit;

  Access(int bit) {
    this.bit = bit;
  }

  /** The bit that stands for it in messages. */
  public int bit() {
    return bit;
  }

  /** Whether it is among the bits. */
  public boolean isIn(int bits) {
    return (bits & bit) != 0;
  }

  /** The bits of several. */
  public static int bits(Access... rights) {
    int bits = 0;
    for (Access right : rights) {
      bits |= right.bit;
    }
    return bits;
  }

  /** Whether these bits mean rights of a peer and nothing else. */
  public static boolean areRemote(int bits) {
    return (bits & ~REMOTE) == 0;
  }

  /** Whether the peer may change what these bits are for: where that needs {@link #LOCAL_WRITE}. */
  public static boolean letPeerChange(int bits) {
    return (bits & REMOTE_CHANGES) != 0;
  }

  /** Whether these bits mean rights and nothing else. */
  static boolean areValid(int bits) {
    return (bits & ~ALL) == 0;
  }
}
