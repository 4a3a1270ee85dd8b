package org.rddp.daemon.control;

import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.errors.ErrorLogReader;

/**
 * The daemon's log: one line for each event, and internal errors with their stack trace the first
 * time; repetitions are not logged. Control thread only.
 */
public final class DaemonLog {
  private static final int ERROR_LOG_OCTETS = 256 << 10;

  private final PrintStream out;
  private final UnsafeBuffer memory = new UnsafeBuffer(ByteBuffer.allocateDirect(ERROR_LOG_OCTETS));
  private final DistinctErrorLog errors = new DistinctErrorLog(memory, System::currentTimeMillis);
  private long known;

  /** Creates a log that writes to a stream. */
  public DaemonLog(PrintStream out) {
    this.out = out;
  }

  /** Logs an event. */
  public void info(String line) {
    out.println(Instant.now().truncatedTo(ChronoUnit.MILLIS) + " " + line);
  }

  /** Logs an internal error. */
  public void error(String where, Throwable cause) {
    long before = known;
    errors.record(cause);
    known = distinct();
    if (known != before) {
      info("internal error in " + where + ": " + cause);
      cause.printStackTrace(out);
    }
  }

  private long distinct() {
    return ErrorLogReader.read(memory, (count, first, last, encoded) -> {});
  }
}
