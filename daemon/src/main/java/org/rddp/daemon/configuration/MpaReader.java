package org.rddp.daemon.configuration;

import java.util.concurrent.TimeUnit;
import org.rddp.mpa.MpaSettings;
import org.rddp.rdmap.RdmapSettings;

/** Reads the {@code [interface.mpa]} of an interface. */
final class MpaReader {
  private static final int DEEPEST = 16382;

  private MpaReader() {}

  /** How MPA starts up on the interface, and how deep the queues of RDMA Reads are. */
  static MpaSettings read(TomlSection section) {
    MpaSettings defaults = MpaSettings.DEFAULTS;
    MpaSettings read =
        defaults
            .withCrc(section.flag("crc", defaults.crc()))
            .withMarkers(section.flag("markers", defaults.markers()))
            .withStartupTimeoutNanos(
                section.span(
                    "startup-timeout",
                    TimeUnit.MILLISECONDS.toNanos(10),
                    TimeUnit.MINUTES.toNanos(10),
                    defaults.startupTimeoutNanos()))
            .withRevision((int) section.integer("revision", 1, 2, defaults.revision()))
            .withReads(depth(section, "ird"), depth(section, "ord"))
            .withSilentDrop(section.flag("silent-drop", defaults.silentDrop()))
            .withPacking(section.flag("packing", defaults.packing()));
    section.refuseUnknown();
    return read;
  }

  private static int depth(TomlSection section, String key) {
    return (int) section.integer(key, 1, DEEPEST, RdmapSettings.DEFAULT_READS);
  }
}
