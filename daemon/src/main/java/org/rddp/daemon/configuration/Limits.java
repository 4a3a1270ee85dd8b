package org.rddp.daemon.configuration;

import java.util.List;
import org.rddp.client.types.SessionLimits;
import org.rddp.client.types.SessionSizes;
import org.rddp.ipc.ring.WorkRequest;

/**
 * Limits for programs.
 *
 * @param sessions number of sessions at a time
 * @param memory octets of memory of all programs together
 * @param memories number of memories of all programs together, those of octet streams included; the
 *     kernel limits a process's mappings (vm.max_map_count)
 * @param sessionMemory octets of memory of one program
 * @param sessionConnections number of connections of one program, including those being established
 * @param sessionListeners number of ports at which one program listens
 * @param userShare percentage of the sessions, memory, memories, listeners, waiting programs,
 *     connections of an interface, and regions and windows of an engine that the programs of one
 *     user may have, 1 to 100
 * @param processShare percentage for one process, at most {@code userShare}
 * @param session default sizes of a session; none is 0
 * @param largest largest sizes that a program may ask for; none is 0 or less than the default
 * @param tenants who share what the interfaces send by weight and rate; empty: nobody does
 */
public record Limits(
    int sessions,
    long memory,
    int memories,
    long sessionMemory,
    int sessionConnections,
    int sessionListeners,
    int userShare,
    int processShare,
    SessionSizes session,
    SessionSizes largest,
    List<TenantConfiguration> tenants) {
  /** Most STags of an engine at a time. */
  private static final int MOST_STAGS = 1 << 16;

  /** A window holds two STags: the bound one and the next one. */
  private static final int STAGS_OF_WINDOW = 2;

  /** The fewest slots of a ring. */
  static final int FEWEST_SLOTS = 64;

  /** The limits if the file sets none. */
  public static final Limits DEFAULTS =
      new Limits(
          64,
          16L << 30,
          16384,
          8L << 30,
          1024,
          16,
          75,
          50,
          new SessionSizes(256, 256, 1024, 1024, 256, 256),
          new SessionSizes(4096, 4096, 4096, 8192, 4096, 4096),
          List.of());

  /** The sizes granted to a program that asks for sizes; none is 0. */
  public SessionSizes granted(SessionSizes asked) {
    return new SessionSizes(
        granted(asked.sendQueue(), session.sendQueue(), largest.sendQueue()),
        granted(asked.receiveQueue(), session.receiveQueue(), largest.receiveQueue()),
        slots(asked.requests(), session.requests(), largest.requests()),
        slots(asked.completions(), session.completions(), largest.completions()),
        granted(asked.regions(), session.regions(), largest.regions()),
        granted(asked.memories(), session.memories(), largest.memories()));
  }

  private static int granted(int asked, int configured, int most) {
    return asked == 0 ? configured : Math.min(asked, most);
  }

  /** Slots granted for a ring: a power of two with room for the longest request. */
  private static int slots(int asked, int configured, int most) {
    int slots = granted(asked, configured, most);
    int power = Integer.highestOneBit(Math.max(slots, FEWEST_SLOTS) - 1) << 1;
    return Math.min(power, most);
  }

  /** The limits sent to a program. */
  public SessionLimits ofSession(SessionSizes granted) {
    return new SessionLimits(
        granted.completions(),
        granted.sendQueue(),
        granted.receiveQueue(),
        WorkRequest.MAX_INLINE,
        sessionConnections,
        granted.regions(),
        granted.memories(),
        sessionMemory);
  }

  /** Size of each engine's table of STags. */
  public int stags() {
    return regions() * STAGS_OF_WINDOW;
  }

  /** Regions and windows, in any mix, for which a table of STags has room. */
  public int regions() {
    return (int) Math.min(MOST_STAGS / STAGS_OF_WINDOW, (long) sessions * largest.regions());
  }

  /** Copies the limits with queues and tenants of others, for which the engines were made. */
  public Limits withQueues(Limits engines) {
    return new Limits(
        sessions,
        memory,
        memories,
        sessionMemory,
        sessionConnections,
        sessionListeners,
        userShare,
        processShare,
        session.withQueues(engines.session.sendQueue(), engines.session.receiveQueue()),
        largest,
        engines.tenants);
  }

  /** A percentage of an amount, rounded up, so that a share is never empty. */
  public static long share(long whole, int percent) {
    return whole / 100 * percent + (whole % 100 * percent + 99) / 100;
  }
}
