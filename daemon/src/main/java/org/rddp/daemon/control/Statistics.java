package org.rddp.daemon.control;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.ring.Counter;
import org.rddp.ipc.ring.Counters;
import org.rddp.snapshot.Snapshot;

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

  private static final class Source {
    private final Counter counter;
    private final String engine;
    private final PublishedValue<?> published;
    private final LongSupplier value;

    /** What a former daemon has counted, and the source has not. */
    private long before;

    Source(Counter counter, String engine, PublishedValue<?> published, LongSupplier value) {
      this.counter = counter;
      this.engine = engine;
      this.published = published;
      this.value = value;
    }

    /** The name, which does not tell the only engine of an interface from the first of several. */
    String name() {
      return engine.isEmpty()
          ? published.name()
          : engine.replaceFirst("/0$", "") + "." + published.name();
    }

    long now() {
      return before + value.getAsLong();
    }

    /** Goes on from this value, if it is not null. */
    void goOn(Long from) {
      if (from != null && !published.isGauge()) {
        before = from - value.getAsLong();
        counter.set(from);
      }
    }
  }

  /** Visits published values. */
  @FunctionalInterface
  public interface Visitor {
    /**
     * Visits one of them.
     *
     * @param engine whose it is, by its name; empty for one of the daemon as a whole
     * @param value as last copied
     */
    void visit(String engine, PublishedValue<?> published, long value);
  }

  private static final List<PublishedValue<Statistics>> DAEMON =
      List.of(
          PublishedValue.gauge("sessions", "Sessions of programs.", all -> all.sessions),
          PublishedValue.gauge(
              "memory_bytes", "Memory of all programs, in octets.", all -> all.memory));

  private final Counters counters;
  private final List<Source> sources = new CopyOnWriteArrayList<>();
  private final List<LongSupplier> activities = new ArrayList<>();

  /** The values of a former daemon by name, which counters go on from. */
  private final Map<String, Long> former = new HashMap<>();

  private long sessions;
  private long memory;

  /** A hash of all activity at the last check. */
  private long activity;

  /** Checks since it changed; the first one makes a copy. */
  private int looks = -1;

  /** Creates the counters of the daemon as a whole. */
  public Statistics() throws SystemCallException {
    counters = Counters.create(CAPACITY);
    add(DAEMON, this);
  }

  /** What the control server publishes. */
  public static List<PublishedValue<?>> published() {
    return Stream.<List<? extends PublishedValue<?>>>of(DAEMON, EspAlarm.VALUES)
        .<PublishedValue<?>>flatMap(List::stream)
        .toList();
  }

  /** Adds values of the daemon as a whole, read as those of engines are. */
  public <T> void add(List<PublishedValue<T>> values, T from) {
    add("", values, () -> from);
  }

  /**
   * Adds values of an engine. They are read on the control thread, which they must not block.
   *
   * @param from what they are read from then
   */
  public <T> void add(String engine, List<PublishedValue<T>> values, Supplier<T> from) {
    List<Source> added = new ArrayList<>();
    for (PublishedValue<T> each : values) {
      Counter counter = counters.add(engine.isEmpty() ? each.name() : engine + "." + each.name());
      Source source = new Source(counter, engine, each, () -> each.value().applyAsLong(from.get()));
      source.goOn(former.get(source.name()));
      added.add(source);
    }
    sources.addAll(added);
  }

  /**
   * Transfers the values, while nothing counts. When read, counters go on from there, whether what
   * they are read from has been transferred or begins at 0.
   */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(Statistics.class);
    Iterator<Source> written = sources.iterator();
    while (snapshot.flag("more", !snapshot.reads() && written.hasNext())) {
      Source source = snapshot.reads() ? null : written.next();
      String name = snapshot.text("name", source == null ? null : source.name());
      former.put(name, snapshot.number("value", source == null ? 0 : source.now()));
    }
    if (snapshot.reads()) {
      sources.forEach(each -> each.goOn(former.get(each.name())));
    }
    snapshot.end();
  }

  /** Tells readers whether the counters of another daemon go on from these. */
  public void move(boolean moves) {
    counters.move(moves);
  }

  /** Visits all values. Any thread may call this before {@link #close}. */
  public void forEach(Visitor visitor) {
    for (Source source : sources) {
      visitor.visit(source.engine, source.published, source.counter.get());
    }
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
      sessions = sessionsNow;
      memory = memoryNow;
      sources.forEach(each -> each.counter.set(each.now()));
    }
    return idle ? IDLE_PERIOD : PERIOD;
  }

  Descriptor descriptor() {
    return counters.descriptor();
  }

  @Override
  public void close() {
    counters.close();
  }
}
