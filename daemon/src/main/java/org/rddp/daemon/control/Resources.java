package org.rddp.daemon.control;

import org.rddp.daemon.configuration.Limits;

/**
 * What programs take of the daemon: one object for the daemon, one for each user, one for each
 * process. What a process takes counts for its user, and what a user takes for the daemon. Control
 * thread only.
 *
 * @param whose for messages, such as "user 1000"
 * @param programs number of connections to the control socket, those included that have ended and
 *     whose sockets are still being closed
 * @param sessions number of sessions
 * @param memory octets of shared memory
 * @param mappings number of memories
 * @param listeners number of listening ports
 */
record Resources(
    String whose, Quota programs, Quota sessions, Quota memory, Quota mappings, Quota listeners) {
  /** All of the daemon's resources. */
  static Resources whole(Limits limits) {
    return new Resources(
        "this daemon",
        new Quota("programs of this daemon", programs(limits), null),
        new Quota("sessions of this daemon", limits.sessions(), null),
        new Quota("octets of memory of this daemon", limits.memory(), null),
        new Quota("memories of this daemon", limits.mappings(), null),
        new Quota("listeners of this daemon", listeners(limits), null));
  }

  /** A part of these resources: at most a percentage of the daemon's. */
  Resources share(String owner, Limits limits, int percent) {
    return new Resources(
        owner,
        new Quota("programs of " + owner, Limits.share(programs(limits), percent), programs),
        new Quota("sessions of " + owner, Limits.share(limits.sessions(), percent), sessions),
        new Quota("octets of memory of " + owner, Limits.share(limits.memory(), percent), memory),
        new Quota("memories of " + owner, Limits.share(limits.mappings(), percent), mappings),
        new Quota("listeners of " + owner, Limits.share(listeners(limits), percent), listeners));
  }

  /** Changes the limits of all of the daemon's resources, or of a percentage of them. */
  void limit(Limits limits, int percent) {
    programs.limit(Limits.share(programs(limits), percent));
    sessions.limit(Limits.share(limits.sessions(), percent));
    memory.limit(Limits.share(limits.memory(), percent));
    mappings.limit(Limits.share(limits.mappings(), percent));
    listeners.limit(Limits.share(listeners(limits), percent));
  }

  /** Those that wait for a session, those that have one, and as many whose session has ended. */
  private static long programs(Limits limits) {
    return WaitingPrograms.MOST + 2L * limits.sessions();
  }

  private static long listeners(Limits limits) {
    return (long) limits.sessions() * limits.sessionListeners();
  }
}
