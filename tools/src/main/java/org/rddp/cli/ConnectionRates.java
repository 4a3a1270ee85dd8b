package org.rddp.cli;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The rates of connections, from samples of their counts. */
final class ConnectionRates {
  private static final double NANOS = 1e9;

  /** Identifies a connection: another session may use its number, too. */
  private record Key(long session, long connection) {}

  /** A connection with its rates per second. */
  record Rated(
      JsonObject object,
      RateHistory sent,
      RateHistory received,
      RateHistory messages,
      RateHistory again) {}

  private Map<Key, Rated> connections = new HashMap<>();
  private final RateHistory sent = new RateHistory();
  private final RateHistory received = new RateHistory();
  private final RateHistory messages = new RateHistory();
  private final RateHistory again = new RateHistory();
  private long sampledAt;
  private boolean sampled;

  /**
   * Takes a sample. A connection's rates begin with the second sample that has it.
   *
   * @param now in nanoseconds
   */
  void sample(long now, List<JsonObject> objects) {
    double seconds = (now - sampledAt) / NANOS;
    sampledAt = now;
    Map<Key, Rated> next = new HashMap<>();
    double[] totals = new double[4];
    for (JsonObject object : objects) {
      Key key = new Key(number(object, "session"), number(object, "connection"));
      Rated before = connections.get(key);
      Rated rated = before == null ? fresh(object) : with(before, object);
      if (before != null) {
        totals[0] += rate(rated.sent, before.object, object, seconds, "sent_octets");
        totals[1] += rate(rated.received, before.object, object, seconds, "received_octets");
        totals[2] += rate(rated.messages, before.object, object, seconds, "sent_messages");
        totals[3] += rate(rated.again, before.object, object, seconds, "retransmitted_segments");
      }
      next.put(key, rated);
    }
    connections = next;
    if (sampled) {
      sent.add(totals[0]);
      received.add(totals[1]);
      messages.add(totals[2]);
      again.add(totals[3]);
    }
    sampled = true;
  }

  private static Rated fresh(JsonObject object) {
    return new Rated(
        object, new RateHistory(), new RateHistory(), new RateHistory(), new RateHistory());
  }

  private static Rated with(Rated before, JsonObject object) {
    return new Rated(object, before.sent, before.received, before.messages, before.again);
  }

  private static double rate(
      RateHistory history, JsonObject before, JsonObject now, double seconds, String key) {
    double rate = Math.max(0, number(now, key) - number(before, key)) / seconds;
    history.add(rate);
    return rate;
  }

  private static long number(JsonObject object, String key) {
    return object.get(key).getAsLong();
  }

  /** The connections of the last sample, sorted. */
  List<Rated> sorted(TopOrder order) {
    List<Rated> sorted = new ArrayList<>(connections.values());
    sorted.sort(order.comparator());
    return sorted;
  }

  /** Octets sent by all connections. */
  RateHistory sent() {
    return sent;
  }

  /** Octets received by all connections. */
  RateHistory received() {
    return received;
  }

  /** Requests of all send queues that have completed. */
  RateHistory messages() {
    return messages;
  }

  /** Segments retransmitted by all connections. */
  RateHistory again() {
    return again;
  }
}
