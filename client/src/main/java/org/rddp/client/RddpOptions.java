package org.rddp.client;

import java.time.Duration;

/**
 * How a session is opened.
 *
 * @param programName shown in the daemon's log and counters
 * @param interfaceName the daemon's interface to use; empty: its first
 * @param requestTimeout how long the daemon may take to answer a request; after that the session
 *     counts as lost
 */
public record RddpOptions(String programName, String interfaceName, Duration requestTimeout) {
  /** The daemon's first interface, the process's number as name, ten seconds. */
  public static RddpOptions defaults() {
    return new RddpOptions("pid " + ProcessHandle.current().pid(), "", Duration.ofSeconds(10));
  }

  /** The same with another name. */
  public RddpOptions withProgramName(String name) {
    return new RddpOptions(name, interfaceName, requestTimeout);
  }

  /** The same with another interface. */
  public RddpOptions withInterfaceName(String name) {
    return new RddpOptions(programName, name, requestTimeout);
  }

  /** The same with another timeout. */
  public RddpOptions withRequestTimeout(Duration timeout) {
    return new RddpOptions(programName, interfaceName, timeout);
  }
}
