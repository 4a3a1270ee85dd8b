package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.Rddp;
import org.rddp.client.SessionLostException;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;

/** Failures of an engine outside of connections and sessions. */
@Timeout(60)
class EngineFailureTest {
  @TempDir private Path directory;
  private final ByteArrayOutputStream log = new ByteArrayOutputStream();
  private final NativePacketPool pool = new NativePacketPool(64, 2048);
  private final BreakableDevice device =
      new BreakableDevice(LoopedDevice.pair(pool, pool, 1500, 16)[0]);

  @Test
  void shouldContinueAfterAFailedTurn() throws Exception {
    try (Daemon daemon = start();
        Rddp program = Rddp.connect(socket())) {
      device.fail(1);
      TestDaemon.await(device::works, "the turn has failed");

      try (var listener = program.listen(7471)) {
        assertThat(listener.address().getPort()).isEqualTo(7471);
      }
      assertThat(daemon.engines().getFirst().counters().faults).isEqualTo(1);
    }
  }

  @Test
  void shouldEndTheDaemonIfEveryTurnFails() throws Exception {
    try (Daemon daemon = start();
        Rddp program = Rddp.connect(socket())) {
      device.fail(Integer.MAX_VALUE);

      assertThat(daemon.awaitEnd()).hasMessage(BreakableDevice.MESSAGE);
      assertThatThrownBy(() -> program.listen(7471)).isInstanceOf(SessionLostException.class);
    }
    assertThat(log.toString(StandardCharsets.UTF_8)).contains(BreakableDevice.MESSAGE);
  }

  private Path socket() {
    return directory.resolve("rddpd.sock");
  }

  private Daemon start() throws Exception {
    String text =
        """
        [control]
        socket = "%s"
        [[interface]]
        name = "one"
        device = "net_null0"
        address = "10.0.0.1/24"
        """
            .formatted(socket());
    return Daemon.start(
        ConfigurationFile.parse("test", text),
        new GivenPorts(List.of(device)),
        new PrintStream(log, true, StandardCharsets.UTF_8));
  }
}
