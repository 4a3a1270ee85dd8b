package org.rddp.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.tcp.AccurateEcn;
import org.rddp.tcp.CongestionAlgorithm;
import org.rddp.tcp.TcpSettings;

/** Four connections with accurate ECN through a switch that marks, at 10 Gb/s and 20 us. */
class AccurateEcnTest {
  private static final long MICROSECOND = 1000;
  private static final long MILLISECOND = 1000 * MICROSECOND;
  private static final long TEN_GIGABITS = 10_000_000_000L;
  private static final long BUFFER = 4 << 20;
  private static final long THRESHOLD = 96 << 10;
  private static final int SENDERS = 4;

  /** What a run has measured. */
  private record Result(double average, long longest, double use, long dropped, long echoes) {}

  private static TcpSettings settings(CongestionAlgorithm congestion, AccurateEcn accurate) {
    return TcpSettings.DEFAULTS
        .withCongestion(congestion)
        .withAccurateEcn(accurate)
        .withMinimumRetransmission(MILLISECOND)
        .withMinimumProbe(MILLISECOND / 2)
        .withPeerAcknowledgmentDelay(MILLISECOND);
  }

  private static Result run(long seed, TcpSettings settings) {
    Network network = new Network(seed);
    Switch fabric = new Switch(network, BUFFER, THRESHOLD);
    SimulatedHost sink = new SimulatedHost(network, "10.0.0.1", settings, 8192, 1500);
    Switch.Port port = fabric.join(sink.card(), TEN_GIGABITS, 4 * MICROSECOND);
    sink.stack().listen(7, (stream, address, from) -> new BulkUser(false));
    List<SimulatedHost> senders = new ArrayList<>();
    for (int i = 0; i < SENDERS; i++) {
      SimulatedHost sender = new SimulatedHost(network, "10.0.0." + (2 + i), settings, 4096, 1500);
      fabric.join(sender.card(), TEN_GIGABITS, 4 * MICROSECOND);
      sender.stack().connect(sink.address(), 7, new BulkUser(true));
      sender.scheduleTurn();
      senders.add(sender);
    }
    network.run(() -> false, network.now() + 10 * MILLISECOND);
    port.watch();
    long before = fabric.dropped();
    network.run(() -> false, network.now() + 30 * MILLISECOND);
    long echoes =
        senders.stream()
            .mapToLong(one -> one.stack().counters().loss.congestionEchoes)
            .min()
            .orElse(0);
    Result result =
        new Result(port.average(), port.longest(), port.use(), fabric.dropped() - before, echoes);
    senders.forEach(each -> each.stack().close());
    sink.stack().close();
    senders.forEach(SimulatedHost::powerOff);
    sink.powerOff();
    return result;
  }

  @ParameterizedTest
  @CsvSource({"DCTCP, 1", "DCTCP, 2", "CUBIC, 1", "CUBIC, 2"})
  @Tag("ACC-3.1.5-12")
  @DisplayName("RFC 9768 3.1.5: DCTCP and CUBIC respond to counted marks as to echoed ones")
  void shouldControlTheQueue(CongestionAlgorithm congestion, long seed) {
    Result accurate = run(seed, settings(congestion, AccurateEcn.ASK));
    Result classic = run(seed, settings(congestion, AccurateEcn.OFF));
    String both = "accurate " + accurate + ", classic " + classic;
    assertThat(accurate.echoes).as(both).isPositive();
    assertThat(accurate.dropped).as(both).isZero();
    assertThat(accurate.use).as(both).isGreaterThan(0.95);
    assertThat(accurate.longest).as(both).isLessThan(4 * THRESHOLD);
    assertThat(accurate.average).as(both).isBetween(classic.average * 0.5, classic.average * 1.5);
  }
}
