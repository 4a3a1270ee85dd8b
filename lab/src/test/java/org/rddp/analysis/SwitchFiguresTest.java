package org.rddp.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.analysis.SwitchFigures.Control;
import org.rddp.analysis.SwitchFigures.Outcome;

class SwitchFiguresTest {
  @ParameterizedTest
  @ValueSource(ints = {10, 100})
  @DisplayName("RFC 8257 1: in an incast DCTCP drops less than CUBIC, and its queue is shorter")
  void shouldServeAnIncast(int roundTrip) {
    Outcome dctcp = SwitchFigures.incast(Control.DCTCP, roundTrip, 4);
    Outcome cubic = SwitchFigures.incast(Control.CUBIC, roundTrip, 4);
    String both = "DCTCP " + dctcp + ", CUBIC " + cubic;
    assertThat(dctcp.dropped()).as(both).isLessThan(cubic.dropped());
    assertThat(dctcp.queue()).as(both).isLessThan(cubic.queue());
    assertThat(dctcp.timeouts()).as(both).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 100})
  @DisplayName("RFC 8257 1: a flow of DCTCP leaves a short queue to messages beside it")
  void shouldServeAMessageBesideAFlow(int roundTrip) {
    Outcome dctcp = SwitchFigures.besideFlow(Control.DCTCP, roundTrip, 10_000_000);
    Outcome cubic = SwitchFigures.besideFlow(Control.CUBIC, roundTrip, 10_000_000);
    String both = "DCTCP " + dctcp + ", CUBIC " + cubic;
    assertThat(dctcp.dropped()).as(both).isZero();
    assertThat(dctcp.queue()).as(both).isLessThan(cubic.queue() / 2);
    assertThat(dctcp.gbps()).as(both).isGreaterThan(8);
  }
}
