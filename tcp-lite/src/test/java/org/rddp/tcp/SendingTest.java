package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Segments that leave: boundaries, windows, probes, resources (RFC 9293 section 3.8). */
class SendingTest {
  @Test
  @Tag("MPAA-1-01")
  @Tag("D03-5.1.1-01")
  @Tag("D03-7.3-01")
  void shouldSendEachPacketAsOneSegmentAtOnce() {
    Script script = Script.established();
    script.queue(100);
    script.queue(1);
    script.queue(1000);
    script.turn();
    script.expect("P. seq 1 ack 1 len 100");
    script.expect("P. seq 101 ack 1 len 1");
    script.expect("P. seq 102 ack 1 len 1000");
    script.expectNothing();
    assertThat(script.stream.sendPosition()).isEqualTo(1101);
    assertThat(script.stream.unacknowledged()).isEqualTo(1101);
  }

  @Test
  @Tag("MPAA-2-05")
  @Tag("D03-7.3-02")
  @DisplayName("RFC 5044 A.1: a short segment does not wait while data is in flight")
  void shouldSendAShortSegmentWhileDataIsInFlight() {
    Script script = Script.established();
    script.send(100);
    script.expect("P. seq 1 len 100");
    script.send(100);
    script.expect("P. seq 101 len 100");
  }

  @Test
  void shouldKeepThePacketUntilItsLastOctetIsAcknowledged() {
    Script script = Script.established();
    int before = script.pool.available();
    script.send(100);
    script.expect("P. seq 1 len 100");
    assertThat(script.pool.available()).isEqualTo(before - 1);
    script.receive(". seq 1 ack 100");
    assertThat(script.pool.available()).isEqualTo(before - 1);
    assertThat(script.stream.unacknowledged()).isEqualTo(1);
    script.receive(". seq 1 ack 101");
    assertThat(script.pool.available()).isEqualTo(before);
    assertThat(script.stream.unacknowledged()).isZero();
  }

  @Test
  void shouldPushOnlyTheLastSegmentOfABacklog() {
    Script script = Script.established();
    script.receive(". seq 1 ack 1 win 0");
    script.queue(100);
    script.queue(100);
    script.turn();
    script.expectNothing();
    script.receive(". seq 1 ack 1 win 1000");
    script.expect(". seq 1 len 100");
    script.expect("P. seq 101 len 100");
  }

  @Test
  @Tag("MPAA-1-05")
  void shouldCutAPacketThatExceedsTheEmss() {
    Script script = Script.established();
    script.send(2500);
    script.expect(". seq 1 len 1000");
    script.expect(". seq 1001 len 1000");
    script.expect("P. seq 2001 len 500");
    assertThat(script.stack.counters().split).isEqualTo(2);
    script.receive(". seq 1 ack 2501");
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
  }

  @Test
  void shouldWaitForTheWindowRatherThanCutWhileDataIsInFlight() {
    Script script = Script.established();
    script.receive(". seq 1 ack 1 win 1500");
    script.queue(1000);
    script.queue(1000);
    script.turn();
    script.expect(". seq 1 len 1000");
    script.expectNothing();
    script.receive(". seq 1 ack 1001 win 1500");
    script.expect("P. seq 1001 len 1000");
  }

  @Test
  @Tag("MPAA-1-05")
  void shouldCutAPacketLargerThanAWindowThatIsAlwaysSmall() {
    Script script = new Script();
    script.connect();
    script.expect("S seq 0");
    script.receive("S. seq 0 ack 1 win 600 mss 1000");
    script.expect(". seq 1 ack 1");
    script.send(1000);
    script.expect(". seq 1 len 600");
    script.expectNothing();
    script.receive(". seq 1 ack 601 win 600");
    script.expect("P. seq 601 len 400");
  }

  @Test
  void shouldUseALittleWindowOnlyAfterTheTimer() {
    Script script = Script.established();
    script.receive(". seq 1 ack 1 win 200");
    script.send(1000);
    script.expectNothing();
    script.pass(Script.SECOND);
    script.expect(". seq 1 len 200");
    script.receive(". seq 1 ack 201 win 65535");
    script.expect("P. seq 201 len 800");
  }

  @Test
  void shouldProbeAClosedWindowLaterEachTimeAndForEver() {
    Script script = Script.established();
    script.receive(". seq 1 ack 1 win 0");
    script.send(100);
    script.expectNothing();
    long wait = Script.SECOND / 5;
    for (int i = 0; i < 12; i++) {
      script.pass(wait - 1);
      script.expectNothing();
      script.pass(1);
      script.expect(". seq 0 ack 1 len 0");
      script.receive(". seq 1 ack 1 win 0");
      wait = Math.min(2 * wait, 60 * Script.SECOND);
    }
    script.receive(". seq 1 ack 1 win 1000");
    script.expect("P. seq 1 len 100");
    assertThat(script.handler.takeEvents()).isEmpty();
    assertThat(script.stack.counters().probes).isEqualTo(12);
  }

  @Test
  void shouldGiveUpAPeerThatNoLongerAnswersProbes() {
    Script script = Script.established();
    script.receive(". seq 1 ack 1 win 0");
    script.send(100);
    for (int i = 0; i < 200; i++) {
      script.pass(Script.SECOND);
    }
    assertThat(script.handler.takeEvents()).containsExactly("closed TIMEOUT");
  }

  @Test
  void shouldProbeForAUserThatWasToldToWait() {
    Script script = Script.established();
    script.receive(". seq 1 ack 1 win 0");
    assertThat(script.stream.sendable()).isFalse();
    script.pass(Script.SECOND / 5);
    script.expect(". seq 0 len 0");
    script.receive(". seq 1 ack 1 win 65535");
    assertThat(script.handler.takeEvents()).containsExactly("sendable");
  }

  @Test
  void shouldSendTenSegmentsBeforeTheFirstAcknowledgment() {
    Script script = Script.established();
    int sent = 0;
    while (script.stream.sendable()) {
      script.queue(1000);
      sent++;
    }
    script.turn();
    assertThat(sent).isEqualTo(10);
    assertThat(script.drain()).isEqualTo(10);
    script.receive(". seq 1 ack 10001");
    assertThat(script.handler.takeEvents()).containsExactly("sendable");
    sent = 0;
    while (script.stream.sendable()) {
      script.queue(1000);
      sent++;
    }
    assertThat(sent).isEqualTo(20);
  }

  @Test
  void shouldNotOpenTheCongestionWindowThatIsNotUsed() {
    Script script = Script.established();
    for (int i = 0; i < 50; i++) {
      script.send(100);
      script.receive(". seq 1 ack " + (101 + i * 100));
    }
    script.drain();
    int sent = 0;
    while (script.stream.sendable()) {
      script.queue(1000);
      sent++;
    }
    assertThat(sent).isEqualTo(10);
  }

  @Test
  void shouldTakeSegmentsBeyondTheWindowsAndLetThemWait() {
    Script script = Script.established();
    for (int i = 0; i < 30; i++) {
      script.queue(1000);
    }
    script.turn();
    assertThat(script.drain()).isEqualTo(10);
    script.receive(". seq 1 ack 10001");
    assertThat(script.drain()).isEqualTo(20);
  }

  @Test
  void shouldIgnoreAnOldWindow() {
    Script script = Script.established();
    script.receive(". seq 1 ack 1 len 10 win 500");
    script.expect(". seq 1 ack 11");
    script.receive(". seq 1 ack 1 win 65535 len 10");
    script.expect(". seq 1 ack 11");
    script.queue(500);
    script.queue(500);
    script.turn();
    script.expect(". seq 1 len 500");
    script.expectNothing();
  }

  @Test
  void shouldAnswerAnAcknowledgmentOfWhatWasNeverSent() {
    Script script = Script.established();
    script.receive(". seq 1 ack 2 len 10");
    script.expect(". seq 1 ack 1");
    assertThat(script.handler.takeEvents()).isEmpty();
  }

  @Test
  void shouldAnswerAnAcknowledgmentThatIsTooOld() {
    Script script = Script.established();
    script.receive(". seq 1 ack -70000 len 10");
    script.expect(". seq 1 ack 1");
    assertThat(script.handler.takeEvents()).isEmpty();
    assertThat(script.stack.counters().unacceptable).isEqualTo(1);
  }

  @Test
  void shouldTakeTheDataOfASegmentWithAnOlderAcknowledgment() {
    Script script = Script.established();
    script.send(100);
    script.receive(". seq 1 ack 101");
    script.receive(". seq 1 ack 50 len 10");
    assertThat(script.handler.takeEvents()).containsExactly("1+10");
  }

  @Test
  void shouldWaitWhenTheDeviceTakesNoMoreFrames() {
    Script script = Script.established();
    script.device.accepts = 2;
    for (int i = 0; i < 5; i++) {
      script.queue(100);
    }
    script.turn();
    assertThat(script.drain()).isEqualTo(2);
    script.device.accepts = Integer.MAX_VALUE;
    script.turn();
    script.expect(". seq 201 len 100");
    script.expect(". seq 301 len 100");
    script.expect("P. seq 401 len 100");
  }

  @Test
  void shouldSendEverythingInOrderAfterTheDeviceWasBusyForLong() {
    Script script = Script.established();
    for (int i = 1; i < 40; i++) {
      script.send(1000);
      script.receive(". seq 1 ack " + (1 + i * 1000));
    }
    script.drain();
    script.device.accepts = 0;
    for (int i = 0; i < 30; i++) {
      script.receive(". seq " + (1 + i * 10) + " ack 39001 len 10");
    }
    for (int i = 0; i < 100; i++) {
      script.queue(10);
    }
    script.turn();
    assertThat(script.stack.packetsHeld()).isEqualTo(100);
    script.device.accepts = Integer.MAX_VALUE;
    script.turn();
    script.turn();
    script.receive(". seq 301 ack 40001");
    assertThat(script.stream.unacknowledged()).isZero();
  }

  @Test
  void shouldRefusePacketsPastAConnectionsShareAndTellWhenToTryAgain() {
    Script script = Script.established();
    int packets = 0;
    for (long packet = script.stream.allocate(); packet != 0; packet = script.stream.allocate()) {
      script.pool.window(packet, script.pool.address(packet), 1000);
      script.stream.send(packet);
      packets++;
    }
    assertThat(packets).isEqualTo(128);
    script.turn();
    assertThat(script.handler.takeEvents()).isEmpty();
    for (int sent = 0; sent < 128; ) {
      sent += script.drain();
      script.receive(". seq 1 ack " + (sent * 1000 + 1));
    }
    assertThat(script.handler.takeEvents()).contains("sendable");
  }

  @Test
  void shouldDelayTheAcknowledgmentUntilThereIsAPacket() {
    Script script = Script.established();
    script.device.put(script.build(". seq 1 ack 1 len 100"));
    script.stack.receive(script.now);
    long[] taken = new long[script.pool.capacity()];
    int count = 0;
    for (long packet = script.pool.allocate(); packet != 0; packet = script.pool.allocate()) {
      taken[count++] = packet;
    }
    script.stack.transmit(script.now);
    script.expectNothing();
    assertThat(script.stack.counters().packetsExhausted).isPositive();
    for (int i = 0; i < count; i++) {
      script.pool.release(taken[i]);
    }
    script.stack.transmit(script.now);
    script.expect(". seq 1 ack 101");
  }

  @Test
  void shouldReleaseWhatIsSentAfterTheEnd() {
    Script script = Script.established();
    long packet = script.stream.allocate();
    script.pool.window(packet, script.pool.address(packet), 10);
    script.stream.abort();
    script.stream.send(packet);
    script.turn();
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
  }

  @Test
  void shouldReleaseAnEmptyPacket() {
    Script script = Script.established();
    script.stream.send(script.stream.allocate());
    script.turn();
    script.expectNothing();
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
  }

  @Test
  @DisplayName("RFC 9293 3.8.6: a retransmission that acknowledges more brings its window, too")
  void shouldTakeTheWindowOfARetransmissionThatAcknowledgesMore() {
    Script script = Script.established();
    for (int i = 0; i < 4; i++) {
      script.send(1000);
      script.drain();
    }
    script.receive(". seq 11 ack 1001 win 4000 len 10");
    script.receive(". seq 1 ack 3001 win 2000 len 10");
    script.drain();
    for (int i = 0; i < 3; i++) {
      script.send(1000);
    }
    script.expect("P. seq 4001 len 1000");
    script.expectNothing();
  }

  @Test
  @DisplayName("RFC 9293 3.4: nothing is unacknowledged once the FIN is acknowledged")
  void shouldCountNoFinAmongUnacknowledgedOctets() {
    Script script = Script.established();
    script.stream.closeSend();
    script.turn();
    script.expect("F. seq 1 ack 1");
    script.receive(". seq 1 ack 2");
    assertThat(script.stream.unacknowledged()).isZero();
  }
}
