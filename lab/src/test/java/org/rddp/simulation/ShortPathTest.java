package org.rddp.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.tcp.CongestionAlgorithm;
import org.rddp.tcp.TcpConnection;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.congestion.CongestionControl;

/** The first slow start of one connection of CUBIC through a switch that marks nothing. */
class ShortPathTest {
  private static final long MICROSECOND = 1000;
  private static final long TEN_GIGABITS = 10_000_000_000L;

  /** One port may take half: the five rounds of Conservative Slow Start take some windows. */
  private static final long BUFFER = 8 << 20;

  private static TcpSettings settings() {
    return TcpSettings.DEFAULTS
        .withCongestion(CongestionAlgorithm.CUBIC)
        .withEcn(false)
        .withReceiveBuffer(16 << 20);
  }

  @ParameterizedTest(name = "{0} us, seed {1}")
  @CsvSource({"20, 1", "20, 2", "100, 1", "100, 2", "100, 3", "200, 1"})
  @DisplayName("RFC 9406 4.3: on a short path, too, slow start ends before a loss")
  void shouldEndSlowStartBeforeALoss(long roundTrip, long seed) {
    Network network = new Network(seed);
    Switch fabric = new Switch(network, BUFFER, Long.MAX_VALUE);
    SimulatedHost sink = new SimulatedHost(network, "10.0.0.1", settings(), 16_384, 1500);
    SimulatedHost sender = new SimulatedHost(network, "10.0.0.2", settings(), 16_384, 1500);
    // The sender is faster, so that the queue is the switch's.
    fabric.join(sink.card(), TEN_GIGABITS, roundTrip * MICROSECOND / 4);
    fabric.join(sender.card(), 4 * TEN_GIGABITS, roundTrip * MICROSECOND / 4);
    sink.stack().listen(7, (stream, address, from) -> new BulkUser(false));
    BulkUser source = new BulkUser(true);
    TcpConnection connection = sender.stack().connect(sink.address(), 7, source);
    sender.scheduleTurn();
    boolean ended =
        network.run(
            () ->
                fabric.dropped() > 0
                    || connection.status().slowStartThreshold() < CongestionControl.LARGEST,
            network.now() + 50_000 * MICROSECOND);
    assertThat(fabric.dropped()).as("losses, %s", connection.status()).isZero();
    assertThat(ended).as("slow start has ended, %s", connection.status()).isTrue();
    sender.stack().close();
    sink.stack().close();
    sender.powerOff();
    sink.powerOff();
  }
}
