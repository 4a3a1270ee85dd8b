package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A peer that makes us keep packets leaves some to others. The pool has 512. */
class FairnessTest {
  /** Sends single octets as long as there are packets; returns how many that were. */
  private static int fill(Script script, TcpStream stream) {
    int count = 0;
    long packet = stream.allocate();
    while (packet != 0) {
      script.pool.window(packet, script.pool.address(packet), 1);
      stream.send(packet);
      count++;
      packet = stream.allocate();
    }
    return count;
  }

  private static void gaps(Script script) {
    for (int i = 0; i < 300; i++) {
      script.receive(". seq " + (3 + 2 * i) + " ack 1 len 1");
    }
  }

  @Test
  void shouldLeaveOthersPacketsOutOfOrder() {
    Script script = Script.established();
    gaps(script);
    assertThat(script.stack.packetsHeld()).isEqualTo(64);
    script.drain();
    script.connect();
    script.expect("S seq 0");
    script.receive("S. seq 0 ack 1 win 65535 mss 1000");
    assertThat(script.stream.sendable()).isTrue();
    gaps(script);
    assertThat(script.stack.packetsHeld()).isEqualTo(64 + 32);
  }

  @Test
  void shouldLeaveOthersPacketsToSend() {
    Script script = Script.established();
    script.receive(". seq 1 ack 1 win 0");
    assertThat(fill(script, script.stream)).isEqualTo(128);
    script.drain();
    script.connect();
    script.expect("S seq 0");
    script.receive("S. seq 0 ack 1 win 65535 mss 1000");
    assertThat(script.stream.sendable()).isTrue();
    assertThat(fill(script, script.stream)).isEqualTo(64);
  }

  @Test
  void shouldRestWhileItWaitsForPackets() {
    Script script = Script.established();
    script.receive(". seq 1 ack 1 win 65535");
    int sent = fill(script, script.stream);
    script.turn();
    script.drain();
    assertThat(script.stream.sendable()).isFalse();
    script.turn();
    assertThat(script.stack.nextDeadline()).isGreaterThan(script.now);
    assertThat(script.handler.takeEvents()).doesNotContain("sendable");
    script.receive(". seq 1 ack " + (1 + sent));
    script.turn();
    assertThat(script.handler.takeEvents()).containsExactly("sendable");
  }

  @Test
  void shouldWakeTheOthersThatWaitForPackets() {
    Script script = Script.established();
    TcpStream first = script.stream;
    int firstPort = script.ourPort;
    int firstSequence = script.ourSequence;
    int sent = fill(script, first);
    script.turn();
    script.drain();
    script.connect();
    script.expect("S seq 0");
    script.receive("S. seq 0 ack 1 win 65535 mss 1000");
    fill(script, script.stream);
    script.turn();
    script.drain();
    script.handler.takeEvents();
    assertThat(script.stream.sendable()).isFalse();
    script.turn();
    assertThat(script.stack.nextDeadline()).isGreaterThan(script.now);
    script.ourPort = firstPort;
    script.ourSequence = firstSequence;
    script.receive(". seq 1 ack " + (1 + sent));
    script.turn();
    assertThat(script.handler.takeEvents()).contains("sendable");
  }

  @Test
  void shouldGiveUpAPeerThatKeepsItsWindowClosedWhenPacketsAreScarce() {
    TcpSettings patient =
        Script.plain()
            .withConnectTimeout(3600 * Script.SECOND)
            .withUserTimeout(60 * Script.SECOND)
            .withTimeWait(Script.SECOND);
    Script script = Script.established(patient);
    script.receive(". seq 1 ack 1 win 0");
    fill(script, script.stream);
    keepClosed(script);
    assertThat(script.handler.takeEvents()).as("while there is enough").isEmpty();

    fill(script, script.stack.connect(Script.THEIRS, 8, new Recorder()));
    fill(script, script.stack.connect(Script.THEIRS, 9, new Recorder()));
    keepClosed(script);
    assertThat(script.handler.takeEvents()).containsExactly("closed TIMEOUT");
  }

  private static void keepClosed(Script script) {
    for (int i = 0; i < 30; i++) {
      script.pass(10 * Script.SECOND);
      script.drain();
      script.receive(". seq 1 ack 1 win 0");
    }
    script.drain();
  }
}
