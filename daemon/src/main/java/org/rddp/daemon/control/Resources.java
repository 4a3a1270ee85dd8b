package org.rddp.daemon.control;

import org.rddp.daemon.configuration.Limits;
import org.rddp.daemon.engine.HeapShare;

/**
 * The resources that programs use: one object for the daemon, one for each user, one for each
 * process. A process's use counts for its user, and a user's for the daemon. Control thread only.
 *
 * @param programs number of connections to the control socket, those included that have ended and
 *     whose sockets are still being closed
 * @param sessions number of sessions
 * @param memory octets of shared memory
 * @param memories number of memories
 * @param listeners number of listening ports
 * @param regions number of regions and windows. Each engine has its own table of STags; a share of
 *     one table limits a user or process on all engines together; the daemon as a whole has no
 *     limit
 * @param heap octets of the heap for sessions, their queues and connections
 */
record Resources(
    Quota programs,
    Quota sessions,
    Quota memory,
    Quota memories,
    Quota listeners,
    Quota regions,
    HeapShare heap) {
  private static final int WHOLE = 100;

  /** All of the daemon's resources. */
  static Resources whole(Limits limits, HeapShare heap) {
    return new Resources(
        new Quota("programs of this daemon", programs(limits), null),
        new Quota("sessions of this daemon", limits.sessions(), null),
        new Quota("octets of memory of this daemon", limits.memory(), null),
        new Quota("memories of this daemon", limits.memories(), null),
        new Quota("listeners of this daemon", listeners(limits), null),
        new Quota("regions and windows of this daemon", regions(limits, WHOLE), null),
        heap);
  }

  /** A part of these resources: at most a percentage of the daemon's. */
  Resources share(String owner, Limits limits, int percent) {
    return new Resources(
        new Quota("programs of " + owner, Limits.share(programs(limits), percent), programs),
        new Quota("sessions of " + owner, Limits.share(limits.sessions(), percent), sessions),
        new Quota("octets of memory of " + owner, Limits.share(limits.memory(), percent), memory),
        new Quota("memories of " + owner, Limits.share(limits.memories(), percent), memories),
        new Quota("listeners of " + owner, Limits.share(listeners(limits), percent), listeners),
        new Quota("regions and windows of " + owner, regions(limits, percent), regions),
        heap.share(owner, Limits.share(heap.whole().limit(), percent)));
  }

  /** Changes the limits of all of the daemon's resources, or of a percentage of them. */
  void limit(Limits limits, int percent) {
    programs.limit(Limits.share(programs(limits), percent));
    sessions.limit(Limits.share(limits.sessions(), percent));
    memory.limit(Limits.share(limits.memory(), percent));
    memories.limit(Limits.share(limits.memories(), percent));
    listeners.limit(Limits.share(listeners(limits), percent));
    regions.limit(regions(limits, percent));
    heap.limit(Limits.share(heap.whole().limit(), percent));
  }

  /** With a share of 100 percent, only the tables are the limit. */
  private static long regions(Limits limits, int percent) {
    return percent == WHOLE ? Long.MAX_VALUE : Limits.share(limits.regions(), percent);
  }

  /** Programs that wait for a session, programs with one, and as many whose session has ended. */
  private static long programs(Limits limits) {
    return WaitingPrograms.MOST + 2L * limits.sessions();
  }

  private static long listeners(Limits limits) {
    return (long) limits.sessions() * limits.sessionListeners();
  }
}
