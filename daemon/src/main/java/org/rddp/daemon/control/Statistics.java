package org.rddp.daemon.control;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.ring.Counter;
import org.rddp.ipc.ring.Counters;

/**
 * The daemon's counters in shared memory. The engines count in plain fields, which are copied
 * periodically, so that counting stays cheap.
 */
public final class Statistics implements AutoCloseable {
  /** Interval between two copies in ns, while engines work. */
  public static final long PERIOD = TimeUnit.MILLISECONDS.toNanos(100);

  /** The interval at which an idle daemon checks whether an engine has worked. */
  static final long IDLE_PERIOD = TimeUnit.SECONDS.toNanos(1);

  /**
   * One of this many checks without work makes a copy, since only turns and sleeps have changed.
   */
  private static final int LOOKS_PER_COPY = 5;

  /** Enough for 64 engines and their ports; what does not fit is not published. */
  private static final int CAPACITY = 16384;

  private record Source(Counter counter, LongSupplier value) {}

  private final Counters counters;
  private final Counter sessions;
  private final Counter memory;
  private final List<Source> sources = new ArrayList<>();
  private final List<LongSupplier> activities = new ArrayList<>();

  /** A hash of all activity at the last check. */
  private long activity;

  /** Checks since it changed; the first one makes a copy. */
  private int looks = -1;

  /** Creates the counters of the daemon as a whole. */
  public Statistics() throws SystemCallException {
    counters = Counters.create(CAPACITY);
    sessions = counters.add("daemon.sessions");
    memory = counters.add("daemon.memory.octets");
  }

  /** Adds a counter. The supplier is called on the control thread and must not block. */
  public void add(String name, LongSupplier value) {
    sources.add(new Source(counters.add(name), value));
  }

  /**
   * Calls the visitor with the name and the value of each counter. Any thread may call this before
   * {@link #close}.
   */
  public void forEach(ObjLongConsumer<String> visitor) {
    counters.forEach(visitor);
  }

  /**
   * Adds a number that changes whenever an engine works. Called on the control thread, like
   * counters.
   */
  public void addActivity(LongSupplier count) {
    activities.add(count);
  }

  /** Copies the counters that may have changed. Returns the time in ns until the next call. */
  long refresh(long sessionsNow, long memoryNow) {
    long now = 31 * sessionsNow + memoryNow;
    for (LongSupplier each : activities) {
      now = 31 * now + each.getAsLong();
    }
    boolean idle = now == activity;
    activity = now;
    looks = idle ? looks + 1 : 0;
    if (looks % LOOKS_PER_COPY == 0) {
      copy(sessionsNow, memoryNow);
    }
    return idle ? IDLE_PERIOD : PERIOD;
  }

  private void copy(long sessionsNow, long memoryNow) {
    sessions.set(sessionsNow);
    memory.set(memoryNow);
    for (Source source : sources) {
      source.counter.set(source.value.getAsLong());
    }
  }

  Descriptor descriptor() {
    return counters.descriptor();
  }

  @Override
  public void close() {
    counters.close();
  }
}
