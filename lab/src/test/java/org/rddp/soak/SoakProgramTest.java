package org.rddp.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.ipc.control.ControlSocket;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.UnixSocket;

class SoakProgramTest {
  @TempDir private Path folder;

  @Test
  void shouldTakeASocketWithoutListenerForALostDaemon() throws Exception {
    Path socket = folder.resolve("rddpd.sock");
    Descriptor bound = UnixSocket.open();
    UnixSocket.bind(bound, socket);
    bound.close();

    assertThat(SoakProgram.isLost(catchThrowable(() -> ControlSocket.connect(socket)))).isTrue();
  }

  @Test
  void shouldTakeAMissingSocketForALostDaemon() {
    Path missing = folder.resolve("rddpd.sock");

    assertThat(SoakProgram.isLost(catchThrowable(() -> ControlSocket.connect(missing)))).isTrue();
  }

  @Test
  void shouldNotTakeOtherFailuresForALostDaemon() {
    assertThat(SoakProgram.isLost(new SystemCallException("connect", Errno.EAGAIN))).isFalse();
    assertThat(SoakProgram.isLost(new IllegalStateException("wrong octets"))).isFalse();
  }
}
