package org.rddp.daemon.control;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.rddp.daemon.engine.ConnectionStatus;
import org.rddp.daemon.engine.EngineTenants;
import org.rddp.daemon.engine.ListenerStatus;
import org.rddp.daemon.engine.SessionStatus;
import org.rddp.daemon.log.DistinctError;
import org.rddp.daemon.log.LogText;
import org.rddp.ddp.sending.SendTenant;
import org.rddp.ip.Association;
import org.rddp.ip.AssociationSettings;
import org.rddp.ipc.linux.PeerCredentials;
import org.rddp.mpa.Negotiated;
import org.rddp.tcp.TcpStatus;

/**
 * Objects of the daemon as JSON, one line each; keys of numbers end with their unit. Texts from
 * programs and peers are escaped, so that a terminal can show them. Control thread only.
 */
final class ObjectJson {
  /** Characters kept of an error: a line must fit a control message. */
  private static final int MOST_ERROR = 200;

  private static final int MOST_PATTERN = 100;
  private static final int MOST_NAME = 100;
  private static final double NANOS = 1e9;

  private ObjectJson() {}

  /** A session; its status is null before its program has sent Hello. */
  static String session(ProgramSession listed, SessionStatus status) {
    PeerCredentials peer = listed.socket().peer();
    JsonObject json = owner(listed);
    json.addProperty("gid", peer.gid());
    json.addProperty("state", listed.hasBegun() ? "open" : "starting");
    json.addProperty("age_seconds", seconds(System.nanoTime() - listed.connectedAt()));
    ProgramSockets sockets = listed.sockets();
    json.addProperty(
        "memory_octets",
        sockets == null ? listed.requests().memoryOctets() : sockets.memoryOctets());
    json.addProperty("regions", listed.requests().regions().used());
    if (sockets != null) {
      json.addProperty("connections", sockets.streams());
      json.addProperty("listeners", sockets.listeners().all().size());
    }
    if (status != null) {
      json.addProperty("connections", status.connections());
      json.addProperty("listeners", status.listeners());
      json.addProperty("in_flight_requests", status.requests());
      json.addProperty("last_error", error(status.lastError()));
    }
    return json.toString();
  }

  /** A connection of a session. */
  static String connection(ProgramSession listed, ConnectionStatus status) {
    JsonObject json = owner(listed);
    json.addProperty("connection", Integer.toUnsignedLong(status.number()));
    json.addProperty("local_address", status.ends().localAddress().toString());
    json.addProperty("local_port", status.ends().localPort());
    json.addProperty("remote_address", status.ends().remoteAddress().toString());
    json.addProperty("remote_port", status.ends().remotePort());
    json.addProperty("initiator", status.initiator());
    json.addProperty("protocol", status.plainDdp() ? "ddp" : "rdmap");
    json.addProperty("state", status.state());
    json.addProperty("age_seconds", seconds(status.age()));
    addTcp(json, status.tcp());
    json.addProperty("sent_messages", status.sends());
    json.addProperty("in_flight_messages", status.sendsInFlight());
    json.addProperty("received_messages", status.receives());
    json.addProperty("posted_receives", status.receivesPosted());
    json.addProperty("held_octets", status.heldOctets());
    addStartup(json, status.startup());
    json.addProperty("last_error", error(status.error()));
    return json.toString();
  }

  private static void addTcp(JsonObject json, TcpStatus tcp) {
    json.addProperty("tcp_state", tcp.state().name().toLowerCase(Locale.ROOT).replace('_', '-'));
    json.addProperty("rtt_ns", tcp.roundTrip());
    json.addProperty("rtt_variation_ns", tcp.roundTripVariation());
    json.addProperty("retransmission_timeout_ns", tcp.retransmissionTimeout());
    json.addProperty("congestion_window_octets", tcp.congestionWindow());
    json.addProperty("slow_start_threshold_octets", tcp.slowStartThreshold());
    json.addProperty("send_window_octets", tcp.sendWindow());
    json.addProperty("receive_window_octets", tcp.receiveWindow());
    json.addProperty("segment_octets", tcp.emss());
    json.addProperty("sent_octets", tcp.sent());
    json.addProperty("received_octets", tcp.received());
    json.addProperty("in_flight_octets", tcp.inFlight());
    json.addProperty("unsent_octets", tcp.unsent());
    json.addProperty("retransmitted_segments", tcp.retransmitted());
  }

  private static void addStartup(JsonObject json, Negotiated startup) {
    if (startup != null) {
      json.addProperty("mpa_revision", startup.revision());
      json.addProperty("crc", startup.crc());
      json.addProperty("markers_sent", startup.sendMarkers());
      json.addProperty("markers_received", startup.receiveMarkers());
      json.addProperty("ird", startup.depths().ird());
      json.addProperty("ord", startup.depths().ord());
    }
  }

  /** An octet stream of a session. */
  static String stream(ProgramSession listed, InterfaceEngine on, ConnectionStatus status) {
    JsonObject json = JsonParser.parseString(connection(listed, status)).getAsJsonObject();
    json.addProperty("interface", on.name());
    json.addProperty("engine", on.engine().name());
    json.addProperty("protocol", "octets");
    return json.toString();
  }

  /** A listener of a session. */
  static String listener(ProgramSession listed, ListenerStatus status) {
    JsonObject json = owner(listed);
    json.addProperty("listener", status.number());
    json.addProperty("address", status.address().toString());
    json.addProperty("port", status.port());
    json.addProperty("age_seconds", seconds(status.age()));
    json.addProperty("backlog", status.backlog());
    json.addProperty("waiting", status.waiting());
    json.addProperty("starting", status.starting());
    json.addProperty("requested", status.requested());
    json.addProperty("refused", status.refused());
    return json.toString();
  }

  /** A distinct error. */
  static String error(DistinctError entry) {
    JsonObject json = new JsonObject();
    json.addProperty("topic", entry.topic().logger());
    json.addProperty("count", entry.count());
    json.addProperty("first", entry.first().truncatedTo(ChronoUnit.MILLIS).toString());
    json.addProperty("last", entry.last().truncatedTo(ChronoUnit.MILLIS).toString());
    json.addProperty("error", LogText.escaped(entry.pattern(), MOST_PATTERN));
    json.addProperty("example", error(entry.example()));
    entry
        .fields()
        .values()
        .forEach((key, value) -> {
          if (value instanceof Number number) {
            json.addProperty(key, number);
          } else {
            json.addProperty(key, LogText.escaped(value.toString(), MOST_NAME));
          }
        });
    return json.toString();
  }

  /** A security association, without its keys. */
  static String association(String interfaceName, Association listed, long now) {
    AssociationSettings settings = listed.settings();
    JsonObject json = new JsonObject();
    json.addProperty("interface", interfaceName);
    json.addProperty("direction", listed.outbound() ? "out" : "in");
    json.addProperty("spi", "0x%08x".formatted(settings.spi()));
    json.addProperty("source", settings.source().toString());
    json.addProperty("destination", settings.destination().toString());
    json.addProperty("mode", settings.tunnel() ? "tunnel" : "transport");
    json.addProperty("algorithms", settings.suite().toString());
    json.addProperty("esn", settings.esn());
    json.addProperty("selector", settings.selector().toString());
    json.addProperty(
        "state", listed.isOver(now) ? "over" : listed.isSoftOver(now) ? "replace" : "live");
    json.addProperty("age_seconds", seconds(listed.age(now)));
    json.addProperty("sequence", Long.toUnsignedString(listed.sequence()));
    json.addProperty("packets", listed.packets());
    json.addProperty("octets", listed.octets());
    return json.toString();
  }

  /** A tenant on an engine, with its counters since that began. */
  static String tenant(InterfaceEngine on, EngineTenants.Entry listed) {
    SendTenant tenant = listed.tenant();
    JsonArray users = new JsonArray();
    listed.share().users().forEach(users::add);
    JsonObject json = new JsonObject();
    json.addProperty("tenant", listed.share().name());
    json.addProperty("interface", on.name());
    json.addProperty("engine", on.engine().name());
    json.add("users", users);
    json.addProperty("weight", tenant.weight());
    json.addProperty("rate_bits_per_second", listed.share().configured().rate());
    json.addProperty("burst_octets", listed.share().configured().burst());
    json.addProperty("connections", tenant.streams());
    json.addProperty("sent_octets", tenant.sentOctets());
    json.addProperty("held_seconds", seconds(tenant.heldNanos()));
    json.addProperty("lent_octets", tenant.lentOctets());
    return json.toString();
  }

  private static JsonObject owner(ProgramSession listed) {
    PeerCredentials peer = listed.process();
    InterfaceEngine chosen = listed.daemonInterface();
    JsonObject json = new JsonObject();
    json.addProperty("session", listed.number());
    json.addProperty("program", LogText.escaped(listed.program(), MOST_NAME));
    json.addProperty("pid", peer.pid());
    json.addProperty("uid", peer.uid());
    json.addProperty("interface", chosen == null ? "" : chosen.name());
    json.addProperty("engine", chosen == null ? "" : chosen.engine().name());
    return json;
  }

  private static String error(String text) {
    return LogText.escaped(text, MOST_ERROR);
  }

  /** Seconds with three decimals. */
  private static double seconds(long nanos) {
    return Math.round(nanos / NANOS * 1000) / 1000.0;
  }
}
