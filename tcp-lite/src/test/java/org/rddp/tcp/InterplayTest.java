package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Rules that meet: each is kept by a class of its own, and all of them have to hold together. */
class InterplayTest {
  private static final long ROUND_TRIP = LossScript.ROUND_TRIP;

  @Test
  @DisplayName("RFC 9293 3.10.5: nothing follows the RST of a user that aborts at an early segment")
  void shouldSendNothingBehindAReset() {
    Script script = new Script(LossScript.sack());
    Recorder aborting =
        new Recorder() {
          @Override
          public void onSegment(long position, long address, int length, long packet) {
            stream.abort();
          }
        };
    script.listen((stream, address, port) -> aborting);
    script.receive("S seq 0 mss 1000 sackok");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1");
    script.receive(". seq 101 ack 1 len 10");
    script.expect("R. seq 1");
    script.expectNothing();
    assertThat(script.stack.packetsHeld()).isZero();
  }

  @Test
  @DisplayName("RFC 8985 6.2: segments queued before the handshake are repaired by SACK, too")
  void shouldRepairWhatWasQueuedBeforeTheHandshake() {
    Script script = new Script(LossScript.sack());
    script.connect();
    script.expect("S seq 0");
    LossScript.queue(script, 5);
    script.pass(ROUND_TRIP);
    script.receive("S. seq 0 ack 1 win 65535 mss 1000 sackok");
    for (int i = 0; i < 5; i++) {
      script.expect((i == 4 ? "P. seq " : ". seq ") + (1 + i * 1000) + " len 1000");
    }
    script.drain();
    script.pass(ROUND_TRIP);
    script.receive(". seq 1 ack 1 sack 1001-4001");
    script.pass(ROUND_TRIP / 2);
    script.expect(". seq 1 len 1000");
    assertThat(script.stack.counters().timeouts).isZero();
  }

  @Test
  @DisplayName("RFC 5681 2: the last acknowledgment of the handshake is no duplicate of anything")
  void shouldNotCountTheHandshakesAcknowledgmentAsADuplicate() {
    Script script = new Script();
    Recorder sending =
        new Recorder() {
          @Override
          public void onOpen(TcpStream opened) {
            super.onOpen(opened);
            script.stream = opened;
            LossScript.queue(script, 3);
          }
        };
    script.listen((stream, address, port) -> sending);
    script.receive("S seq 0 win 65535 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1 win 65535");
    assertThat(script.drain()).isEqualTo(3);
    assertThat(script.stack.counters().duplicateAcknowledgments).isZero();
  }

  @Test
  @DisplayName("RFC 9293 3.8.6.1: no window is probed for a user that has closed")
  void shouldNotProbeTheWindowForAUserWhoHasClosed() {
    Script script = Script.established();
    script.receive(". seq 1 ack 1 win 0");
    assertThat(script.stream.sendable()).isFalse();
    script.close();
    script.expect("F. seq 1");
    script.receive(". seq 1 ack 2 win 0");
    assertThat(script.state()).isEqualTo(TcpState.FIN_WAIT_2);
    script.pass(10 * Script.SECOND);
    script.expectNothing();
    assertThat(script.stack.nextDeadline()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  @DisplayName("RFC 2883 4: the D-SACK of one connection does not affect another without SACK")
  void shouldKeepConnectionsDuplicatesApart() {
    Script script = LossScript.inFlight(LossScript.sack(), 1);
    script.receive(". seq 1 ack 1001 sack 1-1001");
    assertThat(script.stack.counters().loss.duplicatesReported).isEqualTo(1);
    script.stream.abort();
    script.turn();
    script.drain();
    script.connect();
    script.expect("S seq 0");
    script.receive("S. seq 0 ack 1 win 65535 mss 1000");
    script.send(100);
    script.receive(". seq 1 ack 101");
    assertThat(script.stack.counters().loss.duplicatesReported).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 5927 7.2: a probe's timer proves no claim of a router, and costs no timeout")
  void shouldAcceptARouterAtTheTimeoutAndNotAtTheProbe() {
    Script script = LossScript.inFlight(LossScript.sack(), 1);
    script.receive(". seq 1 ack 1001");
    LossScript.queue(script, 3);
    script.turn();
    script.drain();
    script.receiveTooBig(1001, 1040, 640);
    script.pass(3 * ROUND_TRIP);
    script.expect("P. seq 3001 len 1000");
    script.expectNothing();
    assertThat(script.stream.emss()).isEqualTo(1000);
    script.pass(2 * LossScript.TIMEOUT);
    assertThat(script.stream.emss()).isEqualTo(600);
    script.expect(". seq 1001 len 600");
    assertThat(script.drain()).as("the other pieces, each once").isEqualTo(5);
    assertThat(script.stack.counters().timeouts).isZero();
  }

  @Test
  @DisplayName("RFC 1191 6.4: a user may abort when EMSS changes at a timeout")
  void shouldAllowAbortWhenEmssChangesAtATimeout() {
    Script script = new Script();
    Recorder aborting =
        new Recorder() {
          @Override
          public void onOpen(TcpStream opened) {
            super.onOpen(opened);
            script.stream = opened;
          }

          @Override
          public void onEmss(int emss) {
            stream.abort();
          }
        };
    script.listen((stream, address, port) -> aborting);
    script.receive("S seq 0 win 65535 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1 win 65535");
    script.send(1000);
    script.receive(". seq 1 ack 1001");
    script.send(1000);
    script.receiveTooBig(1001, 1040, 640);
    script.pass(10 * Script.SECOND);
    assertThat(aborting.takeEvents()).contains("closed ABORTED");
    assertThat(script.stack.counters().handlerFailures).isZero();
    assertThat(script.stack.packetsHeld()).isZero();
  }

  /** One segment of which the acknowledgments have been lost for half a minute. */
  private static Script unheard(boolean sack) {
    Script script =
        new Script(Script.plain().withSelectiveAcknowledgment(sack).withTimestamps(true));
    script.connect();
    script.expect("S seq 0");
    script.pass(ROUND_TRIP);
    script.receive("S. seq 0 ack 1 win 65535 mss 1012 ts 1000" + (sack ? " sackok" : ""));
    script.expect(". seq 1 ack 1");
    script.send(100);
    for (int i = 0; i < 300; i++) {
      script.pass(Script.SECOND / 10);
    }
    script.drain();
    return script;
  }

  @Test
  @DisplayName("RFC 7323 4.1: an echo in answer to a duplicate gives no round trip")
  void shouldNotMeasureByTheEchoOfALostAcknowledgment() {
    Script script = unheard(true);
    int stamp = ((TcpConnection) script.stream).timestamp() - 30_000;
    script.receive(". seq 1 ack 101 ts 1300 ecr " + stamp + " sack 1-101");
    assertThat(((TcpConnection) script.stream).roundTrip()).isEqualTo(ROUND_TRIP);
  }

  @Test
  @DisplayName("RFC 6298 3: a single wrong echo does not multiply the timeout")
  void shouldIgnoreAnEchoOfHalfAMinute() {
    Script script = unheard(false);
    int stamp = ((TcpConnection) script.stream).timestamp() - 30_000;
    script.receive(". seq 1 ack 101 ts 1300 ecr " + stamp);
    script.send(100);
    script.expect("P. seq 101 len 100");
    script.pass(Script.SECOND);
    script.expect("P. seq 101 len 100");
  }
}
