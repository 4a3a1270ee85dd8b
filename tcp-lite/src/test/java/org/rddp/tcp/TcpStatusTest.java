package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What a connection shows of itself. */
class TcpStatusTest {
  private static final long TIMEOUT = 200 * Script.MILLISECOND;

  private static TcpStatus status(Script script) {
    return ((TcpConnection) script.stream).status();
  }

  @Test
  void shouldShowNothingBeforeThePeerAnswers() {
    Script script = new Script(Script.plain());
    script.connect();
    TcpStatus status = status(script);
    assertThat(status.state()).isEqualTo(TcpState.SYN_SENT);
    assertThat(status.sent()).isZero();
    assertThat(status.inFlight()).isZero();
    assertThat(status.unsent()).isZero();
    assertThat(status.received()).isZero();
    assertThat(status.receiveWindow()).isZero();
  }

  @Test
  void shouldShowWhatIsInFlightAndSentAgain() {
    Script script = Script.established();
    script.send(700);
    script.expect("P. seq 1 len 700");
    TcpStatus before = status(script);
    assertThat(before.sent()).isEqualTo(700);
    assertThat(before.inFlight()).isEqualTo(700);
    assertThat(before.retransmitted()).isZero();

    script.pass(TIMEOUT);
    script.expect("P. seq 1 len 700");
    TcpStatus again = status(script);
    assertThat(again.sent()).as("each octet once").isEqualTo(700);
    assertThat(again.inFlight()).isEqualTo(700);
    assertThat(again.retransmitted()).isEqualTo(1);
    assertThat(again.retransmissionTimeout()).isEqualTo(2 * TIMEOUT);
    assertThat(again.congestionWindow()).isEqualTo(again.emss());

    script.receive(". seq 1 ack 701 win 5000");
    TcpStatus after = status(script);
    assertThat(after.inFlight()).isZero();
    assertThat(after.sent()).isEqualTo(700);
    assertThat(after.sendWindow()).isEqualTo(5000);
  }

  @Test
  void shouldShowWhatWaitsForThePeersWindow() {
    Script script = Script.established();
    script.receive(". seq 1 ack 1 win 1000");
    script.queue(1000);
    script.queue(600);
    script.turn();
    script.expect(". seq 1 len 1000");
    TcpStatus status = status(script);
    assertThat(status.sendWindow()).isEqualTo(1000);
    assertThat(status.inFlight()).isEqualTo(1000);
    assertThat(status.unsent()).isEqualTo(600);
  }

  @Test
  void shouldCountReceivedOctetsWithoutTheFin() {
    Script script = Script.established();
    long window = status(script).receiveWindow();
    script.receive(". seq 1 ack 1 len 10");
    assertThat(status(script).received()).isEqualTo(10);
    assertThat(status(script).receiveWindow()).isLessThan(window);
    script.receive("F. seq 11 ack 1");
    assertThat(status(script).received()).isEqualTo(10);
    assertThat(status(script).state()).isEqualTo(TcpState.CLOSE_WAIT);
  }
}
