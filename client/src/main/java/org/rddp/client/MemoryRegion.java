package org.rddp.client;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.rddp.client.types.Access;

/**
 * Registered memory: the program reads and writes it in place, the engine sends from it and places
 * into it, and a peer that knows STag and Tagged Offset may do what the rights say.
 *
 * <p>Any thread; but who writes where and when is between the program and its peer.
 */
public final class MemoryRegion implements AutoCloseable {
  private final Rddp session;
  private final SessionMemory.Piece piece;
  private final int stag;
  private final long baseTo;
  private final int rights;
  private final long offset;
  private final long length;
  private final Arena arena;
  private final MemorySegment segment;

  /** Whether the daemon has taken the STag back. */
  private volatile boolean closed;

  /** Whether it has taken the memory back, or that is another region's business. */
  private boolean freed;

  MemoryRegion(
      Rddp session,
      SessionMemory.Piece piece,
      long offset,
      long length,
      int stag,
      long baseTo,
      int rights,
      boolean ownsPiece) {
    this.session = session;
    this.piece = piece;
    this.offset = offset;
    this.length = length;
    this.stag = stag;
    this.baseTo = baseTo;
    this.rights = rights;
    this.freed = !ownsPiece;
    this.arena = Arena.ofShared();
    this.segment = piece.segment(offset, length, arena);
  }

  /** The STag, for the peer and for this program's own requests. */
  public int stag() {
    return stag;
  }

  /** The Tagged Offset of the first octet, for the peer. */
  public long baseTo() {
    return baseTo;
  }

  /** Octets. */
  public long length() {
    return length;
  }

  /** What may be done, see {@link Access#isIn}. */
  public int rights() {
    return rights;
  }

  /** The memory. After {@link #close()} an access to it throws. */
  public MemorySegment segment() {
    return segment;
  }

  /**
   * Registers a part of this region once more, with an STag and rights of its own. It shares the
   * memory, and has to be closed before this region.
   *
   * @param from first octet, in this region
   * @param octets greater than 0
   */
  public MemoryRegion register(long from, long octets, Access... access) {
    check(session, from, octets);
    return session.memory().register(piece, offset + from, octets, Access.bits(access), 0, false);
  }

  /**
   * Registers a part of this region once more, for one connection only.
   *
   * @param connection the one whose peer may use the STag
   * @param from first octet, in this region
   * @param octets greater than 0
   */
  public MemoryRegion register(Connection connection, long from, long octets, Access... access) {
    check(session, from, octets);
    return session
        .memory()
        .register(piece, offset + from, octets, Access.bits(access), connection.id(), false);
  }

  Rddp session() {
    return session;
  }

  void check(Rddp user, long from, long octets) {
    if (closed) {
      throw new IllegalStateException("the memory region is closed");
    }
    if (user != session) {
      throw new IllegalArgumentException("the memory region belongs to another session");
    }
    if (from < 0 || octets < 0 || from > length - octets) {
      throw new IndexOutOfBoundsException(
          "octets " + from + " to " + from + " + " + octets + " of a region of " + length);
    }
  }

  /**
   * Takes the STag back, and the memory with it if this region was the first on it: when this
   * returns, nothing is placed there any more. When the session is gone already, so is all of it.
   *
   * @throws RefusedException when requests that name the region have not completed, or other
   *     regions on this one's memory are still open; close it again when they are gone
   */
  @Override
  public synchronized void close() {
    if (!closed) {
      session.memory().deregister(this);
      closed = true;
    }
    forgetSegment();
    if (!freed) {
      session.memory().free(piece);
      freed = true;
    }
  }

  /** The session ends, and the mapping with it. */
  synchronized void onSessionClosed() {
    closed = true;
    freed = true;
    forgetSegment();
  }

  private void forgetSegment() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }

  @Override
  public String toString() {
    return "memory region %08x of %d octets".formatted(stag, length);
  }
}
