package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.wire.Icmpv4;

/** "Fragmentation needed" messages, valid and invalid. */
class PathMtuTest {
  private final Script script = open(Script.plain());

  private static Script open(TcpSettings settings) {
    Script script = new Script(settings);
    script.connect();
    script.expect("S seq 0");
    script.receive("S. seq 0 ack 1 win 65535 mss 1460");
    script.expect(". seq 1 ack 1");
    assertThat(script.stream.emss()).isEqualTo(1460);
    return script;
  }

  @Test
  @DisplayName("RFC 1191 6.4: after a segment that is too big, later ones are smaller")
  @Tag("MPA-2-02")
  void shouldObeyARouter() {
    script.send(1460);
    script.receiveTooBig(1, 1500, 1400);
    assertThat(script.stream.emss()).isEqualTo(1360);
    assertThat(script.stack.counters().pathMtuLowered).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 1191 5: a router that names no MTU makes us try the next plateau")
  void shouldTryThePlateau() {
    script.send(1460);
    script.receiveTooBig(1, 1500, 0);
    assertThat(script.stream.emss()).isEqualTo(1452);
  }

  @Test
  @DisplayName("RFC 1191 3: an MTU below 296 is taken for 296")
  @Tag("MPA-9.1-02")
  void shouldHaveAFloor() {
    script.send(1460);
    script.receiveTooBig(1, 1500, 68);
    assertThat(script.stream.emss()).isEqualTo(256);
  }

  @Test
  @DisplayName("RFC 5927 7.1: a message about a segment that is acknowledged is ignored")
  void shouldIgnoreWhatIsAcknowledged() {
    script.send(1000);
    script.receive(". seq 1 ack 1001");
    script.send(100);
    script.receiveTooBig(1, 1500, 1400);
    assertThat(script.stream.emss()).isEqualTo(1460);
    assertThat(script.stack.counters().icmpIgnored).isEqualTo(1);
  }

  @Test
  @DisplayName("RFC 5927 7.1: a message about octets that were never sent is ignored")
  void shouldIgnoreWhatWasNeverSent() {
    script.send(1460);
    script.receiveTooBig(1461, 1500, 1400);
    script.receiveTooBig(-100, 1500, 1400);
    assertThat(script.stream.emss()).isEqualTo(1460);
    assertThat(script.stack.counters().icmpIgnored).isEqualTo(2);
  }

  @Test
  @DisplayName("RFC 5927 7.1: a message with nothing in flight is ignored")
  void shouldIgnoreItWithNothingInFlight() {
    script.receiveTooBig(1, 1500, 1400);
    assertThat(script.stream.emss()).isEqualTo(1460);
  }

  @Test
  @DisplayName("RFC 1191 3: a message about a packet no larger than it claims to pass is ignored")
  void shouldIgnoreNonsense() {
    script.send(1460);
    script.receiveTooBig(1, 1400, 1400);
    script.receiveTooBig(1, 1500, 1500);
    script.receiveTooBig(1, 1500, 9000);
    assertThat(script.stream.emss()).isEqualTo(1460);
  }

  @Test
  @DisplayName("RFC 5927 7.1: a message for a connection that there is not changes nothing")
  void shouldIgnoreStrangers() {
    script.send(1460);
    script.ourPort++;
    script.receiveTooBig(1, 1500, 1400);
    assertThat(script.stream.emss()).isEqualTo(1460);
    assertThat(script.stack.context.ip.path(Script.THEIRS).mtu()).isEqualTo(1500);
  }

  @Test
  @DisplayName("RFC 5927 7.2: a claim that acknowledgments contradict waits for the timer")
  void shouldDelayWhatContradictsExperience() {
    script.send(1460);
    script.receive(". seq 1 ack 1461");
    script.send(1460);
    script.receiveTooBig(1461, 1500, 1400);
    assertThat(script.stream.emss()).isEqualTo(1460);
    script.pass(10 * Script.SECOND);
    assertThat(script.stream.emss()).isEqualTo(1360);
  }

  @Test
  @DisplayName("RFC 5927 7.2: a claim about a segment that is acknowledged after all is forgotten")
  void shouldForgetARefutedClaim() {
    script.send(1460);
    script.receive(". seq 1 ack 1461");
    script.send(1460);
    script.receiveTooBig(1461, 1500, 1400);
    script.receive(". seq 1 ack 2921");
    script.send(1460);
    script.pass(10 * Script.SECOND);
    assertThat(script.stack.counters().retransmitted).isPositive();
    assertThat(script.stream.emss()).isEqualTo(1460);
  }

  @Test
  @DisplayName(
      "RFC 5927 7.2: a claim that larger segments than acknowledged are lost counts at once")
  void shouldAcceptWhatNothingContradicts() {
    script.send(500);
    script.receive(". seq 1 ack 501");
    script.send(1460);
    script.receiveTooBig(501, 1500, 1400);
    assertThat(script.stream.emss()).isEqualTo(1360);
  }

  @Test
  @DisplayName("RFC 1191 6.1: every connection on the path hears of it, and so does the next one")
  void shouldReportEveryConnection() {
    Script other = script;
    TcpStream first = other.stream;
    script.send(1460);
    script.receiveTooBig(1, 1500, 1400);
    script.drain();
    script.connect();
    script.expect("S mss 1460");
    script.receive("S. seq 0 ack 1 win 65535 mss 1460");
    assertThat(script.stream.emss()).isEqualTo(1360);
    script.expect(". seq 1 ack 1");
    script.send(1360);
    script.receiveTooBig(1, 1400, 1300);
    assertThat(script.stream.emss()).isEqualTo(1260);
    assertThat(first.emss()).isEqualTo(1260);
  }

  @Test
  @DisplayName("RFC 1191 6.3: after ten minutes larger segments are tried again")
  void shouldGrowBack() {
    script.send(1460);
    script.receiveTooBig(1, 1500, 1400);
    script.receive(". seq 1 ack 1461");
    assertThat(script.stream.emss()).isEqualTo(1360);
    script.pass(600 * Script.SECOND);
    assertThat(script.stream.emss()).isEqualTo(1460);
  }

  @Test
  @DisplayName("RFC 1191 3: timestamps reduce EMSS")
  @Tag("MPA-2-02")
  void shouldLeaveRoomForOptions() {
    Script stamped = new Script(Script.plain().withTimestamps(true));
    stamped.connect();
    stamped.expect("S seq 0");
    stamped.receive("S. seq 0 ack 1 win 65535 mss 1460 ts 1 ecr 0");
    assertThat(stamped.stream.emss()).isEqualTo(1448);
    stamped.send(1448);
    stamped.receiveTooBig(1, 1500, 1400);
    assertThat(stamped.stream.emss()).isEqualTo(1348);
  }

  @Test
  @DisplayName("RFC 1191 3: a peer that takes less than the path carries is not sent more")
  @Tag("MPA-2-02")
  void shouldNotExceedThePeersMss() {
    Script small = Script.established();
    small.send(1000);
    small.receiveTooBig(1, 1040, 1030);
    assertThat(small.stream.emss()).isEqualTo(990);
    small.receive(". seq 1 ack 1001");
    small.pass(600 * Script.SECOND);
    assertThat(small.stream.emss()).isEqualTo(1000);
  }

  @Test
  @DisplayName("RFC 6633 3: source quench is ignored")
  void shouldIgnoreSourceQuench() {
    script.send(1460);
    script.receiveIcmp(4, 0, 1, 1500, 0);
    script.receive(". seq 1 ack 1461");
    for (int i = 0; i < 10; i++) {
      script.queue(1000);
    }
    script.turn();
    assertThat(script.drain()).isEqualTo(11);
  }

  @Test
  @DisplayName("RFC 1122 3.2.2.2: a redirect changes no route")
  void shouldIgnoreRedirects() {
    script.send(1460);
    script.receiveIcmp(5, 1, 1, 1500, 0);
    script.receive(". seq 1 ack 1461");
    script.send(10);
    script.expect("P. seq 1 len 1460");
    script.expect("P. seq 1461 len 10");
  }

  @Test
  @DisplayName("RFC 5927 5.2: a hard error does not end a connection that is established")
  void shouldOutliveHardErrors() {
    script.send(1460);
    script.receiveIcmp(Icmpv4.UNREACHABLE, Icmpv4.PORT_UNREACHABLE, 1, 1500, 0);
    script.receiveIcmp(Icmpv4.UNREACHABLE, Icmpv4.PROTOCOL_UNREACHABLE, 1, 1500, 0);
    assertThat(script.handler.takeEvents()).containsExactly("open");
  }
}
