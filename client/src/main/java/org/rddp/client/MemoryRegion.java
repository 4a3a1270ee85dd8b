package org.rddp.client;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.rddp.client.types.Access;
import org.rddp.client.types.CheckReturnValue;
import org.rddp.ipc.control.RegionSettings;

/**
 * Registered memory. The program reads and writes it in place, the engine sends from it and places
 * into it, and a peer that knows the STag and Tagged Offset has the access that the rights allow.
 *
 * <p>Thread-safe; access to the memory itself is not synchronized with the engine or the peer.
 */
public final class MemoryRegion implements AutoCloseable {
  private final Rddp session;
  private final RegionMemory memory;
  private volatile int stag;
  private final RegionSettings settings;
  private final long length;
  private final Arena arena;

  /** Null if the region has several pieces. */
  private final MemorySegment segment;

  /** Whether the STag has been deregistered. */
  private volatile boolean closed;

  /** Whether the STag has ended with its daemon. */
  private volatile boolean ended;

  /** Memory to free with the region; null if it is freed already, or another region frees it. */
  private SessionMemory.Piece owned;

  MemoryRegion(
      Rddp session,
      RegionMemory memory,
      int stag,
      RegionSettings settings,
      SessionMemory.Piece owned) {
    this.session = session;
    this.memory = memory;
    this.length = memory.octets();
    this.stag = stag;
    this.settings = settings;
    this.owned = owned;
    this.arena = Arena.ofShared();
    this.segment = memory instanceof RegionMemory.Range range ? range.segment(arena) : null;
  }

  /** The STag, local and remote. */
  public int stag() {
    return stag;
  }

  /** The Tagged Offset of the first octet, unsigned. */
  public long baseTo() {
    return settings.baseTo();
  }

  /** Length in octets. */
  public long length() {
    return length;
  }

  /** The access rights as bits, see {@link Access#isIn}. */
  public int rights() {
    return settings.rights();
  }

  /**
   * The memory. An access after {@link #close()} throws.
   *
   * @throws IllegalStateException if the region has several pieces ({@link Rddp#registerPieces}):
   *     each is in the segment of its own region
   */
  public MemorySegment segment() {
    if (segment == null) {
      throw new IllegalStateException(
          "a region of several pieces has no segment: use those of the pieces' regions");
    }
    return segment;
  }

  /** Whether it has one {@link #segment()}. */
  boolean hasSegment() {
    return segment != null;
  }

  RegionMemory memory() {
    return memory;
  }

  /** The number of the only connection that may use it, or 0. */
  int connection() {
    return settings.connection();
  }

  /** Whether the STag has ended with its daemon; the memory stays until the region is closed. */
  boolean isEnded() {
    return ended;
  }

  void end() {
    ended = true;
  }

  RegionSettings settings() {
    return settings;
  }

  /** Sets the STag from the next daemon. */
  void restored(int newStag) {
    stag = newStag;
  }

  /**
   * Registers a part of this region again, with its own STag and rights. The new region shares the
   * memory and must be closed before this one.
   *
   * @param from offset of the first octet in this region
   * @param octets greater than 0
   * @param access without {@link Access#REMOTE_INVALIDATE}, which is for one connection
   */
  @CheckReturnValue
  public MemoryRegion register(long from, long octets, Access... access) {
    return register(from, octets, RegionOptions.of(access));
  }

  /**
   * Registers a part of this region again, for one connection only. Any right of the peer lets it
   * invalidate the STag as well (RFC 5040 section 5.3); this region stays.
   *
   * @param connection the connection whose peer may use the STag
   * @param from offset of the first octet in this region
   * @param octets greater than 0
   */
  @CheckReturnValue
  public MemoryRegion register(Connection connection, long from, long octets, Access... access) {
    return register(from, octets, RegionOptions.of(access).withConnection(connection));
  }

  /**
   * Registers a part of this region again, with its own options. The new region shares the memory
   * and must be closed before this one.
   *
   * @param from offset of the first octet in this region
   * @param octets greater than 0
   * @throws IllegalStateException if this region has several pieces: register those that the part
   *     needs
   */
  @CheckReturnValue
  public MemoryRegion register(long from, long octets, RegionOptions options) {
    RegionMemory.Range part = part(session, from, octets);
    options.checkConnection();
    return session.memory().register(part, options.settings(), null);
  }

  /** A part of the region's memory. */
  RegionMemory.Range part(Rddp user, long from, long octets) {
    check(user, from, octets);
    if (memory instanceof RegionMemory.Range range) {
      return range.part(from, octets);
    }
    throw new IllegalStateException(
        "the region has several pieces: register those that the part needs");
  }

  Rddp session() {
    return session;
  }

  void check(Rddp user, long from, long octets) {
    if (closed) {
      throw new IllegalStateException("the memory region is closed");
    }
    if (ended) {
      throw new IllegalStateException(
          "the memory region has ended with its daemon: register memory again");
    }
    if (user != session) {
      throw new IllegalArgumentException("the memory region belongs to another session");
    }
    if (from < 0 || octets < 0 || from > length - octets) {
      throw new IndexOutOfBoundsException(
          "%d octets from offset %d on are not in a region of %d".formatted(octets, from, length));
    }
  }

  /**
   * Deregisters the STag, and frees the memory if this region was created with it. After the call
   * nothing more is placed in the region or read from it. A posted request that names it stays in
   * its queue; when the daemon processes it and it needs the memory, it completes with {@code
   * LOCAL_PROTECTION_ERROR}, and its connection ends. Does nothing in the daemon if the session has
   * ended.
   *
   * @throws RefusedException if a window is bound to the region, or other regions on its memory are
   *     open; call it again after that
   */
  @Override
  public synchronized void close() {
    if (!closed) {
      session.memory().deregister(this);
      closed = true;
    }
    forgetSegment();
    if (owned != null) {
      session.memory().free(owned);
      owned = null;
    }
  }

  /** Called when the session ends, before the memory is unmapped. */
  synchronized void onSessionClosed() {
    closed = true;
    owned = null;
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
