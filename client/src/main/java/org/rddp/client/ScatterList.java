package org.rddp.client;

import org.rddp.ipc.ring.StagPieces;

/**
 * A scatter/gather list: the pieces of memory, in order, that a message is sent from or placed
 * into. {@code max_sge} of verbs is {@link #MOST}; {@code max_sge_rd} is 1: a read has no list. A
 * post copies it, so it can be reused at once. For one thread.
 */
public final class ScatterList {
  /** The most pieces. */
  public static final int MOST = StagPieces.MOST;

  private final StagPieces pieces = new StagPieces();

  /** The session of the pieces; null while there are none. */
  private Rddp session;

  private int rights = -1;

  /** A list without pieces. */
  public ScatterList() {}

  /** Removes every piece. */
  public ScatterList clear() {
    pieces.clear();
    session = null;
    rights = -1;
    return this;
  }

  /**
   * Adds a piece behind the others.
   *
   * @param offset of its first octet in the region
   * @param length in octets, 0 or more
   * @throws IllegalStateException if there are {@link #MOST}, or the message is longer than 2^32 -
   *     1
   */
  public ScatterList add(MemoryRegion region, long offset, long length) {
    Rddp owner = session == null ? region.session() : session;
    region.check(owner, offset, length);
    pieces.add(region.stag(), offset, length);
    session = owner;
    rights &= region.rights();
    return this;
  }

  /** Octets of all pieces together. */
  public long length() {
    return pieces.length();
  }

  StagPieces pieces() {
    return pieces;
  }

  /** The session of the pieces; null while there are none. */
  Rddp session() {
    return session;
  }

  /** The rights that all regions have. */
  int rights() {
    return rights;
  }
}
