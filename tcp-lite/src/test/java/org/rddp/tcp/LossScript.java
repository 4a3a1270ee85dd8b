package org.rddp.tcp;

/** How scripts about loss begin: with a round trip of 10 ms, and segments of 1000 octets. */
final class LossScript {
  static final long ROUND_TRIP = 10 * Script.MILLISECOND;
  static final long TIMEOUT = 200 * Script.MILLISECOND;

  private LossScript() {}

  /** Settings with SACK and nothing else. */
  static TcpSettings sack() {
    return Script.plain().withSelectiveAcknowledgment(true);
  }

  /** A connection that we have opened, with whatever of SACK and ECN the settings offer. */
  static Script established(TcpSettings settings) {
    Script script = new Script(settings);
    script.connect();
    script.expect(settings.ecn() ? "SEW seq 0" : "S seq 0");
    script.pass(ROUND_TRIP);
    String flags = settings.ecn() ? "S.E" : "S.";
    String selective = settings.selectiveAcknowledgment() ? " sackok" : "";
    script.receive(flags + " seq 0 ack 1 win 65535 mss 1000" + selective);
    script.expect(". seq 1 ack 1");
    script.handler.takeEvents();
    return script;
  }

  /** A connection with that many segments in flight, sent a round trip ago. */
  static Script inFlight(TcpSettings settings, int segments) {
    Script script = established(settings);
    queue(script, segments);
    script.turn();
    for (int i = 0; i < segments; i++) {
      script.expect(". seq " + (1 + i * 1000) + " len 1000");
    }
    script.pass(ROUND_TRIP);
    return script;
  }

  static void queue(Script script, int segments) {
    for (int i = 0; i < segments; i++) {
      script.queue(1000);
    }
  }

  /** How many segments of 1000 octets leave at once now. */
  static int burst(Script script) {
    script.drain();
    int sent = 0;
    while (script.stream.sendable()) {
      script.queue(1000);
      sent++;
    }
    script.turn();
    script.drain();
    return sent;
  }
}
