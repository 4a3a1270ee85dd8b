package org.rddp.daemon.configuration;

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
    Limits limits =
        new Limits(
            (int) section.integer("sessions", 1, 4096, defaults.sessions()),
            memory,
            mappings,
            (int) section.integer("session-regions", 1, 1 << 16, defaults.sessionRegions()),
            section.octets(
                "session-memory", MIB, 1L << 46, Math.min(memory, defaults.sessionMemory())),
            (int)
                section.integer(
                    "session-mappings", 1, 1 << 16, Math.min(mappings, defaults.sessionMappings())),
            (int) section.integer("session-connections", 1, 1 << 16, defaults.sessionConnections()),
            (int) section.integer("session-listeners", 1, 1024, defaults.sessionListeners()),
            userShare,
            processShare,
            (int) section.integer("send-queue", 1, 1 << 16, defaults.sendQueue()),
            (int) section.integer("receive-queue", 1, 1 << 16, defaults.receiveQueue()),
            section.powerOfTwo("requests", 64, 1 << 16, defaults.requests()),
            section.powerOfTwo("completions", 64, 1 << 18, defaults.completions()));
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
}
