package org.rddp.daemon.configuration;

import org.rddp.client.types.SessionSizes;

/** Reads the {@code [limits]} of a configuration file. */
final class LimitsReader {
  private static final long MIB = 1 << 20;

  private LimitsReader() {}

  static Limits read(TomlSection section) {
    Limits defaults = Limits.DEFAULTS;
    int userShare = section.integer("user-share", 1, 100, defaults.userShare());
    int processShare =
        section.integer("process-share", 1, 100, Math.min(userShare, defaults.processShare()));
    if (processShare > userShare) {
      section.refuse(
          "process-share",
          processShare + " is more than user-share",
          "a whole number from 1 to " + userShare);
    }
    long memory = section.octets("memory", MIB, 1L << 46, defaults.memory());
    int memories = section.integer("memories", 1, 1 << 20, defaults.memories());
    SessionSizes session = session(section, defaults.session(), memories);
    Limits limits =
        new Limits(
            section.integer("sessions", 1, 4096, defaults.sessions()),
            memory,
            memories,
            section.octets(
                "session-memory", MIB, 1L << 46, Math.min(memory, defaults.sessionMemory())),
            section.integer("session-connections", 1, 1 << 16, defaults.sessionConnections()),
            section.integer("session-listeners", 1, 1024, defaults.sessionListeners()),
            userShare,
            processShare,
            session,
            largest(section, session, defaults.largest(), memories),
            TenantsReader.read(section));
    if (limits.sessionMemory() > memory) {
      section.refuse(
          "session-memory",
          SizeText.format(limits.sessionMemory()) + " is more than memory, that of all programs",
          "at most " + SizeText.format(memory));
    }
    if (session.memories() > memories) {
      section.refuse(
          "session-memories",
          session.memories() + " is more than memories, those of all programs",
          "a whole number from 1 to " + memories);
    }
    section.refuseRenamed("mappings", "memories");
    section.refuseRenamed("session-mappings", "session-memories");
    section.refuseUnknownKeys();
    return limits;
  }

  /** Reads the default sizes of a session. */
  private static SessionSizes session(TomlSection section, SessionSizes defaults, int memories) {
    return new SessionSizes(
        section.integer("send-queue", 1, 1 << 16, defaults.sendQueue()),
        section.integer("receive-queue", 1, 1 << 16, defaults.receiveQueue()),
        section.powerOfTwo("requests", Limits.FEWEST_SLOTS, 1 << 16, defaults.requests()),
        section.powerOfTwo("completions", Limits.FEWEST_SLOTS, 1 << 18, defaults.completions()),
        section.integer("session-regions", 1, 1 << 16, defaults.regions()),
        section.integer("session-memories", 1, 1 << 16, Math.min(memories, defaults.memories())));
  }

  /** Reads the largest sizes of a session; by default not less than the default sizes. */
  private static SessionSizes largest(
      TomlSection section, SessionSizes least, SessionSizes defaults, int memories) {
    return new SessionSizes(
        largest(section, "largest-send-queue", least.sendQueue(), 1 << 16, defaults.sendQueue()),
        largest(
            section,
            "largest-receive-queue",
            least.receiveQueue(),
            1 << 16,
            defaults.receiveQueue()),
        largestRing(section, "largest-requests", least.requests(), 1 << 16, defaults.requests()),
        largestRing(
            section, "largest-completions", least.completions(), 1 << 18, defaults.completions()),
        largest(section, "largest-regions", least.regions(), 1 << 16, defaults.regions()),
        largest(
            section,
            "largest-memories",
            least.memories(),
            1 << 16,
            Math.min(memories, defaults.memories())));
  }

  private static int largest(TomlSection section, String key, int least, int most, int fallback) {
    return section.integer(key, least, most, Math.max(least, fallback));
  }

  private static int largestRing(
      TomlSection section, String key, int least, int most, int fallback) {
    return section.powerOfTwo(key, least, most, Math.max(least, fallback));
  }
}
