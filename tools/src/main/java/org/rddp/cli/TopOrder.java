package org.rddp.cli;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** What connections are sorted by, the highest first. */
enum TopOrder {
  RATE,
  SENT,
  RECEIVED,
  MESSAGES,
  AGAIN,
  RTT,
  AGE;

  private static final List<TopOrder> ALL = List.of(values());

  private double value(ConnectionRates.Rated connection) {
    return switch (this) {
      case RATE -> connection.sent().last() + connection.received().last();
      case SENT -> connection.sent().last();
      case RECEIVED -> connection.received().last();
      case MESSAGES -> connection.messages().last();
      case AGAIN -> connection.again().last();
      case RTT -> connection.object().get("rtt_ns").getAsDouble();
      case AGE -> connection.object().get("age_seconds").getAsDouble();
    };
  }

  Comparator<ConnectionRates.Rated> comparator() {
    return Comparator.comparingDouble(this::value).reversed();
  }

  /** The next one. */
  TopOrder next() {
    return ALL.get((ALL.indexOf(this) + 1) % ALL.size());
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
