package org.rddp.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.ipc.control.ControlListener;

class DaemonInterfaceTest {
  @Test
  void shouldSayHowLongItHasWaitedInVain(@TempDir Path folder) throws IOException {
    Path path = folder.resolve("rddpd.sock");
    try (ControlListener busy =
        ControlListener.bind(path, PosixFilePermissions.fromString("rw-------"))) {
      assertThatThrownBy(() -> DaemonInterface.list(path, Duration.ofMillis(50)))
          .isInstanceOf(DaemonUnavailableException.class)
          .hasMessageContaining("the daemon has not answered in 0.05 s");
      assertThat(busy.accept()).isNotNull();
    }
  }
}
