package org.rddp.ipc.ring;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The daemon's end of a session's rings: takes work requests, reports completions.
 *
 * <p>The program may write anything into the memory at any time. So positions are kept here and
 * never read back, and an entry is copied once and only the copy is checked and used. The
 * completion ring cannot overflow: a request is taken only while the requests in work and the
 * completions that the program has not read are fewer than its slots.
 *
 * <p>One thread, the engine's. Allocates nothing, never blocks.
 */
public final class DaemonRings {
  /** {@link #take}: there is no request, or no room for its completion. */
  public static final int NOTHING = 0;

  /** {@link #take}: a request was copied. */
  public static final int TAKEN = 1;

  /** {@link #take}: the request is not well formed; the session has to end. */
  public static final int GARBAGE = -1;

  /**
   * What the daemon's end knows of its rings, for another end that goes on with them.
   *
   * @param taken slots of the submission ring that have been taken
   * @param written completions that have been written
   * @param flushed completions before which the program was last woken, at most {@code written}
   * @param read completions that the program has read, at most {@code written}
   * @param inWork requests that have been taken and not completed
   */
  public record Positions(long taken, long written, long flushed, long read, int inWork) {}

  /** Keeps the memory alive: it is used by address. */
  @SuppressWarnings("unused")
  private final MemorySegment memory;

  private final long address;
  private final long submissionBase;
  private final int submissionMask;
  private final int submissionShift;
  private final int completionSlots;
  private final int completionShift;
  private final long completionBase;
  private final CompletionEntry entry = new CompletionEntry(this);

  private long taken;
  private long published;
  private boolean blocked;
  private int inWork;
  private long written;
  private long flushed;
  private long read;

  /**
   * Lays the rings out in fresh memory.
   *
   * @param memory at least {@link #octets} octets outside of the heap, zeroed, aligned to 64
   * @param submissionSlots a power of two
   * @param completionSlots a power of two: the most requests that may be outstanding
   */
  public DaemonRings(MemorySegment memory, int submissionSlots, int completionSlots) {
    this(memory, submissionSlots, completionSlots, true);
  }

  private DaemonRings(
      MemorySegment memory, int submissionSlots, int completionSlots, boolean fresh) {
    if (memory.byteSize() < octets(submissionSlots, completionSlots)) {
      throw new IllegalArgumentException("too small for the rings: " + memory.byteSize());
    }
    if (!memory.isNative()) {
      throw new IllegalArgumentException("the memory of rings has to lie outside of the heap");
    }
    this.memory = memory;
    this.address = memory.address();
    this.submissionBase = address + RingLayout.SLOTS;
    this.submissionMask = submissionSlots - 1;
    this.submissionShift = Integer.numberOfTrailingZeros(submissionSlots);
    this.completionSlots = completionSlots;
    this.completionShift = Integer.numberOfTrailingZeros(completionSlots);
    this.completionBase = submissionBase + (long) RingLayout.SLOT * submissionSlots;
    if (fresh) {
      SharedMemoryHeader.write(
          memory, RingLayout.MAGIC, RingLayout.VERSION, submissionSlots, completionSlots);
    }
  }

  /**
   * Takes rings that another end has laid out; {@link #goOn} follows. Writes nothing: the other end
   * may still use them.
   *
   * @param memory as of {@link #DaemonRings}
   * @param submissionSlots as of the other end
   * @param completionSlots as of the other end
   */
  public static DaemonRings inherit(
      MemorySegment memory, int submissionSlots, int completionSlots) {
    return new DaemonRings(memory, submissionSlots, completionSlots, false);
  }

  /** Tells the program that {@link #announceSleep} may be called. Call before it has the memory. */
  public void allowSleep() {
    RingLayout.INT.setOpaque(RingLayout.ALL, address + RingLayout.SLEEPS, 1);
  }

  /**
   * Asks the program to wake the daemon's thread when it posts a request, from now to {@link
   * #endSleep}. The caller then makes a full fence, and checks for requests once more before it
   * sleeps: as in {@link #flush}, at least one end sees the other's store.
   */
  public void announceSleep() {
    RingLayout.INT.setOpaque(RingLayout.ALL, address + RingLayout.SLEEPING, 1);
  }

  /**
   * Notes that the daemon's thread is awake. Returns whether the program has woken it, or is about
   * to.
   */
  public boolean endSleep() {
    if ((int) RingLayout.INT.getOpaque(RingLayout.ALL, address + RingLayout.SLEEPING) == 0) {
      return true;
    }
    RingLayout.INT.setOpaque(RingLayout.ALL, address + RingLayout.SLEEPING, 0);
    return false;
  }

  /** Tells the program on which processor, from 0 on, the daemon's thread runs. */
  public void runsOn(int processor) {
    if (RingLayout.getIntOnce(address + RingLayout.PROCESSOR) != processor + 1) {
      RingLayout.INT.setOpaque(RingLayout.ALL, address + RingLayout.PROCESSOR, processor + 1);
    }
  }

  /**
   * Whether the last {@link #take} left a request because the program had not read enough
   * completions. Reading them does not wake the daemon.
   */
  public boolean isBlocked() {
    return blocked;
  }

  /** The positions, between two calls. */
  public Positions positions() {
    return new Positions(taken, written, flushed, read, inWork);
  }

  /**
   * Goes on where the daemon's former end of the same rings has stopped. Before any other call.
   *
   * @throws IllegalArgumentException if no end of rings of this size has these positions
   */
  public void goOn(Positions from) {
    long unread = from.written - from.read;
    if (from.read < 0
        || from.flushed < 0
        || from.flushed > from.written
        || from.inWork < 0
        || from.inWork > from.taken
        || unread < 0
        || unread + from.inWork > completionSlots) {
      throw new IllegalArgumentException("no such positions: " + from);
    }
    taken = from.taken;
    published = -1; // Perhaps the former end has not published them.
    written = from.written;
    flushed = from.flushed;
    read = from.read;
    inWork = from.inWork;
  }

  /** Memory that rings of that many slots need. */
  public static long octets(int submissionSlots, int completionSlots) {
    return RingLayout.octets(submissionSlots, completionSlots);
  }

  /**
   * Copies the next work request, if there is one.
   *
   * @return {@link #TAKEN}, {@link #NOTHING} or {@link #GARBAGE}
   */
  public int take(WorkRequest request) {
    blocked = false;
    long slot = submissionSlot(taken);
    int state = (int) RingLayout.INT.getAcquire(RingLayout.ALL, slot);
    if (state != RingLayout.lap(taken, submissionShift)) {
      return NOTHING;
    }
    if (inWork + (written - read) >= completionSlots) {
      long claimed = (long) RingLayout.LONG.getAcquire(RingLayout.ALL, address + RingLayout.READ);
      if (claimed < read || claimed > written) {
        return GARBAGE;
      }
      read = claimed;
      if (inWork + (written - read) >= completionSlots) {
        blocked = true;
        return NOTHING;
      }
    }
    int slots = request.readFirst(slot);
    if (slots < 1 || slots > WorkRequest.MAX_SLOTS) {
      return GARBAGE;
    }
    for (int i = 1; i < slots; i++) {
      request.copyFurther(submissionSlot(taken + i), i);
    }
    if (!request.isWellFormed()) {
      return GARBAGE;
    }
    taken += slots;
    inWork++;
    return TAKEN;
  }

  /**
   * Looks ahead at the requests that {@link #take} would return next, and takes none. The program
   * may still change them, so use the result for prefetching only.
   *
   * @param connections receives the connection that each request names
   * @return how many, at most the length of {@code connections}
   */
  public int lookAhead(int[] connections) {
    int seen = 0;
    long position = taken;
    while (seen < connections.length) {
      long slot = submissionSlot(position);
      int state = (int) RingLayout.INT.getAcquire(RingLayout.ALL, slot);
      if (state != RingLayout.lap(position, submissionShift)) {
        break;
      }
      connections[seen++] = WorkRequest.connectionOf(slot);
      position += WorkRequest.slotsOf(slot);
    }
    return seen;
  }

  /**
   * Claims the next entry of the completion ring, to be filled and submitted.
   *
   * @param retired requests of that connection's same queue (sends and writes are one queue,
   *     receives another) that end with this completion: 1 and the successful unsignalled ones
   *     since the queue's last completion
   * @throws IllegalStateException when more requests would end than were taken
   */
  public CompletionEntry claim(int retired) {
    if (retired < 1 || retired > inWork) {
      throw new IllegalStateException(
          "completion of " + retired + " requests, " + inWork + " in work");
    }
    inWork -= retired;
    entry.wrap(completionSlot(), retired);
    return entry;
  }

  /** Hands the claimed, filled entry to the program. */
  void submit() {
    RingLayout.INT.setRelease(
        RingLayout.ALL, completionSlot(), RingLayout.lap(written, completionShift));
    written++;
  }

  /**
   * Publishes which requests were taken. Call at the end of each turn.
   *
   * @return whether the program has asked to be woken: the caller signals it
   */
  public boolean flush() {
    if (published != taken) {
      published = taken;
      RingLayout.LONG.setRelease(RingLayout.ALL, address + RingLayout.TAKEN, taken);
    }
    if (flushed == written) {
      return false;
    }
    flushed = written;
    // The program stores that it waits and then looks for completions; the daemon stores
    // completions and then looks whether the program waits. With a full fence on both sides at
    // least one of the two sees the other's store.
    VarHandle.fullFence();
    if ((int) RingLayout.INT.getOpaque(RingLayout.ALL, address + RingLayout.WAITING) == 0) {
      return false;
    }
    RingLayout.INT.setOpaque(RingLayout.ALL, address + RingLayout.WAITING, 0);
    return true;
  }

  /** Requests taken and not completed. */
  public int inWork() {
    return inWork;
  }

  private long completionSlot() {
    return completionBase + (written & (completionSlots - 1L)) * RingLayout.SLOT;
  }

  private long submissionSlot(long position) {
    return submissionBase + (position & submissionMask) * RingLayout.SLOT;
  }
}
