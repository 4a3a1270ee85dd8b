package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.tcp.Script.MILLISECOND;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** New segments that are spread over the round trip. */
class PacingTest {
  private static final long MICROSECOND = 1000;

  /** A script whose user always has something to send; nothing is paced below a millisecond. */
  private static Script endless(long roundTrip) {
    Script script = new Script(Script.plain().withPacedRoundTrip(MILLISECOND));
    script.connect();
    script.expect("S seq 0");
    script.pass(roundTrip);
    script.receive("S. seq 0 ack 1 win 65535 mss 1000");
    script.expect(". seq 1 ack 1");
    return script;
  }

  /** Segments that the user may send now, and sends. */
  private static int send(Script script) {
    int sent = 0;
    while (script.stream.sendable()) {
      script.queue(1000);
      sent++;
    }
    script.turn();
    assertThat(script.drain()).isEqualTo(sent);
    return sent;
  }

  @Test
  @DisplayName(
      "RFC 9406 4.2: a window leaves in bursts of eight segments at most, over a round trip")
  void shouldSpreadTheWindow() {
    Script script = endless(10 * MILLISECOND);
    int sent = send(script);
    assertThat(sent).as("after silence").isEqualTo(8);
    long waited = 0;
    while (sent < 10) {
      script.pass(100 * MICROSECOND);
      waited += 100 * MICROSECOND;
      sent += send(script);
    }
    // In slow start the window takes half of a round trip: four segments wait for two milliseconds.
    assertThat(waited).isBetween(1900 * MICROSECOND, 2100 * MICROSECOND);
  }

  @Test
  @DisplayName("the user is told when a pause ends, though nothing arrives")
  void shouldTellTheUserOfThePausesEnd() {
    Script script = endless(10 * MILLISECOND);
    send(script);
    assertThat(script.stream.sendable()).isFalse();
    assertThat(script.stack.nextDeadline()).isBetween(script.now, script.now + 3 * MILLISECOND);
    script.handler.takeEvents();
    script.now = script.stack.nextDeadline();
    script.stack.transmit(script.now);
    assertThat(script.handler.takeEvents()).contains("sendable");
  }

  @Test
  @DisplayName("what waits in the queue leaves when the pause ends")
  void shouldSendWhatWaits() {
    Script script = endless(10 * MILLISECOND);
    LossScript.queue(script, 10);
    script.turn();
    assertThat(script.drain()).isEqualTo(8);
    script.pass(1900 * MICROSECOND);
    assertThat(script.drain()).isZero();
    script.pass(200 * MICROSECOND);
    assertThat(script.drain()).isEqualTo(2);
  }

  @Test
  @DisplayName("a path whose round trip is a few turns is not paced")
  void shouldNotPaceShortPaths() {
    Script script = endless(500 * MICROSECOND);
    assertThat(send(script)).isEqualTo(10);
  }

  @Test
  @DisplayName("a lost segment is sent again at once")
  void shouldNotPaceRetransmissions() {
    Script script = endless(10 * MILLISECOND);
    LossScript.queue(script, 8);
    script.turn();
    assertThat(script.drain()).isEqualTo(8);
    script.pass(MILLISECOND);
    for (int i = 0; i < 3; i++) {
      script.receive(". seq 1 ack 1");
    }
    script.expect(". seq 1 len 1000");
  }
}
