package org.rddp.cli;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What {@code rddp top} shows of its samples. */
final class TopFrame {
  private final ConnectionRates rates = new ConnectionRates();
  private final TenantRates tenants = new TenantRates();

  /**
   * Takes a sample.
   *
   * @param now in nanoseconds
   */
  void sample(long now, TopSample sample) {
    rates.sample(now, sample.connections());
    tenants.sample(now, sample.tenants());
  }

  /** Totals, a table of the tenants if there are any, and one of the connections. */
  List<String> lines(TopOrder order) {
    List<ConnectionRates.Rated> sorted = rates.sorted(order);
    List<String> lines = new ArrayList<>();
    lines.add(
        "%d connections by %s, %s messages/s, %s retransmissions/s"
            .formatted(
                sorted.size(), order, count(rates.messages().last()), count(rates.again().last())));
    lines.add(total("sent", rates.sent()) + "    " + total("received", rates.received()));
    lines.addAll(tenants.lines());
    lines.addAll(table(sorted));
    return lines;
  }

  private static String total(String name, RateHistory rate) {
    return "%s %10s %s".formatted(name, octets(rate), rate.sparkline());
  }

  private static List<String> table(List<ConnectionRates.Rated> sorted) {
    List<JsonObject> objects = sorted.stream().map(TopFrame::withRates).toList();
    return TextTable.TOP.lines(objects);
  }

  /** The connection's object with its rates as texts. */
  private static JsonObject withRates(ConnectionRates.Rated connection) {
    JsonObject object = connection.object().deepCopy();
    object.addProperty("sent_rate", octets(connection.sent()));
    object.addProperty("sent_line", connection.sent().sparkline());
    object.addProperty("received_rate", octets(connection.received()));
    object.addProperty("received_line", connection.received().sparkline());
    object.addProperty("message_rate", count(connection.messages().last()) + "/s");
    object.addProperty("again_rate", count(connection.again().last()) + "/s");
    return object;
  }

  private static String octets(RateHistory rate) {
    return Quantities.octets(rate.last()) + "/s";
  }

  private static String count(double rate) {
    return String.format(Locale.ROOT, rate < 10 && rate > 0 ? "%.1f" : "%.0f", rate);
  }
}
