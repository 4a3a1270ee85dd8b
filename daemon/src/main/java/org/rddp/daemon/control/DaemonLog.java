package org.rddp.daemon.control;

import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.agrona.concurrent.errors.ErrorLogReader;

/**
 * What the daemon has to say to the administrator: a line for each event, and failures inside with
 * their stack trace the first time; repetitions are only counted. Control thread only.
 */
public final class DaemonLog {
  private static final int ERROR_LOG_OCTETS = 256 << 10;

  private final PrintStream out;
  private final UnsafeBuffer memory = new UnsafeBuffer(ByteBuffer.allocateDirect(ERROR_LOG_OCTETS));
  private final DistinctErrorLog errors = new DistinctErrorLog(memory, System::currentTimeMillis);
  private long known;

  /** A log that goes to a stream. */
  public DaemonLog(PrintStream out) {
    this.out = out;
  }

  /** Something that happened. */
  public void info(String line) {
    out.println(Instant.now().truncatedTo(ChronoUnit.MILLIS) + " " + line);
  }

  /** Something that should not happen. */
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
