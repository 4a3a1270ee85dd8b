package org.rddp.client;

import java.time.Duration;
import org.rddp.client.types.SessionSizes;

/**
 * Options of a session.
 *
 * @param programName name of the program in the daemon's log
 * @param interfaceName name of the daemon's interface; empty: the first one
 * @param requestTimeout time in which the daemon must accept the connection and answer a request;
 *     after that the session is lost. Allocating memory adds one second for each 16 MiB
 * @param reconnect called when the daemon ends and another one takes over; null: the session ends
 *     with its daemon
 * @param sizes of queues, rings and tables that the program asks for
 */
public record RddpOptions(
    String programName,
    String interfaceName,
    Duration requestTimeout,
    Reconnect reconnect,
    SessionSizes sizes) {
  /** Longer than nobody serves programs while another daemon takes the place (docs/handover.md). */
  private static final Duration REQUEST_TIMEOUT = Duration.ofSeconds(20);

  /** Options of a session that ends with its daemon. */
  public RddpOptions(String programName, String interfaceName, Duration requestTimeout) {
    this(programName, interfaceName, requestTimeout, null, SessionSizes.CONFIGURED);
  }

  /** The daemon's first interface, the process id as name, a timeout of 20 seconds. */
  public static RddpOptions defaults() {
    return new RddpOptions("pid " + ProcessHandle.current().pid(), "", REQUEST_TIMEOUT);
  }

  /** Copies the options with another program name. */
  public RddpOptions withProgramName(String name) {
    return new RddpOptions(name, interfaceName, requestTimeout, reconnect, sizes);
  }

  /** Copies the options with another interface. */
  public RddpOptions withInterfaceName(String name) {
    return new RddpOptions(programName, name, requestTimeout, reconnect, sizes);
  }

  /** Copies the options with another timeout. */
  public RddpOptions withRequestTimeout(Duration timeout) {
    return new RddpOptions(programName, interfaceName, timeout, reconnect, sizes);
  }

  /** Copies the options for a session that outlives its daemon. */
  public RddpOptions withReconnect(Reconnect program) {
    return new RddpOptions(programName, interfaceName, requestTimeout, program, sizes);
  }

  /** Copies the options with other sizes. */
  public RddpOptions withSizes(SessionSizes asked) {
    return new RddpOptions(programName, interfaceName, requestTimeout, reconnect, asked);
  }
}
