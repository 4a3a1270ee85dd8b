package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.tcp.Script.THEIRS;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The Differentiated Services codepoint (RFC 2474) of what is sent. */
class DifferentiatedServicesTest {
  private static TcpSettings settings() {
    return Script.plain().withEcn(true).withDscp(26);
  }

  @Test
  @DisplayName("RFC 9293 3.9.2 (MUST-48): the interface's DSCP is in every packet, beside ECN")
  void shouldUseTheInterfaces() {
    Script script = new Script(settings());
    script.connect();
    script.expect("SEW seq 0 dscp 26 ecn 0");
    script.receive("SE. seq 0 ack 1 mss 1000");
    script.expect(". seq 1 ack 1 dscp 26 ecn 0");
    script.send(1000);
    script.expect("P. seq 1 len 1000 dscp 26 ecn 2");
    script.pass(LossScript.TIMEOUT);
    script.expect("P. seq 1 len 1000 dscp 26 ecn 0");
    script.stream.abort();
    script.turn();
    script.expect("R. seq 1001 dscp 26");
  }

  @Test
  @DisplayName("RFC 9293 3.9.2 (MUST-48): a connection's DSCP is in every packet, and may change")
  void shouldUseTheConnections() {
    Script script = new Script(settings());
    script.theirPort = 7;
    TcpConnection connection =
        script.stack.connect(THEIRS, 7, script.handler, made -> made.dscp(46));
    script.stream = connection;
    script.ourPort = connection.localPort();
    script.turn();
    script.expect("SEW seq 0 dscp 46 ecn 0");
    script.receive("SE. seq 0 ack 1 mss 1000");
    script.expect(". seq 1 ack 1 dscp 46");
    connection.dscp(63);
    script.send(1000);
    script.expect("P. seq 1 len 1000 dscp 63 ecn 2");
    connection.dscp(0);
    script.receive(". seq 1 ack 1001 len 10");
    script.expect(". seq 1001 ack 11 dscp 0 ecn 0");
  }

  @Test
  @DisplayName("RFC 9293 3.9.2 (MUST-48): answers without a connection have the interface's DSCP")
  void shouldUseTheInterfacesInAnswers() {
    Script script = new Script(settings());
    script.ourPort = 9;
    script.theirPort = 40000;
    script.receive("S seq 0 mss 1000");
    script.expect("R. seq 0 ack 1 dscp 26");
  }

  @Test
  void shouldRefuseOtherCodepoints() {
    Script script = Script.established(settings().withEcn(false).withDscp(0));
    TcpConnection connection = (TcpConnection) script.stream;
    for (int wrong : new int[] {-1, 64}) {
      assertThatThrownBy(() -> connection.dscp(wrong))
          .hasMessage("DSCP " + wrong + " is not 0 to 63");
      assertThatThrownBy(() -> settings().withDscp(wrong))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
