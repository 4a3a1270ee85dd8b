package org.rddp.daemon.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.types.Reason;
import org.rddp.daemon.RawProgram;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.daemon.engine.HeapShare;
import org.rddp.daemon.log.DaemonEvents;
import org.rddp.daemon.log.DaemonLog;
import org.rddp.ipc.control.ControlListener;
import org.rddp.ipc.control.ProgramMessage;

@Timeout(60)
class ControlServerTest {
  @TempDir private Path directory;
  private volatile boolean ended;

  private void runForEver(ControlServer server) {
    if (!ended) {
      server.execute(() -> runForEver(server));
    }
  }

  @Test
  void shouldAcceptProgramsWhileTasksKeepComing() throws Exception {
    Path path = directory.resolve("socket");
    Configuration configuration = ConfigurationFile.read(Path.of("../docs/rddpd.example.toml"));
    DaemonLog log = new DaemonLog(configuration.log(), OutputStream.nullOutputStream());
    ControlServer server =
        new ControlServer(
            ControlListener.bind(path, PosixFilePermissions.fromString("rw-------")),
            List.of(),
            ReservedPorts.of(List.of()),
            configuration.limits(),
            Set.of(),
            HeapShare.ofHeap(Runtime.getRuntime().maxMemory()),
            new Statistics(),
            new DaemonEvents(log));
    try (server) {
      server.start();
      runForEver(server);
      try (RawProgram program = new RawProgram(path)) {
        assertThat(program.refusal(number -> new ProgramMessage.ListInterfaces(number, 1, 0)))
            .isEqualTo(Reason.VERSION);
      } finally {
        ended = true;
      }
    }
  }
}
