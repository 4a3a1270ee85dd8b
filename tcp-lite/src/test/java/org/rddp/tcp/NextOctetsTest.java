package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Octets in order are handed up before the acknowledgment of their segment is processed; calls that
 * a handler makes from within that upcall are made in between.
 */
class NextOctetsTest {
  private final Script script = new Script();

  /** A connection from a peer with 100 octets in flight and an action when octets arrive. */
  private void connect(Runnable atOctets, Runnable atFin) {
    Recorder handler =
        new Recorder() {
          @Override
          public void onSegment(long position, long address, int length, long packet) {
            atOctets.run();
          }

          @Override
          public void onPeerClosed() {
            atFin.run();
          }

          @Override
          public void onSendable() {
            script.queue(100);
          }
        };
    script.listen((stream, address, port) -> {
      script.stream = stream;
      return handler;
    });
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1 win 100");
    script.queue(100);
    script.turn();
    script.expect("P. seq 1 ack 1 len 100");
  }

  @Test
  void shouldCloseFromWithinTheUpcall() {
    connect(() -> script.stream.closeSend(), () -> {});
    script.receive(". seq 1 ack 101 len 10");
    script.expect("F. seq 101 ack 11");
    assertThat(script.state()).isEqualTo(TcpState.FIN_WAIT_1);
    script.receive(". seq 11 ack 102");
    assertThat(script.state()).isEqualTo(TcpState.FIN_WAIT_2);
    script.receive("F. seq 11 ack 102");
    script.expect(". seq 102 ack 12");
    assertThat(script.state()).isEqualTo(TcpState.TIME_WAIT);
  }

  @Test
  void shouldCloseBehindAFinThatCameEarly() {
    connect(() -> {}, () -> script.stream.closeSend());
    script.receive("F. seq 11 ack 1 win 100");
    script.expect(". seq 101 ack 1");
    script.receive(". seq 1 ack 101 len 10");
    script.expect("F. seq 101 ack 12");
    assertThat(script.state()).isEqualTo(TcpState.LAST_ACK);
    script.receive(". seq 12 ack 102");
    assertThat(script.state()).isEqualTo(TcpState.CLOSED);
  }

  @Test
  void shouldSendOnceTheWindowThatCameWithTheOctetsIsKnown() {
    connect(() -> assertThat(script.stream.sendable()).isFalse(), () -> {});
    script.receive(". seq 1 ack 101 win 1000 len 10");
    script.expect("P. seq 101 ack 11 len 100");
    script.expectNothing();
  }

  @Test
  void shouldNotHandUpWhatAcknowledgesWhatWasNeverSent() {
    connect(() -> script.stream.abort(), () -> {});
    script.receive(". seq 1 ack 102 len 10");
    script.expect(". seq 101 ack 1");
    assertThat(script.state()).isEqualTo(TcpState.ESTABLISHED);
  }

  @Test
  void shouldProbeAWindowThatCloses() {
    connect(() -> {}, () -> {});
    script.receive(". seq 1 ack 101 win 0 len 10");
    script.expect(". seq 101 ack 11");
    assertThat(script.stream.sendable()).isFalse();
    script.pass(2 * Script.SECOND);
    script.expect(". seq 100 ack 11");
  }
}
