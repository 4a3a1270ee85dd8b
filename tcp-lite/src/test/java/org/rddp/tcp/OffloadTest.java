package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.rddp.device.OffloadingDevice;
import org.rddp.device.Offloads;

/** Offloads of network cards, and links that go down. */
class OffloadTest {
  private OffloadingDevice card;
  private Script script;

  private void open(int offloads, TcpSettings settings) {
    script =
        new Script(
            settings,
            1500,
            device -> {
              card = new OffloadingDevice(device, offloads);
              return card;
            });
    script.connect();
    script.expect("S seq 0");
    script.receive("S. seq 0 ack 1 win 65535 mss 1000");
    script.expect(". seq 1 ack 1");
    assertThat(script.handler.takeEvents()).contains("open");
  }

  @AfterEach
  void shouldGiveEveryPacketBack() {
    script.stack.close();
    script.device.letGo();
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
  }

  @Test
  @DisplayName("RFC 9293 3.1: a card that computes checksums finds the pseudo header's sum")
  void shouldLeaveChecksumsToTheCard() {
    open(Offloads.CHECKSUM, Script.plain());
    script.send(1000);
    script.expect(". seq 1 len 1000");
    script.receive(". seq 1 ack 1001 len 100");
    script.expect(". seq 1001 ack 101");
    assertThat(card.completed).isEqualTo(4);
  }

  @Test
  @DisplayName("RFC 9293 3.1: options are under the checksum that the card computes")
  void shouldLeaveChecksumsOverOptionsToTheCard() {
    script =
        new Script(
            Script.plain().withTimestamps(true).withWindowScale(true),
            1500,
            device -> {
              card = new OffloadingDevice(device, Offloads.CHECKSUM);
              return card;
            });
    script.connect();
    script.expect("S seq 0");
    script.receive("S. seq 0 ack 1 win 65535 mss 1000 ws 3 ts 1 ecr 0");
    script.expect(". seq 1 ack 1 ecr 1");
    script.send(500);
    script.expect(". seq 1 len 500");
    assertThat(card.completed).isEqualTo(3);
  }

  @Test
  @DisplayName("RFC 6298 5.4: a segment that is sent again is left to the card again")
  void shouldLeaveRetransmissionsToTheCard() {
    open(Offloads.CHECKSUM, Script.plain());
    script.send(700);
    script.expect(". seq 1 len 700");
    int before = card.completed;
    script.pass(10 * Script.SECOND);
    script.expect(". seq 1 len 700");
    assertThat(card.completed).isGreaterThan(before);
  }

  @Test
  @DisplayName("RFC 9293 3.1: a checksum that a card has verified is not checked again")
  void shouldTrustTheCard() {
    open(Offloads.VERDICT, Script.plain());
    card.verdict = Offloads.GOOD;
    receiveBroken(". seq 1 ack 1 len 100");
    script.expect(". seq 1 ack 101");
    assertThat(script.stack.counters().checksumErrors).isZero();
  }

  @Test
  @DisplayName("RFC 9293 3.1: a segment whose checksum a card has found wrong is dropped")
  void shouldDropWhatTheCardFindsWrong() {
    open(Offloads.VERDICT, Script.plain());
    receiveBroken(". seq 1 ack 1 len 100");
    script.expectNothing();
    assertThat(script.stack.counters().checksumErrors).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 9293 3.1: a checksum without a card's verdict is checked here")
  void shouldCheckWhatTheCardDoesNot() {
    open(Offloads.VERDICT, Script.plain());
    card.verdict = Offloads.UNKNOWN;
    receiveBroken(". seq 1 ack 1 len 100");
    script.expectNothing();
    script.receive(". seq 1 ack 1 len 100");
    script.expect(". seq 1 ack 101");
    assertThat(script.stack.counters().checksumErrors).isEqualTo(1);
  }

  private void receiveBroken(String segment) {
    byte[] frame = script.build(segment);
    frame[50] ^= 1;
    script.device.put(frame);
    script.turn();
  }

  @Test
  @DisplayName("RFC 5044 A.2: a card that can cuts the segment that the path no longer carries")
  void shouldLeaveCuttingToTheCard() {
    open(Offloads.CHECKSUM | Offloads.SEGMENTATION, Script.plain());
    script.send(1000);
    script.expect(". seq 1 len 1000");
    script.receiveTooBig(1, 1040, 440);
    script.pass(10 * Script.SECOND);
    script.expect(". seq 1 len 400");
    script.expect(". seq 401 len 400");
    script.expect("P. seq 801 len 200");
    assertThat(card.cut).isPositive();
    assertThat(script.stack.counters().split).isZero();
  }

  @Test
  @DisplayName("a card that cuts is not asked for segments that it may take for malicious")
  void shouldNotLeaveCuttingIntoShortSegmentsToTheCard() {
    script =
        new Script(
            Script.plain().withTimestamps(true),
            1500,
            device -> {
              card = new OffloadingDevice(device, Offloads.CHECKSUM | Offloads.SEGMENTATION);
              return card;
            });
    script.connect();
    script.expect("S seq 0");
    script.receive("S. seq 0 ack 1 win 65535 mss 1000 ts 1 ecr 0");
    script.expect(". seq 1 ack 1");
    script.send(900);
    script.expect(". seq 1 len 900");
    script.receiveTooBig(1, 952, 296);
    script.pass(10 * Script.SECOND);
    script.expect(". seq 1 len 244");
    assertThat(card.cut).isZero();
    assertThat(script.stack.counters().split).isPositive();
  }

  @Test
  @DisplayName("RFC 5044 A.2: without such a card the segment is cut here")
  void shouldCutWithoutACard() {
    open(Offloads.CHECKSUM, Script.plain());
    script.send(1000);
    script.expect(". seq 1 len 1000");
    script.receiveTooBig(1, 1040, 440);
    script.pass(10 * Script.SECOND);
    script.expect(". seq 1 len 400");
    assertThat(script.stack.counters().split).isPositive();
  }

  @Test
  @DisplayName("RFC 2923 2.1: a path that drops what the card has cut is tried with shorter ones")
  void shouldFindABlackHoleBehindACard() {
    open(
        Offloads.CHECKSUM | Offloads.SEGMENTATION,
        Script.plain().withUserTimeout(100_000 * Script.SECOND));
    script.send(1000);
    script.expect("P. seq 1 len 1000");
    while (script.stream.emss() > 256) {
      script.pass(100 * Script.SECOND);
      assertThat(script.now).isLessThan(10_000 * Script.SECOND);
    }
    script.drain();
    script.pass(100 * Script.SECOND);
    script.expect(". seq 1 len 256");
  }

  @Test
  @DisplayName("RFC 9293 3.8.3: a link that goes down and up delays connections only")
  void shouldOutliveALinkThatGoesDown() {
    open(Offloads.NONE, Script.plain());
    script.device.up = false;
    script.device.accepts = 0;
    script.queue(500);
    for (int i = 0; i < 5; i++) {
      script.pass(Script.SECOND);
    }
    script.expectNothing();
    assertThat(script.stack.ipCounters().linkDowns).isEqualTo(1);
    script.device.up = true;
    script.device.accepts = Integer.MAX_VALUE;
    script.pass(10 * Script.SECOND);
    script.expect("P. seq 1 len 500");
    script.drain();
    script.receive(". seq 1 ack 501");
    script.send(10);
    script.expect("P. seq 501 len 10");
    assertThat(script.handler.takeEvents()).isEmpty();
  }
}
