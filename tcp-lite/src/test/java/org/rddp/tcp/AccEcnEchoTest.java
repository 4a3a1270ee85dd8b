package org.rddp.tcp;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The receiver's part in accurate ECN (RFC 9768 sections 3.2, 3.2.2.5.1 and 3.2.3). */
class AccEcnEchoTest {
  private static final int CE = 3;

  private static TcpSettings settings() {
    return Script.plain()
        .withEcn(true)
        .withAccurateEcn(AccurateEcn.ASK)
        .withSelectiveAcknowledgment(true);
  }

  private static Script established(TcpSettings settings, String options) {
    Script script = new Script(settings);
    script.connect();
    script.expect("SAWE seq 0");
    script.receive("SW. seq 0 ack 1 win 65535 mss 1000 acc 172:1,0,1 sackok" + options);
    script.expect(". seq 1 ack 1 ace 2 acc 172:1,0,1");
    script.send(1);
    script.expect("P. seq 1 len 1 ace 5");
    script.receive(". seq 1 ack 2 ace 5 acc 172:2,0,1" + options);
    script.handler.takeEvents();
    return script;
  }

  private static Script established() {
    return established(settings(), "");
  }

  private static String data(int sequence, int codepoint) {
    return ". seq " + sequence + " ack 2 len 100 ace 5 ecn " + codepoint;
  }

  @Test
  @Tag("ACC-3.2-01")
  @Tag("ACC-3.2-02")
  @Tag("ACC-3.2.1-01")
  @Tag("ACC-3.2.2-01")
  @Tag("ACC-3.2.3.3-02")
  @DisplayName("RFC 9768 3.2: packets with CE are counted, and octets by their codepoint")
  void shouldCountPacketsAndOctets() {
    Script script = established();
    script.receive(data(1, 2));
    script.expect(". seq 2 ack 101 ace 5 acc 172:101,0");
    script.receive(data(101, CE));
    script.expect(". seq 2 ack 201 ace 6 acc 172:101,100");
    script.receive(data(201, 1));
    script.expect(". seq 2 ack 301 ace 6 acc 172:101,100,101");
    script.receive(data(301, 0));
    script.expect(". seq 2 ack 401 ace 6 acc -");
    script.receive(data(401, CE));
    script.expect(". seq 2 ack 501 ace 7 acc 172:101,200,101");
    script.receive(data(501, CE));
    script.expect(". seq 2 ack 601 ace 0 acc 172:101,300,101");
  }

  @Test
  @Tag("ACC-3.2-01")
  @DisplayName("RFC 9768 3.2: a train that something has merged counts as the packets that it was")
  void shouldCountThePacketsOfATrain() {
    Script script = established();
    script.receive(". seq 1 ack 2 len 4000 ace 5 ecn 3");
    script.expect(". seq 2 ack 4001 ace 0 acc 172:1,4000");
  }

  @Test
  @Tag("ACC-3.2.3-01")
  @DisplayName("RFC 9768 3.2.3: where only ECT(1) arrives, it comes first")
  void shouldChooseTheOrder() {
    Script script = established();
    script.receive(data(1, 1));
    script.expect(". seq 2 ack 101 ace 5 acc 174:101,0");
    script.receive(data(101, 2));
    script.expect(". seq 2 ack 201 ace 5 acc 172:101,0,101");
  }

  @Test
  @Tag("ACC-3.2.3.1-01")
  @DisplayName("RFC 9768 3.2.3.1: counters of octets have 24 bits")
  void shouldWrapTheCountersOfOctets() {
    Script script = established(settings().withReceiveBuffer(1 << 16), "");
    int sent = 0;
    for (int i = 0; i < (1 << 24) / 1000; i++) {
      script.receive(". seq " + (1 + i * 1000) + " ack 2 len 1000 ace 5 ecn 2");
      script.stream.consumed(1000);
      script.drain();
      sent += 1000;
    }
    script.receive(". seq " + (1 + sent) + " ack 2 len 1000 ace 5 ecn 2");
    int expected = 1 + sent + 1000 - (1 << 24);
    script.expect(". seq 2 ace 5 acc 172:" + expected + ",0");
  }

  @Test
  @Tag("ACC-3.2-01")
  @DisplayName("RFC 9768 3.2: a FIN, a repeated segment in the window and an early one count, too")
  void shouldCountEveryAcceptablePacket() {
    Script script = established();
    script.receive(data(101, CE));
    script.expect(". seq 2 ack 1 ace 6 sack 101-201");
    script.receive(data(101, CE));
    script.drain();
    script.receive(data(1, 2));
    script.expect(". seq 2 ack 201 ace 7");
    script.receive("F. seq 201 ack 2 ace 5 ecn 3");
    script.expect(". seq 2 ack 202 ace 0");
  }

  @Test
  @Tag("ACC-3.2-01")
  @DisplayName("RFC 9768 3.2: what is not acceptable is not counted")
  void shouldNotCountUnacceptablePackets() {
    Script script = established();
    script.receive(data(1, 2));
    script.expect(". seq 2 ack 101 ace 5");
    script.receive(data(1, CE));
    script.expect(". seq 2 ack 101 ace 5");
    script.receive(data(30_001, CE));
    script.expect(". seq 2 ack 101 ace 5");
  }

  @Test
  @Tag("ACC-3.2.2.5.1-01")
  @DisplayName("RFC 9768 3.2.2.5.1: the first packet with CE is acknowledged at once")
  void shouldAcknowledgeTheFirstMarkAtOnce() {
    Script script = established(settings().withAcknowledgmentDelay(1_000_000), "");
    script.receive(data(1, 2));
    script.expectNothing();
    script.pass(1_000_000);
    script.expect(". seq 2 ack 101 ace 5");
    script.receive(data(101, CE));
    script.expect(". seq 2 ack 201 ace 6");
    script.receive(data(201, CE));
    script.expectNothing();
    script.receive(data(301, CE));
    script.expect(". seq 2 ack 401 ace 0");
  }

  @Test
  @Tag("ACC-3.2.2.5.1-02")
  @DisplayName("RFC 9768 3.2.2.5.1: in a burst no more than seven packets with CE wait")
  void shouldNotLetAceGoAroundInABurst() {
    Script script = established();
    String[] burst = new String[20];
    for (int i = 0; i < burst.length; i++) {
      burst[i] = data(1 + 100 * i, CE);
    }
    script.receiveTogether(burst);
    script.expect(". seq 2 ack 701 ace 4 acc 172:1,700");
    script.expect(". seq 2 ack 1401 ace 3 acc 172:1,1400");
    script.expect(". seq 2 ack 2001 ace 1 acc 172:1,2000");
    script.expectNothing();
  }

  @Test
  @Tag("ACC-3.2.2.5.1-02")
  @DisplayName("RFC 9768 3.2.2.5.1: the third acknowledgment with CE is acknowledged, without SACK")
  void shouldAcknowledgeMarkedAcknowledgments() {
    Script script = established();
    script.receive(". seq 1 ack 2 ace 5 ecn 3");
    script.receive(". seq 1 ack 2 ace 5 ecn 3");
    script.expectNothing();
    script.receive(". seq 1 ack 2 ace 5 ecn 3");
    script.expect(". seq 2 ack 1 ace 0 sack - acc -");
    script.expectNothing();
  }

  @Test
  @Tag("ACC-3.2.2.5.1-02")
  @DisplayName("RFC 9768 3.2.2.5.1: without SACK acknowledgments of acknowledgments are duplicates")
  void shouldNotAcknowledgeAcknowledgmentsWithoutSack() {
    Script script = established(settings().withSelectiveAcknowledgment(false), "");
    for (int i = 0; i < 4; i++) {
      script.receive(". seq 1 ack 2 ace 5 ecn 3");
    }
    script.expectNothing();
  }

  @Test
  @Tag("ACC-3.2.3.3-01")
  @Tag("ACC-3.2.3.3-03")
  @DisplayName("RFC 9768 3.2.3.3: two SACK blocks go before the option, the option before a third")
  void shouldShareTheRoomWithSack() {
    Script script = established(settings().withTimestamps(true), " ts 100 ecr 1");
    script.receive(data(201, 2) + " ts 101 ecr 1");
    script.expect(". seq 2 ack 1 sack 201-301 acc 172:101,0 ace 5");
    script.receive(data(401, 2) + " ts 101 ecr 1");
    script.expect(". seq 2 ack 1 sack 401-501,201-301 acc 172:201,0 ace 5");
    script.receive(data(601, 2) + " ts 101 ecr 1");
    script.expect(". seq 2 ack 1 sack 601-701,401-501 acc 172:301,0 ace 5");
    script.receive(data(801, 1) + " ts 101 ecr 1");
    script.expect(". seq 2 ack 1 sack 801-901,601-701,401-501 acc - ace 5");
    script.receive(data(1001, 0) + " ts 101 ecr 1");
    script.expect(". seq 2 ack 1 sack 1001-1101,801-901,601-701 acc - ace 5");
  }

  @Test
  @Tag("ACC-3.2.3.2.1-03")
  @DisplayName("RFC 9768 3.2.3.2.1: a full segment has no room, and a short one has the option")
  void shouldPutTheOptionWhereThereIsRoom() {
    Script script = established();
    script.receive(data(1, 2));
    script.expect(". seq 2 ack 101 ace 5 acc 172:101,0");
    script.receiveTogether(data(101, 2));
    script.drain();
    script.queue(1000);
    script.receive(data(201, CE));
    script.drain();
    script.receive(". seq 301 ack 1002 ace 5");
    script.send(100);
    script.expect("P. seq 1002 len 100 ace 6 acc -");
  }

  @Test
  @Tag("ACC-3.2.3.2.2-03")
  @DisplayName("RFC 9768 3.2.3.2.2: if the first segment with an option is lost, no more are sent")
  void shouldStopSendingOptionsThatTheFirstSegmentLost() {
    Script script = new Script(settings());
    script.connect();
    script.expect("SAWE seq 0");
    script.receive("SW. seq 0 ack 1 win 65535 mss 1000 acc 172:1,0,1 sackok");
    script.expect(". seq 1 ack 1 ace 2 acc 172:1,0,1");
    script.send(100);
    script.expect("P. seq 1 len 100 ace 5 acc 172:1,0");
    script.pass(Script.SECOND);
    script.expect("P. seq 1 len 100 ace 5 acc -");
    script.receive(". seq 1 ack 101 len 100 ace 5 ecn 3");
    script.expect(". seq 101 ack 101 ace 6 acc -");
  }
}
