package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Segments that stay open for more until the turn of the duty cycle ends. */
class OpenSegmentTest {
  private final Script script = Script.established();

  @AfterEach
  void nothingIsKept() {
    script.stack.close();
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
  }

  @Test
  @Tag("MPAA-1-02")
  @Tag("MPA-5.1-05")
  @DisplayName("RFC 5044 A.2: data sent within a turn shares one segment and packet")
  void shouldPutWhatFollowsIntoTheSegment() {
    script.pack(100, true);
    script.pack(200, true);
    script.pack(300, true);
    assertThat(script.stack.packetsHeld()).isOne();
    script.expectNothing();
    script.turn();
    script.expect("P. seq 1 len 600");
    script.receive(". seq 1 ack 601");
    assertThat(script.stream.unacknowledged()).isZero();
  }

  @Test
  @DisplayName("RFC 5044 A.2: the end of the turn is all that it waits for")
  void shouldLeaveAtTheEndOfTheTurnWithDataInFlight() {
    script.pack(100, true);
    script.turn();
    script.expect("P. seq 1 len 100");
    script.pack(100, true);
    script.turn();
    script.expect("P. seq 101 len 100");
    assertThat(script.stream.openRoom()).isZero();
  }

  @Test
  @DisplayName("RFC 5044 A.2: a segment that nothing more follows in leaves at once")
  void shouldLeaveAtOnceWhenNothingMoreFollows() {
    script.pack(100, true);
    script.pack(600, false);
    assertThat(script.stream.openRoom()).isZero();
    script.pack(50, true);
    script.stack.transmit(script.now);
    script.expect(". seq 1 len 700");
    script.expect("P. seq 701 len 50");
  }

  @Test
  @DisplayName("RFC 5044 A.1: one segment is open at a time, the last")
  void shouldSendWhatIsBeforeTheOpenSegment() {
    script.pack(900, true);
    script.put(400, false, false, true);
    assertThat(script.stream.openRoom()).isNotZero();
    script.pack(100, true);
    script.turn();
    script.expect(". seq 1 len 900");
    script.expect("P. seq 901 len 500");
  }

  @Test
  @DisplayName("RFC 5044 A.2: arrivals of the same turn do not close it")
  void shouldStayOpenWhenSegmentsArrive() {
    script.send(100);
    script.expect("P. seq 1 len 100");
    script.pack(100, true);
    script.stack.receive(script.now);
    script.device.put(script.build(". seq 1 ack 101"));
    script.stack.receive(script.now);
    script.expectNothing();
    script.pack(100, true);
    script.turn();
    script.expect("P. seq 101 len 200");
  }

  @Test
  @DisplayName("RFC 9293 3.7.4: whoever is asked whether there is room counts the open segment's")
  void shouldBeSendableWhileASegmentIsOpen() {
    script.pack(100, true);
    assertThat(script.stream.sendable()).isTrue();
    script.pack(900, true);
    assertThat(script.stream.sendable()).as("a full segment is none to be filled").isTrue();
    script.turn();
    script.expect("P. seq 1 len 1000");
  }

  @Test
  @DisplayName("RFC 9293 3.8.6: a segment that the window holds back may be filled")
  void shouldFillASegmentThatWaitsForTheWindow() {
    script.send(1000);
    script.expect("P. seq 1 len 1000");
    script.receive(". seq 1 ack 1001 win 0");
    script.pack(100, true);
    script.turn();
    script.expectNothing();
    assertThat(script.stream.sendable()).isFalse();
    script.pack(200, true);
    script.turn();
    script.expectNothing();
    script.receive(". seq 1 ack 1001 win 5000");
    script.expect("P. seq 1001 len 300");
  }

  @Test
  @DisplayName("RFC 5044 A.1: a lost segment is sent again unchanged, and is not open")
  void shouldNotFillASegmentThatHasLeft() {
    script.pack(100, true);
    script.turn();
    script.expect("P. seq 1 len 100");
    assertThat(script.stream.openRoom()).isZero();
    assertThatThrownBy(() -> script.stream.commit(4, true))
        .isInstanceOf(IllegalStateException.class);
    script.pack(100, true);
    script.turn();
    script.expect("P. seq 101 len 100");
    script.pass(2 * Script.SECOND);
    script.expect(". seq 1 len 100");
  }

  @Test
  @DisplayName("RFC 9293 3.9.1: a FIN follows the open segment at once")
  void shouldSendTheOpenSegmentBeforeTheFin() {
    script.pack(100, true);
    script.stream.closeSend();
    assertThat(script.stream.openRoom()).isZero();
    script.turn();
    script.expect("P. seq 1 len 100");
    script.expect("F. seq 101");
  }

  @Test
  @DisplayName(
      "RFC 5044 5.1: a segment that is too long for the path is sent in pieces, which are not open")
  void shouldCutAnOpenSegmentWhenEmssFalls() {
    script.send(1000);
    script.expect("P. seq 1 len 1000");
    script.pack(600, true);
    script.receiveTooBig(1, 1040, 540);
    script.expect(". seq 1 len 500");
    script.receive(". seq 1 ack 501");
    script.receive(". seq 1 ack 1001");
    script.drain();
    assertThat(script.stream.openRoom()).isZero();
  }

  @Test
  @DisplayName("RFC 5044 A.2: a user that is notified by onSendable sends in the same turn")
  void shouldNotLetWhatTheUserSendsAtTheEndOfTheTurnWait() {
    script.queue(500);
    int full = 0;
    while (script.stream.sendable()) {
      script.queue(1000);
      full++;
    }
    script.turn();
    script.drain();
    script.handler.uponSendable = () -> script.pack(100, true);
    script.receive(". seq 1 ack " + (1 + 500 + 1000 * full));
    script.expect("P. seq " + (1 + 500 + 1000 * full) + " len 100");
  }
}
