package org.rddp.daemon.configuration;

/** The number of threads that run the engines of a daemon. */
public enum EngineThreads {
  /** One thread runs the engines of all interfaces in turn. */
  SHARED,
  /** Each engine has its own thread. */
  PER_PORT
}
