package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.tcp.testing.InOrderHandler;

/** Segments that the user will not have are as good as lost (RFC 5044 section 8). */
class RefusedSegmentTest {
  private final Script script = Script.established(Script.plain());

  @Test
  @Tag("MPA-8-12")
  @DisplayName("RFC 5044 8: it is neither acknowledged nor handed up until it is sent again")
  void shouldNotAcknowledgeWhatTheUserRefuses() {
    script.handler.accepts = false;
    script.receive(". seq 1 ack 1 len 100");
    assertThat(script.handler.takeEvents()).containsExactly("refused 1+100");
    script.expectNothing();
    script.handler.accepts = true;
    script.receive(". seq 1 ack 1 len 100");
    assertThat(script.handler.takeEvents()).containsExactly("1+100");
    script.expect(". seq 1 ack 101");
    assertThat(script.stack.counters().refused).isOne();
  }

  @Test
  @DisplayName("RFC 5044 8: its acknowledgment and its FIN do not count either")
  void shouldNotTakeAnythingOfIt() {
    script.send(100);
    script.expect("P. seq 1 len 100");
    script.handler.accepts = false;
    script.receive("F. seq 1 ack 101 len 100");
    assertThat(script.stream.unacknowledged()).isEqualTo(100);
    assertThat(script.state()).isEqualTo(TcpState.ESTABLISHED);
    script.receive(". seq 1 ack 101");
    assertThat(script.stream.unacknowledged()).isZero();
    assertThat(script.handler.takeEvents()).containsExactly("refused 1+100");
  }

  @Test
  @DisplayName("RFC 2018: a segment out of order that is refused is not reported")
  void shouldNotReportARefusedSegmentBySack() {
    Script sacking = new Script(Script.plain().withSelectiveAcknowledgment(true));
    sacking.connect();
    sacking.expect("S seq 0");
    sacking.receive("S. seq 0 ack 1 win 65535 mss 1000 sackok");
    sacking.expect(". seq 1 ack 1");
    sacking.handler.accepts = false;
    sacking.receive(". seq 201 ack 1 len 100");
    sacking.expectNothing();
    sacking.handler.accepts = true;
    sacking.receive(". seq 301 ack 1 len 100");
    sacking.expect(". seq 1 ack 1 sack 301-401");
  }

  @Test
  @DisplayName("RFC 7323 4.3: nor is its timestamp echoed")
  void shouldNotEchoTheTimestampOfARefusedSegment() {
    Script stamping = new Script(Script.plain().withTimestamps(true));
    stamping.connect();
    stamping.expect("S seq 0");
    stamping.receive("S. seq 0 ack 1 win 65535 mss 1000 ts 7000 ecr " + stamping.lastTimestamp());
    stamping.expect(". seq 1 ack 1");
    int ours = stamping.lastTimestamp();
    stamping.handler.accepts = false;
    stamping.receive(". seq 1 ack 1 len 100 ts 7005 ecr " + ours);
    stamping.handler.accepts = true;
    stamping.send(10);
    stamping.expect("P. seq 1 ack 1 len 10 ecr 7000");
  }

  @Test
  @DisplayName("only segments with payload in the window are asked about")
  void shouldAskAboutPayloadOnly() {
    script.handler.accepts = false;
    script.receive(". seq 1 ack 1");
    script.receive(". seq 50000 ack 1 len 10");
    script.expect(". seq 1 ack 1");
    script.receive("R. seq 1 ack 1 len 10");
    assertThat(script.handler.takeEvents()).containsExactly("closed RESET");
  }

  @Test
  @DisplayName("a user that fails to answer loses its connection, and no other")
  void shouldEndTheConnectionOfAUserThatFails() {
    Script failing = new Script();
    failing.listen((opened, address, port) ->
        new Recorder() {
          @Override
          public boolean accepts(long position, long address, int length) {
            throw new IllegalStateException("no");
          }
        });
    failing.receive("S seq 0 win 65535 mss 1000");
    failing.expect("S. seq 0 ack 1");
    failing.receive(". seq 1 ack 1");
    failing.receive(". seq 1 ack 1 len 10");
    failing.expect("R. seq 1 ack 1");
    assertThat(failing.stack.counters().handlerFailures).isOne();
    assertThat(failing.stack.connections()).isZero();
  }

  @Test
  @DisplayName("users behind InOrder are asked, too")
  void shouldAskThroughInOrder() {
    Recorder user = new Recorder();
    user.accepts = false;
    assertThat(new InOrderHandler(user).accepts(4, 1, 10)).isFalse();
    assertThat(user.takeEvents()).containsExactly("refused 5+10");
  }
}
