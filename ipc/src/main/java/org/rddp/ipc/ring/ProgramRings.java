package org.rddp.ipc.ring;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The program's end of a session's rings: posts work requests, polls completions.
 *
 * <p>At most as many requests are outstanding (posted, and not retired by a completion that the
 * program has got) as the completion ring has slots, so that it cannot overflow.
 *
 * <p>One thread. Allocates nothing, never blocks.
 */
public final class ProgramRings {
  private final MemorySegment memory;
  private final Runnable wakeDaemon;
  private final boolean daemonSleeps;
  private final int submissionSlots;
  private final int submissionShift;
  private final int completionSlots;
  private final int completionShift;
  private final long completionBase;
  private final SubmissionEntry entry;

  private long posted;
  private long taken;
  private int outstanding;
  private int unretired;
  private long read;
  private long published;

  /**
   * Finds the rings in memory that the daemon laid out.
   *
   * @param wakeDaemon wakes the daemon's thread; called when a request is posted while it sleeps
   * @throws IOException if there are none, or in another layout
   */
  public ProgramRings(MemorySegment memory, Runnable wakeDaemon) throws IOException {
    SharedMemoryHeader.check(memory, RingLayout.MAGIC, RingLayout.VERSION);
    this.memory = memory;
    this.wakeDaemon = wakeDaemon;
    this.submissionSlots = SharedMemoryHeader.firstParameter(memory);
    this.completionSlots = SharedMemoryHeader.secondParameter(memory);
    try {
      if (RingLayout.octets(submissionSlots, completionSlots) > memory.byteSize()) {
        throw new IOException("the rings' slots exceed their memory");
      }
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
    this.submissionShift = Integer.numberOfTrailingZeros(submissionSlots);
    this.completionShift = Integer.numberOfTrailingZeros(completionSlots);
    this.completionBase = RingLayout.SLOTS + (long) RingLayout.SLOT * submissionSlots;
    this.daemonSleeps = RingLayout.getInt(memory, RingLayout.SLEEPS) != 0;
    this.entry = new SubmissionEntry(this, memory, submissionSlots);
  }

  /**
   * Claims the next entry of the submission ring, to be filled and submitted before another is
   * claimed. An entry that is not submitted has no effect.
   *
   * @param slots that the request takes, 1 to {@link WorkRequest#MAX_SLOTS}
   * @return null when too few slots are free, or too many requests are outstanding: poll first
   * @throws IllegalArgumentException when it is another number
   */
  public SubmissionEntry claim(int slots) {
    if (slots < 1 || slots > WorkRequest.MAX_SLOTS) {
      throw new IllegalArgumentException(slots + " slots; 1 to " + WorkRequest.MAX_SLOTS);
    }
    if (!hasRoom(slots)) {
      return null;
    }
    entry.wrap(posted, slots);
    return entry;
  }

  private boolean hasRoom(int slots) {
    if (outstanding >= completionSlots) {
      return false;
    }
    if (posted + slots - taken > submissionSlots) {
      long now = (long) RingLayout.LONG.getAcquire(memory, (long) RingLayout.TAKEN);
      if (now < taken || now > posted) {
        throw new IllegalStateException("the submission ring is not well formed: connect again");
      }
      taken = now;
    }
    return posted + slots - taken <= submissionSlots;
  }

  /** Hands the claimed, filled entry to the daemon. */
  void submit(int slots) {
    RingLayout.INT.setRelease(
        memory,
        RingLayout.submissionSlot(posted, submissionSlots),
        RingLayout.lap(posted, submissionShift));
    posted += slots;
    outstanding++;
    if (daemonSleeps) {
      wakeSleepingDaemon();
    }
  }

  /** The fence pairs with the daemon's fence after {@link DaemonRings#announceSleep}. */
  private void wakeSleepingDaemon() {
    VarHandle.fullFence();
    if ((int) RingLayout.INT.getOpaque(memory, (long) RingLayout.SLEEPING) != 0) {
      RingLayout.INT.setOpaque(memory, (long) RingLayout.SLEEPING, 0);
      wakeDaemon.run();
    }
  }

  /** The processor that the daemon's thread was last seen on, from 0 on; -1 if not known. */
  public int engineProcessor() {
    return (int) RingLayout.INT.getOpaque(memory, (long) RingLayout.PROCESSOR) - 1;
  }

  /**
   * Copies the next completion, if there is one, and retires its requests. Call {@link #publish()}
   * after a batch.
   *
   * @throws IllegalStateException when it is not well formed
   */
  public boolean poll(PolledCompletion completion) {
    boolean there = read(completion);
    if (there) {
      retire(completion.retired());
    }
    return there;
  }

  /**
   * Copies the next completion, if there is one. Its requests stay outstanding until {@link
   * #retire}, so that no more completions are kept unretired than the ring has slots. Call {@link
   * #publish()} after a batch.
   *
   * @throws IllegalStateException when it is not well formed
   */
  public boolean read(PolledCompletion completion) {
    long slot = completionSlot();
    if ((int) RingLayout.INT.getAcquire(memory, slot) != RingLayout.lap(read, completionShift)) {
      return false;
    }
    completion.read(memory, slot);
    int retired = completion.retired();
    if (retired < 1 || retired > outstanding - unretired) {
      throw new IllegalStateException("the completion ring is not well formed: connect again");
    }
    unretired += retired;
    read++;
    return true;
  }

  /** Retires the requests of a completion that was read and that the program has got. */
  public void retire(int requests) {
    unretired -= requests;
    outstanding -= requests;
  }

  /** Tells the daemon which completions have been read. */
  public void publish() {
    if (published != read) {
      published = read;
      RingLayout.LONG.setRelease(memory, (long) RingLayout.READ, read);
    }
  }

  /**
   * Asks to be woken by a signal at the next completion.
   *
   * @return false when a completion is there already: do not wait
   */
  public boolean requestSignal() {
    // Volatile, and so is the read that follows: see DaemonRings.flush.
    RingLayout.INT.setVolatile(memory, (long) RingLayout.WAITING, 1);
    int state = (int) RingLayout.INT.getVolatile(memory, completionSlot());
    return state != RingLayout.lap(read, completionShift);
  }

  /** Whether no completion is there to be read. */
  public boolean isEmpty() {
    return (int) RingLayout.INT.getAcquire(memory, completionSlot())
        != RingLayout.lap(read, completionShift);
  }

  /** Requests posted whose completion, or that of a later one, has not been polled. */
  public int outstanding() {
    return outstanding;
  }

  /** The most requests that may be outstanding. */
  public int capacity() {
    return completionSlots;
  }

  private long completionSlot() {
    return completionBase + (read & (completionSlots - 1L)) * RingLayout.SLOT;
  }
}
