package org.rddp.interop.nic;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The results of a card: a row of the Markdown table that is printed at the end. */
final class CardRow {
  /** The daemon's log line about an interface's port. */
  private static final Pattern PORT =
      Pattern.compile("MTU \\d+: \\S+ by (.+), (\\d+ of .+ queues[^,]*), offloads: (.+), [^,]+$");

  private static final String FAILED = "**no**";

  /** The columns. */
  enum Column {
    DRIVER("Driver"),
    QUEUES("Queues"),
    OFFLOADS("Offloads"),
    WAKES("Wakes by 10 frames"),
    CHECKSUMS("Wrong checksums dropped"),
    IPV4("IPv4"),
    IPV6("IPv6"),
    STEERING("Handed over, IPv4"),
    IPV6_STEERING("Handed over, IPv6"),
    HOSTS("Host's own TCP beside"),
    CABLE("Cable pulled and put back"),
    LARGE("Daemon killed, then MTU 9000"),
    UNPLUGGED("Unplugged");

    private final String title;

    Column(String title) {
      this.title = title;
    }
  }

  private final String card;
  private final Map<Column, String> cells = new EnumMap<>(Column.class);

  CardRow(String card) {
    this.card = card;
  }

  /** Adds a result, unless the column has a failure already. */
  void saw(Column column, String what) {
    cells.merge(column, what, (before, now) -> before.equals(FAILED) ? before : now);
  }

  void failed(Column column) {
    cells.put(column, FAILED);
  }

  /** Takes driver, queues and offloads from the daemon's log. */
  void readLog(List<String> lines) {
    for (String line : lines) {
      Matcher port = PORT.matcher(line);
      if (line.contains(" interface " + card + " is ") && port.find()) {
        saw(Column.DRIVER, port.group(1));
        saw(Column.QUEUES, port.group(2).replace(" queues", ""));
        saw(Column.OFFLOADS, port.group(3));
      }
    }
  }

  static String heads() {
    return line("Card", Stream.of(Column.values()).map(each -> each.title))
        + "\n"
        + line("---", Stream.of(Column.values()).map(_ -> "---"));
  }

  @Override
  public String toString() {
    return line(card, Stream.of(Column.values()).map(each -> cells.getOrDefault(each, "")));
  }

  private static String line(String first, Stream<String> others) {
    return Stream.concat(Stream.of(first), others).collect(Collectors.joining(" | ", "| ", " |"));
  }
}
