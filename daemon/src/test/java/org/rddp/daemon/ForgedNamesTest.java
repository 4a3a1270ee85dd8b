package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.client.RefusedException;

/** Programs that choose names so that the daemon's log seems to say something else. */
class ForgedNamesTest {
  private static final String FORGED = "x\n2026-11-22T00:00:00Z session of root ended";

  @Test
  void shouldLogOneLineForEachEvent() {
    try (TestDaemon daemon = new TestDaemon()) {
      RddpOptions forgedProgram = RddpOptions.defaults().withProgramName(FORGED + "\u001b[2J");
      Rddp.connect(daemon.socket(), forgedProgram).close();
      RddpOptions forgedInterface = RddpOptions.defaults().withInterfaceName(FORGED);
      assertThatThrownBy(() -> Rddp.connect(daemon.socket(), forgedInterface))
          .isInstanceOf(RefusedException.class);
      TestDaemon.await(() -> daemon.log().contains("refused"), "the refusal is logged");
      assertThat(daemon.log().lines())
          .as("the session's line, escaped once")
          .anyMatch(line ->
              line.contains("program=\"x\\u000a2026") && line.contains("\\u001b[2J\" pid="));
      assertThat(daemon.log().lines()).noneMatch(line -> line.startsWith("2026-11-22T00:00:00Z"));
    }
  }
}
