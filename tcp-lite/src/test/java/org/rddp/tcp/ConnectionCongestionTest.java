package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rddp.ip.AddressPrefix;
import org.rddp.ip.Ipv4Address;

/** Congestion control that is chosen for a connection. */
class ConnectionCongestionTest {
  private static final TcpSettings SETTINGS = LossScript.sack().withEcn(true);

  private static TcpConnection connection(Script script) {
    return (TcpConnection) script.stream;
  }

  private static Script opened(CongestionAlgorithm algorithm) {
    Script script = new Script(SETTINGS);
    script.theirPort = 7;
    TcpConnection made =
        script.stack.connect(
            Script.THEIRS, 7, script.handler, connection -> connection.congestion(algorithm));
    script.stream = made;
    script.ourPort = made.localPort();
    script.turn();
    return script;
  }

  @Test
  @DisplayName("RFC 8257 3.6: of a connection that chooses DCTCP every packet is capable")
  void shouldUseDctcpFromTheSynOn() {
    Script script = opened(CongestionAlgorithm.DCTCP);
    script.expect("SEW seq 0 ecn 2");
    script.receive("SE. seq 0 ack 1 win 65535 mss 1000 sackok");
    script.expect(". seq 1 ack 1 ecn 2");
    assertThat(connection(script).congestion()).isEqualTo(CongestionAlgorithm.DCTCP);
    script.receiveTogether(". seq 1 ack 1 len 100 ecn 2", ". seq 101 ack 1 len 100 ecn 3");
    script.expect(". seq 1 ack 101");
    script.expect("E. seq 1 ack 201");
  }

  @ParameterizedTest
  @EnumSource(CongestionAlgorithm.class)
  void shouldTellWhichIsInUse(CongestionAlgorithm algorithm) {
    assertThat(connection(opened(algorithm)).congestion()).isEqualTo(algorithm);
  }

  @Test
  @DisplayName("a change keeps window and threshold, also while segments are in flight")
  void shouldKeepTheWindow() {
    Script script = LossScript.inFlight(SETTINGS, 10);
    script.receive("E. seq 1 ack 10001");
    long window = connection(script).status().congestionWindow();
    long threshold = connection(script).status().slowStartThreshold();
    assertThat(window).isLessThan(10_000);
    LossScript.queue(script, 2);
    script.turn();
    connection(script).congestion(CongestionAlgorithm.CUBIC);
    assertThat(connection(script).status().congestionWindow()).isEqualTo(window);
    assertThat(connection(script).status().slowStartThreshold()).isEqualTo(threshold);
    script.drain();
    script.receive(". seq 1 ack 12001");
    assertThat(script.stream.unacknowledged()).isZero();
  }

  @Test
  @DisplayName("a change from none begins with an initial window")
  void shouldBeginAnew() {
    Script script = LossScript.established(SETTINGS.withCongestion(CongestionAlgorithm.NONE));
    connection(script).congestion(CongestionAlgorithm.NEW_RENO);
    assertThat(connection(script).status().congestionWindow()).isEqualTo(10_000);
  }

  @Test
  @DisplayName("the first network with the peer's address decides")
  void shouldBeThatOfTheNetwork() {
    List<NetworkCongestion> networks =
        List.of(
            network("10.0.0.2/32", CongestionAlgorithm.DCTCP),
            network("10.0.0.0/25", CongestionAlgorithm.NEW_RENO));
    Script script =
        new Script(SETTINGS.withCongestion(CongestionAlgorithm.CUBIC).withNetworks(networks));
    TcpConnection near = script.stack.connect(Script.THEIRS, 7, script.handler);
    script.ourPort = near.localPort();
    script.theirPort = 7;
    script.turn();
    script.expect("SEW seq 0 ecn 2");
    assertThat(near.congestion()).isEqualTo(CongestionAlgorithm.DCTCP);
    assertThat(with(script, "10.0.0.3")).isEqualTo(CongestionAlgorithm.NEW_RENO);
    assertThat(with(script, "10.0.0.200")).isEqualTo(CongestionAlgorithm.CUBIC);
  }

  private static CongestionAlgorithm with(Script script, String address) {
    return script.stack.connect(Ipv4Address.parse(address), 7, new Recorder()).congestion();
  }

  private static NetworkCongestion network(String remote, CongestionAlgorithm congestion) {
    return new NetworkCongestion(AddressPrefix.parse(remote), congestion);
  }

  @Test
  void shouldNeedEcnForDctcp() {
    Script script = Script.established();
    assertThatThrownBy(() -> connection(script).congestion(CongestionAlgorithm.DCTCP))
        .hasMessage("DCTCP without ECN");
    assertThat(connection(script).congestion()).isEqualTo(CongestionAlgorithm.NEW_RENO);
  }
}
