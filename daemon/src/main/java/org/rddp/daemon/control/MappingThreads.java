package org.rddp.daemon.control;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The threads that populate and unmap memory. Both take up to seconds for each GiB, too long for
 * the control thread or an engine. Thread-safe.
 */
final class MappingThreads implements AutoCloseable {
  /**
   * From this size on, a separate thread unmaps memory; the kernel frees 32 MiB within
   * milliseconds.
   */
  static final long LARGE = 32L << 20;

  private final Executor populating;
  private final Executor populatingRings;
  private final Executor unmapping;
  private final Executor unmappingLarge;
  private final Executor control;
  private final Executor closing;
  private final Runnable notLocked;
  private final AtomicBoolean reported;

  /** Each mapping that nobody has asked to unmap, and what unmaps it. */
  private final Map<Object, Runnable> mapped;

  /**
   * Uses given threads.
   *
   * @param notLocked run on the control thread, once, if memory cannot be locked
   */
  MappingThreads(
      Executor populating,
      Executor populatingRings,
      Executor unmapping,
      Executor unmappingLarge,
      Executor control,
      Runnable notLocked) {
    this(
        populating,
        populatingRings,
        unmapping,
        unmappingLarge,
        control,
        Runnable::run,
        notLocked,
        new AtomicBoolean(),
        new ConcurrentHashMap<>());
  }

  private MappingThreads(
      Executor populating,
      Executor populatingRings,
      Executor unmapping,
      Executor unmappingLarge,
      Executor control,
      Executor closing,
      Runnable notLocked,
      AtomicBoolean reported,
      Map<Object, Runnable> mapped) {
    this.populating = populating;
    this.populatingRings = populatingRings;
    this.unmapping = unmapping;
    this.unmappingLarge = unmappingLarge;
    this.control = control;
    this.closing = closing;
    this.notLocked = notLocked;
    this.reported = reported;
    this.mapped = mapped;
  }

  /** Uses these threads, and a program's own to close the descriptors of its memory. */
  MappingThreads closingBy(Executor program) {
    return new MappingThreads(
        populating,
        populatingRings,
        unmapping,
        unmappingLarge,
        control,
        program,
        notLocked,
        reported,
        mapped);
  }

  /**
   * Starts a thread for each kind of work, so that unmapping does not delay allocation, a program's
   * memory does not delay the start of a session, and large memory does not delay the end of
   * another session.
   */
  static MappingThreads start(Executor control, Runnable notLocked) {
    return new MappingThreads(
        thread("rddp-populate"),
        thread("rddp-rings"),
        thread("rddp-unmap"),
        thread("rddp-unmap-large"),
        control,
        notLocked);
  }

  /** Starts a daemon thread that runs one task after the other. */
  static ExecutorService thread(String name) {
    return Executors.newSingleThreadExecutor(task -> {
      Thread thread = new Thread(task, name);
      thread.setDaemon(true);
      return thread;
    });
  }

  /** Runs a short piece of work after those that already wait. */
  void populate(Runnable piece) {
    populating.execute(piece);
  }

  /** Runs a piece of work on a session's rings after those that already wait. */
  void populateRings(Runnable piece) {
    populatingRings.execute(piece);
  }

  /** Notes a mapping, and what {@link #unmapAll} calls for it. */
  void add(Object mapping, Runnable unmap) {
    mapped.put(mapping, unmap);
  }

  /** Forgets a mapping, which its owner unmaps. */
  void remove(Object mapping) {
    mapped.remove(mapping);
  }

  /** Unmaps all that is noted, on the calling thread: another daemon has it, and no engine runs. */
  void unmapAll() {
    mapped.values().forEach(Runnable::run);
    mapped.clear();
  }

  /**
   * Unmaps memory, on the calling thread if the daemon has ended: a program can block its link's
   * thread until then.
   *
   * @param octets length of the memory
   */
  void unmap(long octets, Runnable work) {
    try {
      (octets < LARGE ? unmapping : unmappingLarge).execute(work);
    } catch (RejectedExecutionException ended) {
      work.run();
    }
  }

  /** Closes a descriptor that was sent to the program. */
  void close(Runnable close) {
    closing.execute(close);
  }

  void control(Runnable task) {
    control.execute(task);
  }

  /** Reports that the limit of locked memory is reached. */
  void onNotLocked() {
    if (!reported.getAndSet(true)) {
      control.execute(notLocked);
    }
  }

  /** Ends the threads after their remaining work, and waits for that. */
  @Override
  public void close() {
    end(populating);
    end(populatingRings);
    end(unmapping);
    end(unmappingLarge);
  }

  private static void end(Executor executor) {
    if (executor instanceof ExecutorService service) {
      service.close();
    }
  }
}
