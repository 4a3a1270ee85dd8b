package org.rddp.daemon.configuration;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.rddp.ip.AddressPrefix;
import org.rddp.tcp.AccurateEcn;
import org.rddp.tcp.CongestionAlgorithm;
import org.rddp.tcp.NetworkCongestion;
import org.rddp.tcp.TcpSettings;

/** Reads the {@code [interface.tcp]} of an interface. */
final class TcpReader {
  private static final Map<String, CongestionAlgorithm> CONGESTION =
      new TreeMap<>(
          Map.of(
              "cubic", CongestionAlgorithm.CUBIC,
              "dctcp", CongestionAlgorithm.DCTCP,
              "new-reno", CongestionAlgorithm.NEW_RENO,
              "none", CongestionAlgorithm.NONE));

  private static final Map<String, AccurateEcn> ACCURATE_ECN =
      new TreeMap<>(
          Map.of("off", AccurateEcn.OFF, "accept", AccurateEcn.ACCEPT, "ask", AccurateEcn.ASK));

  /** The most networks, which are looked through for each new connection. */
  private static final int MOST_NETWORKS = 64;

  private static final long MILLISECOND = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long SHORTEST = TimeUnit.SECONDS.toNanos(1);
  private static final long LONGEST = TimeUnit.DAYS.toNanos(1);

  private TcpReader() {}

  /**
   * Reads the settings of TCP.
   *
   * @param connections largest number of connections
   */
  static TcpSettings read(TomlSection section, int connections) {
    TcpSettings defaults = TcpSettings.DEFAULTS;
    int most = 1 << 16;
    int peerConnections = Math.max(1, connections * 3 / 4);
    CongestionAlgorithm congestion =
        section.choice("congestion", CONGESTION, defaults.congestion());
    List<NetworkCongestion> networks = networks(section);
    boolean dctcp =
        congestion == CongestionAlgorithm.DCTCP
            || networks.stream().anyMatch(each -> each.congestion() == CongestionAlgorithm.DCTCP);
    boolean ecn = section.flag("ecn", defaults.ecn());
    if (dctcp && !ecn) {
      section.refuse(
          "ecn", "is false, and congestion control is dctcp", "true, or another 'congestion'");
    }
    AccurateEcn accurate = section.choice("accurate-ecn", ACCURATE_ECN, defaults.accurateEcn());
    if (accurate == AccurateEcn.ASK && !ecn) {
      section.refuse("ecn", "is false, and accurate-ecn is ask", "true, or another 'accurate-ecn'");
    }
    TcpSettings read =
        defaults
            .withConnections(connections)
            .withPeerConnections(
                section.integer("peer-connections", 1, connections, peerConnections))
            .withReceiveBuffer(
                (int) section.octets("receive-buffer", 16 << 10, 1 << 28, defaults.receiveBuffer()))
            .withCongestion(congestion)
            .withNetworks(networks)
            .withDscp(section.integer("dscp", 0, TcpSettings.LARGEST_DSCP, defaults.dscp()))
            .withAccurateEcn(accurate)
            .withEcn(ecn || dctcp)
            .withBacklog(section.integer("backlog", 1, most, defaults.backlog()))
            .withPeerBacklog(section.integer("peer-backlog", 1, most, defaults.peerBacklog()))
            .withSynCookies(section.flag("syn-cookies", defaults.synCookies()))
            .withUserTimeout(
                section.duration("user-timeout", SHORTEST, LONGEST, defaults.userTimeout()));
    read =
        read.withKeepAlive(orOff(section, "keep-alive", SHORTEST, defaults.keepAlive()))
            .withKeepAliveInterval(
                section.duration(
                    "keep-alive-interval", SHORTEST, LONGEST, defaults.keepAliveInterval()))
            .withKeepAliveProbes(
                section.integer("keep-alive-probes", 1, 100, defaults.keepAliveProbes()));
    long minimum =
        section.duration(
            "minimum-timeout", MILLISECOND, SHORTEST, defaults.minimumRetransmission());
    read =
        read.withMinimumRetransmission(minimum)
            .withMinimumProbe(Math.min(defaults.minimumProbe(), minimum / 2))
            .withPacedRoundTrip(
                orOff(section, "paced-round-trip", MILLISECOND / 20, defaults.pacedRoundTrip()))
            .withPeerAcknowledgmentDelay(
                section.duration(
                    "peer-acknowledgment-delay",
                    MILLISECOND / 100,
                    SHORTEST / 2,
                    defaults.peerAcknowledgmentDelay()));
    section.refuseUnknownKeys();
    return read;
  }

  /** Reads the networks with a congestion control of their own. */
  private static List<NetworkCongestion> networks(TomlSection section) {
    List<NetworkCongestion> networks = new ArrayList<>();
    List<TomlSection> tables = section.sections("network");
    for (TomlSection each : tables) {
      AddressPrefix remote = each.network("remote");
      CongestionAlgorithm congestion = each.required("congestion", CONGESTION);
      each.refuseUnknownKeys();
      if (remote != null && congestion != null) {
        networks.add(new NetworkCongestion(remote, congestion));
      }
    }
    if (tables.size() > MOST_NETWORKS) {
      String many = tables.size() + " are too many";
      section.refuse("network", many, "at most " + MOST_NETWORKS + " of them");
    }
    return networks;
  }

  /** Reads a time, or "off" for never. */
  private static long orOff(TomlSection section, String key, long least, long fallback) {
    String form =
        TimeSpan.FORM
            + ", from "
            + TimeSpan.format(least)
            + " to "
            + TimeSpan.format(LONGEST)
            + ", or \"off\"";
    return section.parsed(key, form, fallback, text -> orOff(text, least));
  }

  private static long orOff(String text, long least) {
    if (text.equals("off")) {
      return Long.MAX_VALUE;
    }
    long nanos = TimeSpan.parse(text);
    if (nanos < least || nanos > LONGEST) {
      throw new IllegalArgumentException(text);
    }
    return nanos;
  }
}
