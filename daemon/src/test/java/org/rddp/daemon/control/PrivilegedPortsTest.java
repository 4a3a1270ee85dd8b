package org.rddp.daemon.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import org.junit.jupiter.api.Test;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ipc.linux.PeerCredentials;

class PrivilegedPortsTest {
  private static final int NOBODY = 65534;

  private static PeerCredentials program(int process, int user) {
    return new PeerCredentials(process, user, user);
  }

  @Test
  void shouldBeForRootAndThoseWhoHaveTheCapability() throws Exception {
    String[] command = {
      "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "sh", "-c", "echo; sleep 60"
    };
    Process child = new ProcessBuilder(command).start();
    try (BufferedReader out = child.inputReader()) {
      // It has no capability any more, or has ended.
      out.readLine();
      int pid = (int) child.pid();
      assertThatThrownBy(() -> PrivilegedPorts.check(program(pid, NOBODY), 80))
          .isInstanceOfSatisfying(
              RequestRefusedException.class,
              e -> assertThat(e.reason()).isEqualTo(Reason.PERMISSION))
          .hasMessageContaining("CAP_NET_BIND_SERVICE");
      assertThatThrownBy(() -> PrivilegedPorts.check(program(-1, NOBODY), 1))
          .as("a process that the daemon does not see")
          .isInstanceOf(RequestRefusedException.class);
    } finally {
      child.destroy();
    }
    PrivilegedPorts.check(program(-1, 0), 80);
    assertThatCode(() -> PrivilegedPorts.check(program(-1, NOBODY), 1024))
        .doesNotThrowAnyException();
    PrivilegedPorts.check(program(-1, NOBODY), 0);
  }
}
