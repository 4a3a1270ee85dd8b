package org.rddp.daemon.configuration;

import org.rddp.client.types.SessionSizes;

/** Reads the {@code [limits]} of a configuration file. */
final class LimitsReader {
  private static final long MIB = 1 << 20;

  private LimitsReader() {}

  static Limits read(TomlSection section) {
    Limits defaults = Limits.DEFAULTS;
    int userShare = (int) section.integer("user-share", 1, 100, defaults.userShare());
    int processShare =
        (int)
            section.integer("process-share", 1, 100, Math.min(userShare, defaults.processShare()));
    if (processShare > userShare) {
      section.refuse(
          "process-share",
          processShare + " is more than user-share",
          "a whole number from 1 to " + userShare);
    }
    long memory = section.octets("memory", MIB, 1L << 46, defaults.memory());
    int mappings = (int) section.integer("mappings", 1, 1 << 20, defaults.mappings());
    SessionSizes usual =
        new SessionSizes(
            (int) section.integer("send-queue", 1, 1 << 16, defaults.sendQueue()),
            (int) section.integer("receive-queue", 1, 1 << 16, defaults.receiveQueue()),
            section.powerOfTwo("requests", Limits.FEWEST_SLOTS, 1 << 16, defaults.requests()),
            section.powerOfTwo("completions", Limits.FEWEST_SLOTS, 1 << 18, defaults.completions()),
            (int) section.integer("session-regions", 1, 1 << 16, defaults.sessionRegions()),
            (int)
                section.integer(
                    "session-mappings",
                    1,
                    1 << 16,
                    Math.min(mappings, defaults.sessionMappings())));
    Limits limits =
        new Limits(
            (int) section.integer("sessions", 1, 4096, defaults.sessions()),
            memory,
            mappings,
            usual.regions(),
            section.octets(
                "session-memory", MIB, 1L << 46, Math.min(memory, defaults.sessionMemory())),
            usual.memories(),
            (int) section.integer("session-connections", 1, 1 << 16, defaults.sessionConnections()),
            (int) section.integer("session-listeners", 1, 1024, defaults.sessionListeners()),
            userShare,
            processShare,
            usual.sendQueue(),
            usual.receiveQueue(),
            usual.requests(),
            usual.completions(),
            largest(section, usual, mappings));
    if (limits.sessionMemory() > memory) {
      section.refuse(
          "session-memory",
          SizeText.format(limits.sessionMemory()) + " is more than memory, that of all programs",
          "at most " + SizeText.format(memory));
    }
    if (limits.sessionMappings() > mappings) {
      section.refuse(
          "session-mappings",
          limits.sessionMappings() + " is more than mappings, those of all programs",
          "a whole number from 1 to " + mappings);
    }
    section.refuseUnknownKeys();
    return limits;
  }

  /** The sizes that a program gets at most; by default not less than what others get. */
  private static SessionSizes largest(TomlSection section, SessionSizes usual, int mappings) {
    SessionSizes most = Limits.DEFAULTS.largest();
    int memories = Math.max(usual.memories(), Math.min(mappings, most.memories()));
    return new SessionSizes(
        largest(section, "largest-send-queue", usual.sendQueue(), 1 << 16, most.sendQueue()),
        largest(
            section, "largest-receive-queue", usual.receiveQueue(), 1 << 16, most.receiveQueue()),
        largestRing(section, "largest-requests", usual.requests(), 1 << 16, most.requests()),
        largestRing(
            section, "largest-completions", usual.completions(), 1 << 18, most.completions()),
        largest(section, "largest-regions", usual.regions(), 1 << 16, most.regions()),
        largest(section, "largest-memories", usual.memories(), 1 << 16, memories));
  }

  private static int largest(TomlSection section, String key, int least, int most, int fallback) {
    return (int) section.integer(key, least, most, Math.max(least, fallback));
  }

  private static int largestRing(
      TomlSection section, String key, int least, int most, int fallback) {
    return section.powerOfTwo(key, least, most, Math.max(least, fallback));
  }
}
