package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.client.RefusedException;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;

/** A daemon and programs, each in a PID namespace of its own, as in containers. */
@Timeout(180)
class PidNamespacesTest {
  private static final int PORT = 7471;
  private static final int SESSIONS = 1;

  /** Listens until its input ends, and says what came of it. */
  static final class Listening {
    private Listening() {}

    public static void main(String[] arguments) throws IOException {
      RddpOptions options = RddpOptions.defaults().withInterfaceName("two");
      try (Rddp session = Rddp.connect(Path.of(arguments[0]), options)) {
        System.out.println(listen(session));
        if (System.in.read() >= 0) {
          throw new IOException("the test writes nothing");
        }
      }
    }

    private static String listen(Rddp session) {
      try {
        return "listens at " + session.listen(PORT).address().getPort();
      } catch (RefusedException e) {
        return e.reason().name();
      }
    }
  }

  @Test
  void shouldNotTakeTwoProcessesForOneThatItDoesNotSee() throws Exception {
    Process server = ChildJvm.startInPidNamespace(DeathTest.Server.class);
    try (BufferedReader output = server.inputReader()) {
      String socket = output.readLine();
      Process first = ChildJvm.startInPidNamespace(Listening.class, socket);
      Process second = null;
      try {
        assertThat(ChildJvm.firstLine(first)).isEqualTo("listens at " + PORT);
        second = ChildJvm.startInPidNamespace(Listening.class, socket);
        assertThat(ChildJvm.firstLine(second)).isEqualTo("ADDRESS_IN_USE");
        try (RawProgram viewer = new RawProgram(Path.of(socket))) {
          viewer.begin("one");
          for (int session = 1; session <= 3; session++) {
            int listed = session;
            DaemonMessage reply =
                viewer.request(
                    number -> new ProgramMessage.ListObjects(number, SESSIONS, listed, 0));
            assertThat(((DaemonMessage.ObjectsListed) reply).lines())
                .contains("\"pid\":-" + session + ",");
          }
        }
      } finally {
        end(first);
        end(second);
      }
    } finally {
      end(server);
    }
  }

  private static void end(Process process) throws Exception {
    if (process != null) {
      process.getOutputStream().close();
      process.waitFor();
    }
  }
}
