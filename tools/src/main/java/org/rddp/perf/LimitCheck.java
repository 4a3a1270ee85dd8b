package org.rddp.perf;

import org.rddp.client.types.SessionLimits;

/** Compares settings with what the daemon allows a program. */
final class LimitCheck {
  /** Requests beside the operations: a grant and a flush. */
  private static final int OTHERS = 2;

  private static final String CONFIGURATION = " in [limits] of the daemon's configuration";

  private final SessionLimits limits;

  LimitCheck(SessionLimits limits) {
    this.limits = limits;
  }

  /**
   * Checks settings.
   *
   * @throws PerfException if a limit does not allow them
   */
  void check(PerfSettings settings) {
    int depth = settings.outstanding();
    int deepest = Math.min(limits.sendQueue(), limits.receiveQueue()) - OTHERS;
    require(
        depth <= deepest,
        depth
            + " operations outstanding on a connection are too many: send-queue and receive-queue"
            + CONFIGURATION
            + " allow "
            + deepest);
    require(
        settings.signalEvery(1) <= limits.sendQueue() - depth,
        "the send queue (send-queue"
            + CONFIGURATION
            + ") could be full of operations of which none is signalled: choose a smaller"
            + " --signal-every than "
            + settings.signalEvery(1));
    require(
        settings.connections() <= limits.connections(),
        settings.connections()
            + " connections are too many: session-connections"
            + CONFIGURATION
            + " allows "
            + limits.connections());
    long requests = (long) settings.connections() * (1 + settings.receives());
    require(
        requests < limits.completions(),
        requests
            + " receives of all connections are too many: completions"
            + CONFIGURATION
            + " is "
            + limits.completions());
    require(
        settings.inlineOctets() <= limits.inlineOctets(),
        "a request has no room for "
            + settings.inlineOctets()
            + " octets, only for "
            + limits.inlineOctets());
  }

  private static void require(boolean condition, String message) {
    if (!condition) {
      throw new PerfException(message);
    }
  }
}
