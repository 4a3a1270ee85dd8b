package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.tcp.LossScript.ROUND_TRIP;
import static org.rddp.tcp.LossScript.TIMEOUT;
import static org.rddp.tcp.LossScript.established;
import static org.rddp.tcp.LossScript.inFlight;
import static org.rddp.tcp.LossScript.sack;

import org.junit.jupiter.api.Test;

/** A connection borrows a flight only while there is something to send. */
class FlightPoolTest {
  private static int available(Script script) {
    return script.stack.context.flights.available();
  }

  @Test
  void shouldHoldNothingWhenEverythingIsAcknowledged() {
    Script script = inFlight(sack(), 3);
    assertThat(available(script)).isZero();
    script.receive(". seq 1 ack 2001");
    assertThat(available(script)).isZero();
    script.receive(". seq 1 ack 3001");
    assertThat(available(script)).isEqualTo(1);
    script.send(1000);
    script.expect("P. seq 3001 len 1000");
    assertThat(available(script)).isZero();
  }

  @Test
  void shouldWaitATimeoutForADuplicateSack() {
    Script script = inFlight(sack(), 3);
    script.pass(ROUND_TRIP);
    script.drain();
    script.receive(". seq 1 ack 3001");
    assertThat(available(script)).isZero();
    script.pass(TIMEOUT);
    assertThat(available(script)).isEqualTo(1);
  }

  @Test
  void shouldGiveEverythingBackWhenTheConnectionEnds() {
    Script script = inFlight(sack(), 3);
    script.stream.abort();
    script.turn();
    assertThat(available(script)).isEqualTo(1);
    assertThat(script.pool.available()).isEqualTo(script.pool.capacity());
  }

  @Test
  void shouldGiveItBackWhenTheFinIsAcknowledged() {
    Script script = established(sack());
    script.stream.closeSend();
    script.turn();
    script.expect("F. seq 1");
    assertThat(available(script)).isZero();
    script.receive(". seq 1 ack 2");
    assertThat(available(script)).isEqualTo(1);
  }
}
