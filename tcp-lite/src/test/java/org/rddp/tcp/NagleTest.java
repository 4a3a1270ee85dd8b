package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.wire.Memory;

/** Nagle's algorithm. */
class NagleTest {
  private final Script script = Script.established(Script.plain().withNagle(true));

  @Test
  @DisplayName("RFC 9293 3.7.4: a short segment waits while data is in flight")
  @Tag("MPAA-2-06")
  void shouldHoldAShortSegmentBack() {
    script.send(100);
    script.expect("P. seq 1 len 100");
    script.send(100);
    script.expectNothing();
    script.receive(". seq 1 ack 101");
    script.expect("P. seq 101 len 100");
  }

  @Test
  @Tag("MPAA-2-06")
  @DisplayName("RFC 5044 A.2: short segments are packed into one, each whole")
  void shouldPackWholeSegments() {
    script.send(100);
    script.queue(100);
    script.queue(200);
    script.queue(300);
    script.turn();
    script.expect("P. seq 1 len 100");
    script.expectNothing();
    assertThat(script.stack.packetsHeld()).isEqualTo(2);
    script.receive(". seq 1 ack 101");
    script.expect("P. seq 101 len 600");
    script.expectNothing();
    script.receive(". seq 1 ack 701");
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
  }

  @Test
  @DisplayName("RFC 9293 3.7.4: a full segment does not wait")
  void shouldSendAFullSegment() {
    script.send(100);
    script.expect("P. seq 1 len 100");
    script.send(1000);
    script.expect("P. seq 101 len 1000");
  }

  @Test
  @DisplayName("RFC 5044 A.2: a segment that nothing more fits into does not wait")
  void shouldNotTearASegmentToFillAnother() {
    script.send(100);
    script.expect("P. seq 1 len 100");
    script.send(950);
    script.expectNothing();
    script.send(100);
    script.expect(". seq 101 len 950");
    script.expectNothing();
    script.receive(". seq 1 ack 1051");
    script.expect("P. seq 1051 len 100");
  }

  @Test
  @DisplayName("RFC 9293 3.7.4: the end of the stream lets everything go")
  void shouldSendEverythingBeforeTheFin() {
    script.send(100);
    script.send(100);
    script.stream.closeSend();
    script.turn();
    script.expect("P. seq 1 len 100");
    script.expect("P. seq 101 len 100");
    script.expect("F. seq 201");
  }

  @Test
  @DisplayName("RFC 5044 A.2: the user may go on while one short segment waits")
  void shouldBeSendableWhileASegmentIsBeingFilled() {
    script.send(100);
    script.send(100);
    assertThat(script.stream.sendable()).isTrue();
    script.send(1000);
    script.drain();
    assertThat(script.stream.sendable()).isTrue();
  }

  @Test
  @DisplayName("RFC 5044 A.2: a packet that somebody else holds is not written to")
  void shouldNotFillASharedPacket() {
    script.send(100);
    script.expect("P. seq 1 len 100");
    long packet = script.stream.allocate();
    script.pool.window(packet, script.pool.address(packet), 1);
    Memory.putByte(script.pool.address(packet), 101);
    script.pool.retain(packet);
    script.stream.send(packet);
    script.send(100);
    script.expect(". seq 101 len 1");
    script.pool.release(packet);
  }

  @Test
  @Tag("MPAA-2-05")
  @DisplayName("RFC 5044 A.2: each connection may turn it off, and on")
  void shouldBeForEachConnectionToChoose() {
    script.send(100);
    script.expect("P. seq 1 len 100");
    script.send(100);
    script.expectNothing();
    script.stream.nagle(false);
    script.turn();
    script.expect("P. seq 101 len 100");
    script.send(100);
    script.expect("P. seq 201 len 100");
    Script other = Script.established();
    other.stream.nagle(true);
    other.send(100);
    other.expect("P. seq 1 len 100");
    other.send(100);
    other.expectNothing();
    other.receive(". seq 1 ack 101");
    other.expect("P. seq 101 len 100");
  }

  @Test
  @DisplayName("RFC 5044 A.1: without it nothing waits")
  @Tag("D03-7.3-02")
  void shouldBeOffByDefault() {
    assertThat(TcpSettings.DEFAULTS.nagle()).isFalse();
    Script other = Script.established();
    other.send(100);
    other.send(100);
    other.expect("P. seq 1 len 100");
    other.expect("P. seq 101 len 100");
  }
}
