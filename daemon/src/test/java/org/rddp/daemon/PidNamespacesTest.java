package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.client.RefusedException;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;

/**
 * A daemon in a PID namespace of its own, as in a container. It sees no process id of this process,
 * as it sees none of a program in another container.
 */
@Timeout(180)
class PidNamespacesTest {
  private static final int PORT = 7471;
  private static final int SESSIONS = 1;

  @Test
  void shouldNotTakeTwoProcessesForOneThatItDoesNotSee() throws Exception {
    Process server = ChildJvm.startInPidNamespace(DeathTest.Server.class);
    try (BufferedReader output = server.inputReader()) {
      Path socket = Path.of(output.readLine());
      RddpOptions options = RddpOptions.defaults().withInterfaceName("two");
      try (Rddp first = Rddp.connect(socket, options);
          Rddp second = Rddp.connect(socket, options);
          RawProgram viewer = new RawProgram(socket)) {
        assertThat(first.listen(PORT).address().getPort()).isEqualTo(PORT);
        assertThatThrownBy(() -> second.listen(PORT))
            .isInstanceOf(RefusedException.class)
            .extracting("reason")
            .isEqualTo(Reason.ADDRESS_IN_USE);
        viewer.begin("one");
        for (int session = 1; session <= 3; session++) {
          int listed = session;
          DaemonMessage reply =
              viewer.request(number -> new ProgramMessage.ListObjects(number, SESSIONS, listed, 0));
          assertThat(((DaemonMessage.ObjectsListed) reply).lines())
              .contains("\"pid\":-" + session + ",");
        }
      }
    } finally {
      server.getOutputStream().close();
      server.waitFor();
    }
  }
}
