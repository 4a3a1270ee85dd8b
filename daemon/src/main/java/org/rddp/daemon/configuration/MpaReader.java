package org.rddp.daemon.configuration;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.Rtr;
import org.rddp.rdmap.RdmapSettings;

/** Reads the {@code [interface.mpa]} of an interface. */
final class MpaReader {
  /** The first message of MPA's startup. */
  private enum Form {
    REQUEST,
    START_KEY,
    START_KEY_WITH_PRIVATE_DATA
  }

  private static final Map<String, Form> FORMS =
      new TreeMap<>(
          Map.of(
              "request", Form.REQUEST,
              "start-key", Form.START_KEY,
              "start-key-with-private-data", Form.START_KEY_WITH_PRIVATE_DATA));

  private static final String KINDS_FORM = "a list of \"read\", \"send\", \"write\"";

  private static final Map<String, Rtr> KINDS =
      new TreeMap<>(Map.of("write", Rtr.WRITE, "read", Rtr.READ, "send", Rtr.SEND));

  private MpaReader() {}

  /** Reads the settings of MPA, including IRD and ORD. */
  static MpaSettings read(TomlSection section) {
    MpaSettings defaults = MpaSettings.DEFAULTS.withPacking(true);
    MpaSettings read =
        defaults
            // MPA-1.2-02, MPA-4.4-06; MPA-4.4-03: "on the explicit request of the system
            // administrator"
            .withCrc(section.flag("crc", defaults.crc()))
            .withCrcInEsp(section.flag("crc-in-esp", defaults.crcInEsp())) // MPA-4.4-03, MPA-4.4-06
            .withMarkers(section.flag("markers", defaults.markers()))
            .withStartupTimeoutNanos(
                section.duration(
                    "startup-timeout",
                    TimeUnit.MILLISECONDS.toNanos(10),
                    TimeUnit.MINUTES.toNanos(10),
                    defaults.startupTimeoutNanos()))
            .withRevision(section.integer("revision", 1, 2, defaults.revision()))
            .withReads(depth(section, "ird"), depth(section, "ord"))
            .withUnnegotiatedOrd(section.integer("unnegotiated-ord", 0, MpaSettings.DEEPEST, 1))
            .withSilentDrop(section.flag("silent-drop", defaults.silentDrop()))
            .withPacking(section.flag("packing", defaults.packing()));
    Form form = section.choice("startup", FORMS, Form.REQUEST);
    read =
        read.withStartKey(form != Form.REQUEST)
            .withStreamedPrivateData(form == Form.START_KEY_WITH_PRIVATE_DATA)
            .withRevision1Retry(section.flag("revision-1-retry", defaults.revision1Retry()))
            .withPermissive(section.flag("permissive", defaults.permissive()))
            .withPeerToPeer(section.flag("peer-to-peer", defaults.peerToPeer()))
            .withRtr(rtr(section))
            .withStartups(section.integer("startups", 1, 1 << 16, defaults.startups()));
    if (read.peerToPeer() && (read.revision() < 2 || read.startKey())) {
      section.refuse(
          "peer-to-peer",
          read.startKey() ? "does not go with a Start Key" : "needs revision 2 (RFC 6581)",
          "true with revision = 2 and startup = \"request\"");
    }
    section.refuseUnknownKeys();
    return read;
  }

  private static Set<Rtr> rtr(TomlSection section) {
    Set<Rtr> kinds = EnumSet.noneOf(Rtr.class);
    if (section.isEmptyList("rtr")) {
      section.refuse("rtr", "is empty", KINDS_FORM);
    }
    for (String word : section.strings("rtr", List.of("write", "read", "send"))) {
      Rtr kind = KINDS.get(word.toLowerCase(Locale.ROOT));
      if (kind == null) {
        section.refuse("rtr", "\"" + word + "\" cannot be used", KINDS_FORM);
      } else {
        kinds.add(kind);
      }
    }
    return kinds.isEmpty() ? MpaSettings.DEFAULTS.rtr() : kinds;
  }

  private static int depth(TomlSection section, String key) {
    // RDMAP-8.1.1-11
    return section.integer(key, 1, MpaSettings.DEEPEST, RdmapSettings.DEFAULT_READS);
  }
}
