package org.rddp.daemon.control;

import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.errors.ErrorLogReader;

/**
 * The daemon's log: one line for each event, and internal errors with their stack trace the first
 * time; repetitions are not logged. Of each kind, a number of lines is printed in a second, and the
 * others are counted. What programs and peers have chosen is escaped. Control thread only.
 */
public final class DaemonLog {
  /** Interval in ns at which {@link #countLeftOut()} is to be called. */
  static final long PERIOD = TimeUnit.SECONDS.toNanos(1);

  /** Lines of a kind in one period. */
  private static final int MOST_LINES = 20;

  private static final int MOST_CHARACTERS = 500;
  private static final int MOST_CAUSES = 8;
  private static final int MOST_FRAMES = 64;
  private static final int ERROR_LOG_OCTETS = 256 << 10;

  /** What a line is about. */
  enum Kind {
    /** Sessions begin and end. */
    SESSION,
    /** Peers' connections end because of an error. */
    CONNECTION,
    /** The daemon itself. */
    DAEMON
  }

  private static final class Period {
    long start;
    int lines;
    long leftOut;
  }

  private final PrintStream out;
  private final LongSupplier clock;
  private final Map<Kind, Period> periods = new EnumMap<>(Kind.class);
  private final UnsafeBuffer memory = new UnsafeBuffer(ByteBuffer.allocateDirect(ERROR_LOG_OCTETS));
  private final DistinctErrorLog errors = new DistinctErrorLog(memory, System::currentTimeMillis);
  private long known;

  /** Creates a log that writes to a stream. */
  public DaemonLog(PrintStream out) {
    this(out, System::nanoTime);
  }

  /** Creates a log with a clock in ns. */
  DaemonLog(PrintStream out, LongSupplier clock) {
    this.out = out;
    this.clock = clock;
    for (Kind kind : Kind.values()) {
      Period period = new Period();
      period.start = clock.getAsLong();
      periods.put(kind, period);
    }
  }

  /** Logs an event, unless too many of its kind happen. */
  void info(Kind kind, String line) {
    Period period = periods.get(kind);
    long now = clock.getAsLong();
    if (now - period.start >= PERIOD) {
      begin(kind, period, now);
    }
    if (period.lines == MOST_LINES) {
      period.leftOut++;
      return;
    }
    period.lines++;
    print(line);
  }

  private void begin(Kind kind, Period period, long now) {
    long leftOut = period.leftOut;
    period.start = now;
    period.lines = 0;
    period.leftOut = 0;
    if (leftOut > 0) {
      String name = kind.name().toLowerCase(Locale.ROOT);
      print(leftOut + " further lines about a " + name + " were left out");
    }
  }

  /** Counts events that were not passed to {@link #info}. */
  void leftOut(Kind kind, long events) {
    periods.get(kind).leftOut += events;
  }

  /** Logs how many lines of each kind were left out in the period before. */
  void countLeftOut() {
    long now = clock.getAsLong();
    periods.forEach((kind, period) -> {
      if (period.leftOut > 0 && now - period.start >= PERIOD) {
        begin(kind, period, now);
      }
    });
  }

  private void print(String line) {
    out.println(
        Instant.now().truncatedTo(ChronoUnit.MILLIS)
            + " "
            + LogText.escaped(line, MOST_CHARACTERS));
  }

  /** Logs an internal error. */
  void error(String where, Throwable cause) {
    long before = known;
    errors.record(cause);
    known = distinct();
    if (known != before) {
      print("internal error in " + where + ": " + cause);
      printTrace(cause);
    }
  }

  /** Prints it line by line, since a message may contain line ends. */
  private void printTrace(Throwable cause) {
    Throwable next = cause;
    for (int i = 0; i < MOST_CAUSES && next != null; i++) {
      out.println("    " + LogText.escaped(next.toString(), MOST_CHARACTERS));
      StackTraceElement[] frames = next.getStackTrace();
      for (int j = 0; j < Math.min(frames.length, MOST_FRAMES); j++) {
        out.println("        at " + frames[j]);
      }
      next = next.getCause();
    }
  }

  private long distinct() {
    return ErrorLogReader.read(memory, (count, first, last, encoded) -> {});
  }
}
