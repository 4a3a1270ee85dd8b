package org.rddp.daemon.configuration;

import io.soabase.recordbuilder.core.RecordBuilder;
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
@RecordBuilder
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
    List<TenantConfiguration> tenants)
    implements LimitsBuilder.With {
  /** Most STags of an engine at a time. */
  private static final int MOST_STAGS = 1 << 16;

  /** A window holds two STags: the bound one and the next one. */
  private static final int STAGS_OF_WINDOW = 2;

  /** The fewest slots of a ring. */
  static final int FEWEST_SLOTS = 64;

  private static final long MIB = 1 << 20;

  /** Reads the {@code [limits]} of a configuration file. */
  static Limits read(TomlSection table) {
    TomlSection live = table.live();
    int userShare = live.integer("user-share", 1, 100, 75);
    int processShare = live.integer("process-share", 1, 100, Math.min(userShare, 50));
    if (processShare > userShare) {
      live.refuse(
          "process-share",
          processShare + " is more than user-share",
          "a whole number from 1 to " + userShare);
    }
    long memory = live.octets("memory", MIB, 1L << 46, 16L << 30);
    int memories = live.integer("memories", 1, 1 << 20, 16384);
    SessionSizes session =
        new SessionSizes(
            table.integer("send-queue", 1, 1 << 16, 256),
            table.integer("receive-queue", 1, 1 << 16, 256),
            live.powerOfTwo("requests", FEWEST_SLOTS, 1 << 16, 1024),
            live.powerOfTwo("completions", FEWEST_SLOTS, 1 << 18, 1024),
            live.integer("session-regions", 1, 1 << 16, 256),
            live.integer("session-memories", 1, 1 << 16, Math.min(memories, 256)));
    Limits limits =
        new Limits(
            live.integer("sessions", 1, 4096, 64),
            memory,
            memories,
            live.octets("session-memory", MIB, 1L << 46, Math.min(memory, 8L << 30)),
            live.integer("session-connections", 1, 1 << 16, 1024),
            live.integer("session-listeners", 1, 1024, 16),
            userShare,
            processShare,
            session,
            largest(live, session, memories),
            TenantsReader.read(table));
    if (limits.sessionMemory > memory) {
      live.refuse(
          "session-memory",
          SizeText.format(limits.sessionMemory) + " is more than memory, that of all programs",
          "at most " + SizeText.format(memory));
    }
    if (session.memories() > memories) {
      live.refuse(
          "session-memories",
          session.memories() + " is more than memories, those of all programs",
          "a whole number from 1 to " + memories);
    }
    live.refuseRenamed("mappings", "memories");
    live.refuseRenamed("session-mappings", "session-memories");
    live.refuseUnknownKeys();
    return limits;
  }

  /** Reads the largest sizes of a session, not less than the default sizes. */
  private static SessionSizes largest(TomlSection live, SessionSizes least, int memories) {
    return new SessionSizes(
        atLeast(live, "largest-send-queue", least.sendQueue(), 4096),
        atLeast(live, "largest-receive-queue", least.receiveQueue(), 4096),
        live.powerOfTwo(
            "largest-requests", least.requests(), 1 << 16, Math.max(least.requests(), 4096)),
        live.powerOfTwo(
            "largest-completions",
            least.completions(),
            1 << 18,
            Math.max(least.completions(), 8192)),
        atLeast(live, "largest-regions", least.regions(), 4096),
        atLeast(live, "largest-memories", least.memories(), Math.min(memories, 4096)));
  }

  private static int atLeast(TomlSection section, String key, int least, int usual) {
    return section.integer(key, least, 1 << 16, Math.max(least, usual));
  }

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

  /** Copies the limits of others, but the queues and tenants for which the engines were made. */
  public Limits applied(Limits other) {
    return other
        .with()
        .session(other.session.withQueues(session.sendQueue(), session.receiveQueue()))
        .tenants(tenants)
        .build();
  }

  /** A percentage of an amount, rounded up, so that a share is never empty. */
  public static long share(long whole, int percent) {
    return whole / 100 * percent + (whole % 100 * percent + 99) / 100;
  }
}
