package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How much a peer may send: never less than was promised, never more than can be held. */
class ReceiveWindowTest {
  private static final TcpSettings SMALL = Script.plain().withReceiveBuffer(4000);

  @Test
  @DisplayName("RFC 9293 3.8.6: early octets do not move the right edge")
  @Tag("DDP-A-01")
  void shouldKeepTheRightEdgeBehindAGap() {
    Script script = Script.established(SMALL);
    script.receive(". seq 1001 ack 1 len 1000");
    script.expect(". seq 1 ack 1 win 4000");
    script.receive(". seq 2001 ack 1 len 1000");
    script.expect(". seq 1 ack 1 win 4000");
    script.receive(". seq 3001 ack 1 len 1000");
    script.expect(". seq 1 ack 1 win 4000");
    script.receive(". seq 4001 ack 1 len 1000");
    script.expect(". seq 1 ack 1 win 4000");
    assertThat(script.handler.takeEvents()).containsExactly("1001+1000", "2001+1000", "3001+1000");
  }

  @Test
  @DisplayName("RFC 9293 3.8.6: octets consumed early open the window when the gap closes")
  void shouldOpenTheWindowByEarlyOctetsWhenTheGapCloses() {
    Script script = Script.established(SMALL);
    script.receive(". seq 1001 ack 1 len 2000");
    script.expect(". seq 1 ack 1 win 4000");
    script.receive(". seq 1 ack 1 len 1000");
    script.expect(". seq 1 ack 3001 win 4000");
  }

  @Test
  @DisplayName("RFC 9293 3.8.6: early octets that are kept close the window when the gap closes")
  @Tag("DDP-A-03")
  void shouldCountEarlyOctetsThatAreKept() {
    Script script = Script.established(SMALL);
    script.handler.consumes = false;
    script.receive(". seq 1001 ack 1 len 2000");
    script.expect(". seq 1 ack 1 win 4000");
    script.receive(". seq 1 ack 1 len 1000");
    script.expect(". seq 1 ack 3001 win 1000");
    script.stream.consumed(3000);
    script.turn();
    script.expect(". seq 1 ack 3001 win 4000");
  }

  @Test
  @DisplayName("RFC 9293 3.8.6: consuming more than was handed up does not move the right edge")
  void shouldNotPromiseForOctetsThatNeverCame() {
    Script script = Script.established(SMALL);
    script.handler.consumes = false;
    script.receive(". seq 1001 ack 1 len 1000");
    script.expect(". seq 1 ack 1 win 4000");
    script.stream.consumed(100_000);
    script.receive(". seq 1 ack 1 len 1000");
    script.expect(". seq 1 ack 2001 win 3000");
  }

  @Test
  @DisplayName("RFC 9293 3.8.6.2.2: the window does not shrink while it is filled in any order")
  @Tag("DDP-A-04")
  void shouldNeverShrinkTheWindow() {
    Script script = Script.established(SMALL);
    script.handler.consumes = false;
    int edge = 4001;
    int[] sequences = {3001, 1001, 1, 2001};
    int[] acknowledged = {1, 1, 2001, 4001};
    for (int i = 0; i < sequences.length; i++) {
      script.receive(". seq " + sequences[i] + " ack 1 len 1000");
      script.expect(". seq 1 ack " + acknowledged[i] + " win " + (edge - acknowledged[i]));
    }
  }

  @Test
  @DisplayName("RFC 7323 2.3: nor does a scaled one, where scaling rounds")
  @Tag("DDP-A-04")
  void shouldNeverShrinkAScaledWindow() {
    Script script = new Script(SMALL.withReceiveBuffer(1_000_003).withWindowScale(true));
    script.handler.consumes = false;
    script.connect();
    script.expect("S seq 0 ws 4 win 65535");
    script.receive("S. seq 0 ack 1 ws 0 mss 1000");
    script.expect(". seq 1 ack 1 win 62500");
    script.receive(". seq 101 ack 1 len 7");
    script.expect(". seq 1 ack 1 win 62500");
    script.receive(". seq 1 ack 1 len 100");
    script.expect(". seq 1 ack 108 win 62494");
    script.receive(". seq 108 ack 1 len 1");
    script.expect(". seq 1 ack 109 win 62494");
  }

  @Test
  @DisplayName("RFC 9293 3.8.6.1: a probe of a closed window is acknowledged and not taken")
  void shouldAnswerAProbeOfAClosedWindow() {
    Script script = Script.established(SMALL);
    script.handler.consumes = false;
    for (int sequence = 1; sequence < 4001; sequence += 1000) {
      script.receive(". seq " + sequence + " ack 1 len 1000");
    }
    assertThat(script.drain()).isEqualTo(4);
    script.handler.takeEvents();
    script.receive(". seq 4001 ack 1 len 1");
    script.expect(". seq 1 ack 4001 win 0");
    script.receive(". seq 4001 ack 1 len 1");
    script.expect(". seq 1 ack 4001 win 0");
    script.receive(". seq 4000 ack 1");
    script.expect(". seq 1 ack 4001 win 0");
    assertThat(script.handler.takeEvents()).isEmpty();
    script.stream.consumed(4000);
    script.turn();
    script.expect(". seq 1 ack 4001 win 4000");
    script.receive(". seq 4001 ack 1 len 1");
    assertThat(script.handler.takeEvents()).containsExactly("4001+1");
  }

  @Test
  @DisplayName("RFC 9293 3.8.6.2.2: a window that is closed opens by a segment at least")
  void shouldNotOpenAClosedWindowByLittle() {
    Script script = Script.established(SMALL);
    script.handler.consumes = false;
    for (int sequence = 1; sequence < 4001; sequence += 1000) {
      script.receive(". seq " + sequence + " ack 1 len 1000");
    }
    script.drain();
    script.stream.consumed(999);
    script.receive(". seq 4001 ack 1 len 1");
    script.expect(". seq 1 ack 4001 win 0");
    script.stream.consumed(1);
    script.receive(". seq 4001 ack 1 len 1");
    script.expect(". seq 1 ack 4001 win 1000");
  }

  @Test
  @DisplayName("RFC 9293 3.8.6.2.2: half of a small buffer is worth a window update")
  void shouldReportHalfASmallBuffer() {
    Script script = Script.established(Script.plain().withReceiveBuffer(2048));
    script.handler.consumes = false;
    script.receive(". seq 1 ack 1 len 1000");
    script.expect(". seq 1 ack 1001 win 1048");
    script.receive(". seq 1001 ack 1 len 24");
    script.expect(". seq 1 ack 1025 win 1024");
    script.stream.consumed(1023);
    script.turn();
    script.expectNothing();
    script.stream.consumed(1);
    script.turn();
    script.expect(". seq 1 ack 1025 win 2048");
  }

  @Test
  @DisplayName(
      "RFC 5961 4, RFC 9293 3.10.7.4: what lies outside is dropped, and we say where we are")
  @Tag("MPAA-3-02")
  void shouldDropWhatLiesOutside() {
    Script script = Script.established(SMALL);
    script.receive(". seq 1001 ack 1 len 500");
    script.expect(". seq 1 ack 1");
    script.receive(". seq 4001 ack 1 len 10");
    script.expect(". seq 1 ack 1");
    script.receive(". seq -100 ack 1 len 50");
    script.expect(". seq 1 ack 1");
    assertThat(script.handler.takeEvents()).containsExactly("1001+500");
  }
}
