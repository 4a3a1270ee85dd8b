package org.rddp.daemon.configuration;

/** The least severe lines of a logger that are written. */
public enum LogLevel {
  /** None. */
  OFF,
  /** Internal errors. */
  ERROR,
  /** Also events that an administrator should look at, for example failed connections. */
  WARN,
  /** Also normal events, for example sessions that begin and end. */
  INFO,
  /** Also events that help to find an error, for example refused requests. */
  DEBUG
}
