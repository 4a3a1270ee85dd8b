package org.rddp.cli;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Shows objects of the daemon as a table for people: one line each, under a line of titles. */
final class TextTable {
  /**
   * A column.
   *
   * @param number whether it is aligned to the right
   */
  private record Column(String title, boolean number, Function<JsonObject, String> text) {}

  static final TextTable INTERFACES =
      new TextTable()
          .text("INTERFACE", json -> text(json, "interface"))
          .text("ADDRESSES", TextTable::addresses)
          .text("IPV4 GATEWAY", json -> text(json, "ipv4_gateway"))
          .number("MTU", json -> text(json, "mtu"))
          .text("MAC", json -> text(json, "mac"));

  static final TextTable SESSIONS =
      new TextTable()
          .number("SESSION", json -> text(json, "session"))
          .text("PROGRAM", json -> text(json, "program"))
          .number("PID", json -> text(json, "pid"))
          .number("USER", json -> text(json, "uid"))
          .text("INTERFACE", json -> text(json, "engine"))
          .text("STATE", json -> text(json, "state"))
          .number("AGE", json -> Quantities.seconds(json, "age_seconds"))
          .number("CONNECTIONS", json -> text(json, "connections"))
          .number("LISTENERS", json -> text(json, "listeners"))
          .number("REGIONS", json -> text(json, "regions"))
          .number("MEMORY", json -> Quantities.octets(json, "memory_octets"))
          .number("IN FLIGHT", json -> text(json, "in_flight_requests"))
          .text("LAST ERROR", json -> text(json, "last_error"));

  /** Fits 120 columns with any IPv4 addresses, and programs' names of 15 characters. */
  static final TextTable CONNECTIONS =
      new TextTable()
          .text("CONNECTION", TextTable::connectionNumber)
          .text("PROGRAM", json -> text(json, "program"))
          .text("LOCAL", json -> end(json, "local"))
          .text("PEER", json -> end(json, "remote"))
          .text("STATE", json -> text(json, "state"))
          .number("RTT", json -> Quantities.nanos(json, "rtt_ns"))
          .number("SENT", json -> Quantities.octets(json, "sent_octets"))
          .number("RECEIVED", json -> Quantities.octets(json, "received_octets"));

  static final TextTable WIDE_CONNECTIONS =
      new TextTable()
          .number("SESSION", json -> text(json, "session"))
          .text("CONNECTION", TextTable::connectionNumber)
          .text("PROGRAM", json -> text(json, "program"))
          .number("PID", json -> text(json, "pid"))
          .text("INTERFACE", json -> text(json, "engine"))
          .text("LOCAL", json -> end(json, "local"))
          .text("PEER", json -> end(json, "remote"))
          .text("STATE", json -> text(json, "state"))
          .number("AGE", json -> Quantities.seconds(json, "age_seconds"))
          .number("RTT", json -> Quantities.nanos(json, "rtt_ns"))
          .number("CWND", json -> Quantities.octets(json, "congestion_window_octets"))
          .number("WINDOW", json -> Quantities.octets(json, "send_window_octets"))
          .number("OWN WINDOW", json -> Quantities.octets(json, "receive_window_octets"))
          .number("IN FLIGHT", json -> Quantities.octets(json, "in_flight_octets"))
          .number("MESSAGES", json -> text(json, "in_flight_messages"))
          .number("SENT", json -> Quantities.octets(json, "sent_octets"))
          .number("RECEIVED", json -> Quantities.octets(json, "received_octets"))
          .number("AGAIN", json -> text(json, "retransmitted_segments"))
          .number("IRD/ORD", TextTable::depths)
          .text("CRC", json -> yes(json, "crc"))
          .text("MARKERS", TextTable::markers)
          .text("LAST ERROR", json -> text(json, "last_error"));

  /** With rates, see {@link TopFrame}. */
  static final TextTable TOP =
      new TextTable()
          .number("SESSION", json -> text(json, "session"))
          .text("PROGRAM", json -> text(json, "program"))
          .number("PID", json -> text(json, "pid"))
          .text("INTERFACE", json -> text(json, "engine"))
          .text("LOCAL", json -> end(json, "local"))
          .text("PEER", json -> end(json, "remote"))
          .text("STATE", json -> text(json, "state"))
          .number("SENT", json -> text(json, "sent_rate"))
          .text("", json -> text(json, "sent_line"))
          .number("RECEIVED", json -> text(json, "received_rate"))
          .text("", json -> text(json, "received_line"))
          .number("MESSAGES", json -> text(json, "message_rate"))
          .number("AGAIN", json -> text(json, "again_rate"))
          .number("RTT", json -> Quantities.nanos(json, "rtt_ns"))
          .number("CWND", json -> Quantities.octets(json, "congestion_window_octets"))
          .number("IN FLIGHT", json -> Quantities.octets(json, "in_flight_octets"));

  static final TextTable LISTENERS =
      new TextTable()
          .number("SESSION", json -> text(json, "session"))
          .text("PROGRAM", json -> text(json, "program"))
          .number("PID", json -> text(json, "pid"))
          .text("INTERFACE", json -> text(json, "engine"))
          .text("ADDRESS", json -> withPort(text(json, "address"), text(json, "port")))
          .number("AGE", json -> Quantities.seconds(json, "age_seconds"))
          .number("BACKLOG", json -> text(json, "backlog"))
          .number("WAITING", json -> text(json, "waiting"))
          .number("STARTING", json -> text(json, "starting"))
          .number("REQUESTED", json -> text(json, "requested"))
          .number("REFUSED", json -> text(json, "refused"));

  static final TextTable ASSOCIATIONS =
      new TextTable()
          .text("INTERFACE", json -> text(json, "interface"))
          .text("WAY", json -> text(json, "direction"))
          .text("SPI", json -> text(json, "spi"))
          .text("SOURCE", json -> text(json, "source"))
          .text("DESTINATION", json -> text(json, "destination"))
          .text("MODE", json -> text(json, "mode"))
          .text("ALGORITHMS", json -> text(json, "algorithms"))
          .text("FOR", json -> text(json, "selector"))
          .text("STATE", json -> text(json, "state"))
          .number("AGE", json -> Quantities.seconds(json, "age_seconds"))
          .number("PACKETS", json -> text(json, "packets"))
          .number("OCTETS", json -> Quantities.octets(json, "octets"))
          .number("SEQUENCE", json -> text(json, "sequence"));

  static final TextTable TENANTS =
      new TextTable()
          .text("TENANT", json -> text(json, "tenant"))
          .text("INTERFACE", json -> text(json, "engine"))
          .number("WEIGHT", json -> text(json, "weight"))
          .number("RATE", json -> Quantities.bitRate(json, "rate_bits_per_second"))
          .number("CONNECTIONS", json -> text(json, "connections"))
          .number("SENT", json -> Quantities.octets(json, "sent_octets"))
          .number("HELD", json -> Quantities.seconds(json, "held_seconds"))
          .number("LENT", json -> Quantities.octets(json, "lent_octets"));

  /** With rates, see {@link TenantRates}. */
  static final TextTable TOP_TENANTS =
      new TextTable()
          .text("TENANT", json -> text(json, "tenant"))
          .text("INTERFACE", json -> text(json, "engine"))
          .number("WEIGHT", json -> text(json, "weight"))
          .number("RATE", json -> Quantities.bitRate(json, "rate_bits_per_second"))
          .number("CONNECTIONS", json -> text(json, "connections"))
          .number("SENT", json -> text(json, "sent_rate"))
          .text("", json -> text(json, "sent_line"))
          .number("SHARE", json -> text(json, "share"))
          .number("HELD", json -> text(json, "held"))
          .number("LENT", json -> text(json, "lent_rate"));

  static final TextTable ERRORS =
      new TextTable()
          .number("COUNT", json -> text(json, "count"))
          .text("FIRST", json -> text(json, "first"))
          .text("LAST", json -> text(json, "last"))
          .text("TOPIC", json -> text(json, "topic"))
          .text("INTERFACE", json -> text(json, "interface"))
          .text("LOCAL", json -> text(json, "local"))
          .text("PEER", json -> text(json, "peer"))
          .number("SESSION", json -> text(json, "session"))
          .text("PROGRAM", json -> text(json, "program"))
          .number("PID", json -> text(json, "pid"))
          .text("EXAMPLE", json -> text(json, "example"));

  private final List<Column> columns = new ArrayList<>();

  TextTable text(String title, Function<JsonObject, String> text) {
    columns.add(new Column(title, false, text));
    return this;
  }

  TextTable number(String title, Function<JsonObject, String> text) {
    columns.add(new Column(title, true, text));
    return this;
  }

  /** The titles, and a line for each object. */
  List<String> lines(List<JsonObject> objects) {
    List<String[]> rows = new ArrayList<>();
    rows.add(columns.stream().map(Column::title).toArray(String[]::new));
    for (JsonObject object : objects) {
      rows.add(columns.stream().map(column -> column.text.apply(object)).toArray(String[]::new));
    }
    int[] widths = new int[columns.size()];
    rows.forEach(row -> Arrays.setAll(widths, i -> Math.max(widths[i], row[i].length())));
    return rows.stream().map(row -> line(row, widths)).toList();
  }

  private String line(String[] row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < row.length; i++) {
      String padding = " ".repeat(widths[i] - row[i].length());
      line.append(i == 0 ? "" : "  ");
      line.append(columns.get(i).number ? padding + row[i] : row[i] + padding);
    }
    return line.toString().stripTrailing();
  }

  /** The value of a key; a dash if there is none. */
  static String text(JsonObject json, String key) {
    JsonElement value = json.get(key);
    return value == null ? "-" : value.getAsString();
  }

  private static String addresses(JsonObject json) {
    return json.getAsJsonArray("addresses").asList().stream()
        .map(JsonElement::getAsString)
        .collect(Collectors.joining(" "));
  }

  /** An end of a connection. */
  static String end(JsonObject json, String end) {
    return withPort(text(json, end + "_address"), text(json, end + "_port"));
  }

  private static String withPort(String address, String port) {
    return (address.indexOf(':') < 0 ? address : "[" + address + "]") + ":" + port;
  }

  /** As {@code rddp capture} and {@code rddp trace} take it. */
  private static String connectionNumber(JsonObject connection) {
    return "%08x".formatted(connection.get("connection").getAsLong());
  }

  private static String depths(JsonObject json) {
    return json.has("ird") ? text(json, "ird") + "/" + text(json, "ord") : "-";
  }

  private static String yes(JsonObject json, String key) {
    return !json.has(key) ? "-" : json.get(key).getAsBoolean() ? "yes" : "no";
  }

  private static String markers(JsonObject json) {
    if (!json.has("markers_sent")) {
      return "-";
    }
    boolean sent = json.get("markers_sent").getAsBoolean();
    boolean received = json.get("markers_received").getAsBoolean();
    return sent && received ? "both" : sent ? "sent" : received ? "received" : "no";
  }
}
