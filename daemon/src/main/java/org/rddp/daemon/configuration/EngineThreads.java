package org.rddp.daemon.configuration;

/** How many threads drive the ports of a daemon. */
public enum EngineThreads {
  /** One thread takes its turn on every port: fewer cores than ports. */
  SHARED,
  /** Each port has a thread of its own. */
  PER_PORT
}
