package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.ipc.linux.ProcessorMask;
import org.rddp.ipc.linux.ThreadScheduling;

/** Programs are told on which processor their engine's thread runs. */
@Timeout(20)
class ToldProcessorTest {
  private final SessionFixture programs = new SessionFixture();

  @Test
  void shouldTellProgramsTheProcessorOfItsThread() throws Exception {
    assertThat(programs.rings.engineProcessor()).isEqualTo(-1);
    for (int each : ThreadScheduling.allowedProcessors()) {
      try {
        ThreadScheduling.pin(each);
        programs.runAlone();
        assertThat(programs.rings.engineProcessor()).isEqualTo(each);
      } finally {
        ProcessorMask.all().apply();
      }
    }
  }
}
