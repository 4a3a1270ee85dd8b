package org.rddp.tcp;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The first data after a lost segment of the handshake. */
class LostSynTest {
  @ParameterizedTest
  @EnumSource(names = {"CUBIC", "NEW_RENO"})
  @DisplayName("RFC 5681 3.1: after a lost SYN the initial window is one segment")
  void shouldBeginWithOneSegmentAfterALostSyn(CongestionAlgorithm congestion) {
    Script script = new Script(Script.plain().withCongestion(congestion));
    script.connect();
    script.expect("S seq 0");
    script.pass(Script.SECOND);
    script.expect("S seq 0");
    script.receive("S. seq 0 ack 1 win 65535 mss 1000");
    script.expect(". seq 1 ack 1");
    LossScript.queue(script, 5);
    script.turn();
    script.expect(". seq 1 len 1000");
    script.expectNothing();
    script.receive(". seq 1 ack 1001");
    script.expect(". seq 1001 len 1000");
    script.expect(". seq 2001 len 1000");
    script.expectNothing();
    script.receive(". seq 1 ack 3001");
    script.expect(". seq 3001 len 1000");
    script.expect("P. seq 4001 len 1000");
  }

  @Test
  @DisplayName("RFC 5681 3.1: after a lost SYN-ACK the initial window is one segment")
  void shouldBeginWithOneSegmentAfterALostSynAck() {
    Script script = new Script(Script.plain());
    script.listen();
    script.receive("S seq 0 mss 1000");
    script.expect("S. seq 0 ack 1");
    script.pass(Script.SECOND);
    script.expect("S. seq 0 ack 1");
    script.receive(". seq 1 ack 1");
    LossScript.queue(script, 2);
    script.turn();
    script.expect(". seq 1 len 1000");
    script.expectNothing();
  }
}
