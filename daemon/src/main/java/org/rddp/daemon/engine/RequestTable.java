package org.rddp.daemon.engine;

import java.lang.foreign.MemorySegment;
import org.rddp.ipc.ring.StagPieces;
import org.rddp.ipc.ring.WorkRequest;
import org.rddp.wire.Memory;

/**
 * The work requests of a session that have been taken and have not completed. Each has a number,
 * which is its id in the layers below, and room for an inline message. Engine thread only; nothing
 * is allocated after the constructor.
 */
final class RequestTable {
  private static final int INLINE_ROOM = (WorkRequest.MAX_INLINE + 63) & ~63;

  /** Octets of heap for each request. */
  static final int OCTETS = 40 + 4 * StagPieces.MOST;

  private final MemorySegment inlineMemory;
  private final EngineTimes times;
  private final long[] ids;

  /** When requests were taken, in ns. */
  private final long[] taken;

  private final int[] opcodes;
  private final boolean[] signalled;

  /** {@link StagPieces#MOST} for each request, the first of them in use. */
  private final SessionRegion[] regions;

  /** The window that a bind is for. */
  private final SessionWindow[] windows;

  private final int[] free;
  private int freeCount;

  /** Requests that have been taken and have not completed. */
  int size() {
    return ids.length - freeCount;
  }

  /** Octets of inline messages of so many requests. */
  static long inlineOctets(int capacity) {
    return (long) capacity * INLINE_ROOM;
  }

  /**
   * A table of requests, whose times are counted.
   *
   * @param capacity the most requests at a time
   * @param inlineMemory {@link #inlineOctets} of memory
   */
  RequestTable(int capacity, MemorySegment inlineMemory, EngineTimes times) {
    this.inlineMemory = inlineMemory;
    this.times = times;
    ids = new long[capacity];
    taken = new long[capacity];
    opcodes = new int[capacity];
    signalled = new boolean[capacity];
    regions = new SessionRegion[capacity * StagPieces.MOST];
    windows = new SessionWindow[capacity];
    free = new int[capacity];
    while (freeCount < capacity) {
      free[freeCount] = capacity - 1 - freeCount;
      freeCount++;
    }
  }

  /**
   * Adds a request. There is room: the rings hand over no more requests than the table holds.
   *
   * @return its number
   */
  int add(WorkRequest request) {
    int number = free[--freeCount];
    ids[number] = request.id();
    taken[number] = times.now();
    opcodes[number] = request.opcode();
    signalled[number] = request.isSignalled();
    return number;
  }

  /** Notes the region of a piece of the message until the request has ended. */
  void use(int number, int piece, SessionRegion region) {
    regions[number * StagPieces.MOST + piece] = region;
    region.use();
  }

  /** Whether a request uses a region. */
  boolean uses(int number, SessionRegion region) {
    int at = number * StagPieces.MOST;
    int end = at + StagPieces.MOST;
    while (at < end && regions[at] != null) {
      if (regions[at].equals(region)) {
        return true;
      }
      at++;
    }
    return false;
  }

  /** Keeps the window of a bind until the request has ended. */
  void use(int number, SessionWindow window) {
    windows[number] = window;
    window.use();
  }

  /** The window of a bind. */
  SessionWindow window(int number) {
    return windows[number];
  }

  /** Copies an inline message; returns its address. */
  long keepInline(int number, WorkRequest request) {
    long address = inlineMemory.address() + (long) number * INLINE_ROOM;
    Memory.copy(request.inlineAddress(), address, request.length());
    return address;
  }

  /** The program's own number for a request. */
  long id(int number) {
    return ids[number];
  }

  /** The opcode of a request, of {@link org.rddp.client.types.Opcode}. */
  int opcode(int number) {
    return opcodes[number];
  }

  /** Whether success is to be reported. */
  boolean isSignalled(int number) {
    return signalled[number];
  }

  /** A request has completed with success: counts its time. */
  void succeeded(int number) {
    times.completed(opcodes[number], taken[number]);
  }

  /** Removes a request that has ended; releases its regions and its window. */
  void remove(int number) {
    int at = number * StagPieces.MOST;
    int end = at + StagPieces.MOST;
    while (at < end && regions[at] != null) {
      regions[at].release();
      regions[at] = null;
      at++;
    }
    if (windows[number] != null) {
      windows[number].release();
      windows[number] = null;
    }
    free[freeCount++] = number;
  }
}
