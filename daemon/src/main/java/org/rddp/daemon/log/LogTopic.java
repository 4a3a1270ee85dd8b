package org.rddp.daemon.log;

import java.util.Locale;

/** The topics of log lines and errors, each with a logger of its name. */
public enum LogTopic {
  /** The daemon itself. */
  DAEMON,
  /** Sessions begin and end. */
  SESSION,
  /** Connections fail. */
  CONNECTION,
  /** Requests of programs are refused. */
  REQUEST;

  /** The name of its logger. */
  public String logger() {
    return name().toLowerCase(Locale.ROOT);
  }
}
