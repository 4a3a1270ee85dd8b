package org.rddp.daemon.log;

import org.rddp.daemon.configuration.LogConfiguration;
import org.rddp.daemon.engine.ConnectionFailure;
import org.slf4j.event.Level;

/**
 * The daemon's events for its administrator: the log, and the distinct errors. For one thread at a
 * time unless a method says otherwise.
 */
public final class DaemonEvents implements AutoCloseable {
  private final DaemonLog log;
  private final ErrorLog errors = new ErrorLog();

  /** Creates events that go to a log. */
  public DaemonEvents(DaemonLog log) {
    this.log = log;
  }

  /** The distinct errors. */
  public ErrorLog errors() {
    return errors;
  }

  /** Changes the levels of the loggers. Any thread may call this. */
  public void setLevels(LogConfiguration configuration) {
    log.setLevels(configuration);
  }

  /** Logs an event of the daemon that is no error. */
  public void info(String message) {
    log.log(LogTopic.DAEMON, Level.INFO, LogFields.NONE, message);
  }

  /** Logs an event of the daemon that its administrator should look at. */
  public void warn(String message) {
    errors.record(LogTopic.DAEMON, ErrorLog.DAEMON, LogFields.NONE, message);
    log.log(LogTopic.DAEMON, Level.WARN, LogFields.NONE, message);
  }

  /** Counts an internal error, and logs it when it first happens. */
  public void fault(String where, Throwable cause) {
    StackTraceElement[] trace = cause.getStackTrace();
    String place = trace.length == 0 ? "" : " at " + trace[0];
    String message = "internal error in " + where + ": " + cause;
    if (errors.record(LogTopic.DAEMON, ErrorLog.DAEMON, LogFields.NONE, message + place)) {
      log.error(message, cause);
    }
  }

  /** Logs a failed connection. */
  public void connectionFailed(ConnectionFailure failure) {
    LogFields fields = LogFields.connection(failure);
    errors.record(LogTopic.CONNECTION, failure.owner().user(), fields, failure.text());
    log.log(LogTopic.CONNECTION, Level.WARN, fields, failure.text());
  }

  /** Logs an event of a session that is no error. */
  public void session(LogFields fields, String message) {
    log.log(LogTopic.SESSION, Level.INFO, fields, message);
  }

  /** Logs an event of a session that its user and the administrator should look at. */
  public void warn(LogFields fields, int user, String message) {
    errors.record(LogTopic.SESSION, user, fields, message);
    log.log(LogTopic.SESSION, Level.WARN, fields, message);
  }

  /**
   * Logs the end of a session.
   *
   * @param why null if its program has closed it
   * @param isError whether the reason is an error
   */
  public void sessionEnded(LogFields fields, int user, String why, boolean isError) {
    if (isError) {
      errors.record(LogTopic.SESSION, user, fields, why);
    }
    session(fields, why == null ? "the session ends" : "the session ends: " + why);
  }

  /** Logs a refused request of a program. */
  public void refused(LogFields fields, int user, String text) {
    errors.record(LogTopic.REQUEST, user, fields, text);
    log.log(LogTopic.REQUEST, Level.DEBUG, fields, text);
  }

  /** Counts events of a topic that were not passed to this object. */
  public void leftOut(LogTopic topic, long events) {
    log.leftOut(topic, events);
  }

  /** Logs the number of left-out lines. Call every {@link DaemonLog#PERIOD}. */
  public void countLeftOut() {
    log.countLeftOut();
  }

  /** Writes the waiting lines of the log. */
  @Override
  public void close() {
    log.close();
  }
}
