package org.rddp.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rddp.tcp.CongestionAlgorithm;
import org.rddp.tcp.TcpSettings;

/**
 * How much arrives per round trip, by size of the receive buffer, loss and congestion control.
 *
 * <p>The table is kept in {@code goodput.txt} among the test's resources and compared exactly: who
 * changes TCP sees what that does, and reviews it. {@code -Drddp.goodput.write=true} writes it
 * anew.
 */
class GoodputTest {
  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1000 * MILLISECOND;
  private static final String TABLE = "goodput.txt";

  /** DCTCP, without marks, is NewReno. */
  private static final List<CongestionAlgorithm> COLUMNS =
      List.of(CongestionAlgorithm.CUBIC, CongestionAlgorithm.NEW_RENO, CongestionAlgorithm.NONE);

  private static final int[] BUFFERS = {4, 16, 64, 256, 1024};
  private static final double[] LOSSES = {0, 0.001, 0.01, 0.1, 0.3};

  /** A round trip of 10 ms; 100 Mbit/s are 83 segments in it, and as many may wait. */
  private static final WireSettings LINK =
      WireSettings.PERFECT.withDelay(5 * MILLISECOND).withBandwidth(100_000_000).withQueue(125_000);

  private final GoodputTransfer transfer = new GoodputTransfer();

  private static TcpSettings settings(CongestionAlgorithm congestion, int buffer) {
    return TcpSettings.DEFAULTS
        .withCongestion(congestion)
        .withReceiveBuffer(buffer)
        .withConnectTimeout(3600 * SECOND)
        .withUserTimeout(3600 * SECOND);
  }

  @Test
  void shouldArriveAsMuchAsBefore() {
    List<String> table = table();
    if (Boolean.getBoolean("rddp.goodput.write")) {
      write(table);
      return;
    }
    assertThat(differences(read(), table)).as("see this class's description").isEmpty();
  }

  private static String differences(List<String> before, List<String> now) {
    StringBuilder differences = new StringBuilder();
    for (int i = 0; i < Math.max(before.size(), now.size()); i++) {
      String was = i < before.size() ? before.get(i) : "";
      String is = i < now.size() ? now.get(i) : "";
      if (!was.equals(is)) {
        differences.append("was ").append(was).append("\nis  ").append(is).append('\n');
      }
    }
    return differences.toString();
  }

  private List<String> table() {
    List<String> table = new ArrayList<>();
    table.add(
        "Segments per round trip of 10 ms that arrive in order; 100 Mbit/s, 83 segments queue,");
    table.add("loss both ways, 10 s after the first. NONE loses what the queue has no room for.");
    table.add("");
    table.add(" buffer    loss     CUBIC  NEW_RENO      NONE");
    for (int buffer : BUFFERS) {
      for (double loss : LOSSES) {
        table.add(row(buffer, loss));
      }
    }
    return table;
  }

  private String row(int kibibytes, double loss) {
    StringBuilder row = new StringBuilder();
    row.append(String.format(Locale.ROOT, "%5d K %6.1f %%", kibibytes, loss * 100));
    for (CongestionAlgorithm congestion : COLUMNS) {
      TcpSettings settings = settings(congestion, kibibytes << 10);
      WireSettings wire = LINK.withLoss(loss);
      double goodput = transfer.segmentsPerRoundTrip(1, settings, wire, wire, SECOND, 10 * SECOND);
      row.append(String.format(Locale.ROOT, "%10.2f", goodput));
    }
    return row.toString();
  }

  private static List<String> read() {
    try (InputStream in = GoodputTest.class.getResourceAsStream(TABLE)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(List<String> table) {
    try {
      Files.write(Path.of("src/test/resources/org/rddp/simulation", TABLE), table);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"CUBIC", "NEW_RENO"})
  @DisplayName(
      "RFC 9438 5, RFC 5681: at 1 % random loss nine tenths of the formula's window arrive")
  void shouldReachTheAverageWindow(CongestionAlgorithm congestion) {
    double loss = 0.01;
    double roundTrip = 0.01;
    double cubic = 1.054 * Math.pow(roundTrip / loss, 0.75);
    double reno = 1.22 / Math.sqrt(loss);
    WireSettings back = WireSettings.PERFECT.withDelay(5 * MILLISECOND);
    WireSettings there = back.withLoss(loss);
    TcpSettings settings = settings(congestion, 4 << 20);
    double sum = 0;
    int seeds = 10;
    for (int seed = 1; seed <= seeds; seed++) {
      sum += transfer.segmentsPerRoundTrip(seed, settings, there, back, SECOND, 60 * SECOND);
    }
    assertThat(sum / seeds).isGreaterThanOrEqualTo(0.9 * Math.max(cubic, reno));
  }
}
