package org.rddp.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.tcp.CongestionAlgorithm;
import org.rddp.tcp.TcpSettings;

/**
 * Many hosts that send to one through a switch with a shared buffer, in a network of 10 Gb/s whose
 * round trip takes 20 microseconds.
 */
class IncastTest {
  private static final long MICROSECOND = 1000;
  private static final long MILLISECOND = 1000 * MICROSECOND;
  private static final long TEN_GIGABITS = 10_000_000_000L;
  private static final int SENDERS = 32;
  private static final long BUFFER = 1 << 20;

  /** 32 windows of two segments, the least, are 93 KB, and a round trip of the link 25 KB. */
  private static final long THRESHOLD = 128 << 10;

  /** What a run has measured. */
  private record Result(double average, long longest, double use, long dropped) {}

  private static TcpSettings settings(CongestionAlgorithm congestion, boolean ecn) {
    return TcpSettings.DEFAULTS
        .withCongestion(congestion)
        .withEcn(ecn)
        .withMinimumRetransmission(MILLISECOND)
        .withMinimumProbe(MILLISECOND / 2)
        .withPeerAcknowledgmentDelay(MILLISECOND);
  }

  private static Result run(long seed, TcpSettings settings) {
    Network network = new Network(seed);
    Switch fabric = new Switch(network, BUFFER, THRESHOLD);
    SimulatedHost sink = new SimulatedHost(network, "10.0.0.1", settings, 4096, 1500);
    Switch.Port port = fabric.join(sink.card(), TEN_GIGABITS, 4 * MICROSECOND);
    sink.stack().listen(7, (stream, address, from) -> new BulkUser(false));
    SplittableRandom random = network.newRandom();
    List<SimulatedHost> senders = new ArrayList<>();
    for (int i = 0; i < SENDERS; i++) {
      SimulatedHost sender = new SimulatedHost(network, "10.0.0." + (2 + i), settings, 4096, 1500);
      fabric.join(sender.card(), TEN_GIGABITS, 4 * MICROSECOND);
      sender.turnDuration(500 + random.nextLong(3 * MICROSECOND));
      long start = network.now() + random.nextLong(MILLISECOND);
      network.events().schedule(start, any -> begin(sender, sink), 0);
      senders.add(sender);
    }
    network.run(() -> false, network.now() + 20 * MILLISECOND);
    port.watch();
    long before = fabric.dropped();
    network.run(() -> false, network.now() + 40 * MILLISECOND);
    Result result =
        new Result(port.average(), port.longest(), port.use(), fabric.dropped() - before);
    senders.forEach(each -> each.stack().close());
    sink.stack().close();
    senders.forEach(SimulatedHost::powerOff);
    sink.powerOff();
    return result;
  }

  private static void begin(SimulatedHost sender, SimulatedHost sink) {
    sender.stack().connect(sink.address(), 7, new BulkUser(true));
    sender.scheduleTurn();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  @DisplayName("RFC 8257 3: DCTCP keeps a switch's queue at the threshold, and its port busy")
  void shouldKeepTheQueueShort(long seed) {
    Result dctcp = run(seed, settings(CongestionAlgorithm.DCTCP, true));
    Result cubic = run(seed, settings(CongestionAlgorithm.CUBIC, false));
    String both = "DCTCP " + dctcp + ", CUBIC " + cubic;
    assertThat(dctcp.average).as(both).isBetween(THRESHOLD * 0.5, THRESHOLD * 1.5);
    assertThat(dctcp.longest).as(both).isLessThan(THRESHOLD * 2);
    assertThat(dctcp.dropped).as(both).isZero();
    assertThat(dctcp.use).as(both).isGreaterThan(0.95);
    assertThat(cubic.longest).as(both).isGreaterThan(BUFFER * 4 / 10);
    assertThat(cubic.dropped).as(both).isPositive();
    assertThat(cubic.average).as(both).isGreaterThan(2 * dctcp.average);
  }
}
