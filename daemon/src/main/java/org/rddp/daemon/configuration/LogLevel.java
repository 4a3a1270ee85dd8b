package org.rddp.daemon.configuration;

/** The least severe lines of a logger that are written. */
public enum LogLevel {
  /** None. */
  OFF,
  /** Internal errors. */
  ERROR,
  /** Also what an administrator should look at, for example connections that fail. */
  WARN,
  /** Also what happens, for example sessions that begin and end. */
  INFO,
  /** Also what is of use while one searches for an error, for example refused requests. */
  DEBUG
}
