package org.rddp.daemon.engine;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.RequestForm;
import org.rddp.ipc.ring.StagPieces;
import org.rddp.ipc.ring.WorkRequest;
import org.rddp.snapshot.Memories;
import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Memory;

/**
 * The outstanding work requests of a session. Each has a slot, which is its token in the layers
 * below, and room for an inline message. Engine thread only; nothing is allocated after the
 * constructor.
 */
final class RequestTable {
  private static final int INLINE_ROOM = (WorkRequest.MAX_INLINE + 63) & ~63;

  /** Octets of heap for each request. */
  static final int OCTETS = 44 + 4 * StagPieces.MOST;

  private final MemorySegment inlineMemory;
  private final EngineTimes times;
  private final long[] ids;

  /** When requests were taken, in ns. */
  private final long[] taken;

  private final int[] opcodes;
  private final boolean[] signalled;

  /** Numbers of the windows of binds, and of the queues of plain DDP's receives. */
  private final int[] named;

  /** {@link StagPieces#MOST} for each request, the first of them in use. */
  private final SessionRegion[] regions;

  /** The window that a bind is for. */
  private final SessionWindow[] windows;

  private final int[] free;
  private int freeCount;

  /** Number of outstanding requests. */
  int size() {
    return ids.length - freeCount;
  }

  /** Octets of memory for inline messages of that many requests. */
  static long inlineOctets(int capacity) {
    return (long) capacity * INLINE_ROOM;
  }

  /**
   * Creates an empty table, which counts the requests' times.
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
    named = new int[capacity];
    regions = new SessionRegion[capacity * StagPieces.MOST];
    windows = new SessionWindow[capacity];
    free = new int[capacity];
    while (freeCount < capacity) {
      free[freeCount] = capacity - 1 - freeCount;
      freeCount++;
    }
  }

  /**
   * Adds a request. There is always room: the rings hand over no more requests than the table
   * holds.
   *
   * @return its slot, 0 or more
   */
  int add(WorkRequest request) {
    int slot = free[--freeCount];
    ids[slot] = request.id();
    taken[slot] = times.now();
    opcodes[slot] = request.opcode();
    signalled[slot] = request.isSignalled();
    named[slot] = request.opcode() == Opcode.BIND ? request.window() : request.qn();
    return slot;
  }

  /** Notes the region of a piece of the message until the request has ended. */
  void use(int slot, int piece, SessionRegion region) {
    regions[slot * StagPieces.MOST + piece] = region;
    region.use();
  }

  /** Whether a request uses a region. */
  boolean uses(int slot, SessionRegion region) {
    int at = slot * StagPieces.MOST;
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
  void use(int slot, SessionWindow window) {
    windows[slot] = window;
    window.use();
  }

  /** The window of a bind. */
  SessionWindow window(int slot) {
    return windows[slot];
  }

  /** Copies an inline message; returns its address. */
  long keepInline(int slot, WorkRequest request) {
    long address = inlineAddress(slot);
    Memory.copy(request.inlineAddress(), address, request.length());
    return address;
  }

  private long inlineAddress(int slot) {
    return inlineMemory.address() + (long) slot * INLINE_ROOM;
  }

  /** The program's own number for a request. */
  long id(int slot) {
    return ids[slot];
  }

  /** The opcode of a request, of {@link org.rddp.client.types.Opcode}. */
  int opcode(int slot) {
    return opcodes[slot];
  }

  /** Number of the window of a bind, or of the queue of a receive of plain DDP. */
  int named(int slot) {
    return named[slot];
  }

  /** Whether success is to be reported. */
  boolean isSignalled(int slot) {
    return signalled[slot];
  }

  /** Counts the time of a successful request. */
  void succeeded(int slot) {
    times.completed(opcodes[slot], taken[slot]);
  }

  /** Removes a request that has ended; releases its regions and its window. */
  void remove(int slot) {
    int at = slot * StagPieces.MOST;
    int end = at + StagPieces.MOST;
    while (at < end && regions[at] != null) {
      regions[at].release();
      regions[at] = null;
      at++;
    }
    if (windows[slot] != null) {
      windows[slot].release();
      windows[slot] = null;
    }
    free[freeCount++] = slot;
  }

  /** Transfers the requests; when read, there are none before. */
  void transfer(Snapshot snapshot, RegisteredMemory memory) {
    snapshot.begin(RequestTable.class);
    References<SessionRegion> known = memory.references();
    BitSet used = new BitSet();
    used.set(0, ids.length);
    for (int i = 0; i < freeCount; i++) {
      used.clear(free[i]);
    }
    if (snapshot.reads()) {
      used.clear();
    }
    int slot = used.nextSetBit(0);
    while (snapshot.flag("more", slot >= 0)) {
      slot = snapshot.number("slot", slot, 0, ids.length - 1);
      transfer(snapshot, slot, memory, known);
      used.set(slot);
      slot = used.nextSetBit(slot + 1);
    }
    freeCount = 0;
    for (int each = ids.length - 1; each >= 0; each--) {
      if (!used.get(each)) {
        free[freeCount++] = each;
      }
    }
    snapshot.end();
  }

  private void transfer(
      Snapshot snapshot, int slot, RegisteredMemory memory, References<SessionRegion> known) {
    ids[slot] = snapshot.number("ids", ids[slot]);
    taken[slot] = snapshot.number("taken", taken[slot]);
    opcodes[slot] = snapshot.number("opcodes", opcodes[slot]);
    if (RequestForm.of(opcodes[slot]) == null) {
      throw snapshot.wrong("there is no opcode " + opcodes[slot]);
    }
    signalled[slot] = snapshot.flag("signalled", signalled[slot]);
    named[slot] = snapshot.number("named", named[slot]);
    int first = slot * StagPieces.MOST;
    int pieces = 0;
    while (pieces < StagPieces.MOST && regions[first + pieces] != null) {
      pieces++;
    }
    pieces = snapshot.number("pieces", pieces, 0, StagPieces.MOST);
    for (int i = 0; i < pieces; i++) {
      SessionRegion region = known.require(snapshot, "regions", regions[first + i]);
      if (snapshot.reads()) {
        use(slot, i, region);
      }
    }
    boolean binds = snapshot.flag("windows", windows[slot] != null);
    if (snapshot.reads() && binds) {
      SessionWindow window = memory.window(named[slot]);
      if (window == null) {
        throw snapshot.wrong("a bind has no window");
      }
      use(slot, window);
    }
    if (pieces == 0 && !binds) {
      // Perhaps an inline message.
      snapshot.octets("inlineMemory", inlineAddress(slot), WorkRequest.MAX_INLINE);
    }
  }

  /** Where inline messages lie. */
  Memories.Range inlineMemory() {
    return new Memories.Range(inlineMemory.address(), inlineMemory.byteSize());
  }
}
