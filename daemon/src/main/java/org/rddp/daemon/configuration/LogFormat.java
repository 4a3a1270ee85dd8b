package org.rddp.daemon.configuration;

/** The form of the log's lines. */
public enum LogFormat {
  /** For people. */
  TEXT,
  /** One JSON object in each line. */
  JSON,
  /** With priorities for systemd's journal, which adds the time. */
  JOURNALD
}
