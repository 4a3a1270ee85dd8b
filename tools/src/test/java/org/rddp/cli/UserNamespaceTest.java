package org.rddp.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** A daemon in a user namespace, and who may trace there: this process is the host's root. */
@Timeout(120)
@EnabledIf("org.rddp.cli.DaemonProcess#hasDpdk")
class UserNamespaceTest {
  @TempDir private Path folder;
  private final StringWriter err = new StringWriter();

  private DaemonProcess start(String... unshare) throws IOException, InterruptedException {
    Path configuration =
        Files.writeString(
            folder.resolve("rddpd.toml"),
            """
            [control]
            socket = "FOLDER/rddpd.sock"
            [dpdk]
            hugepages = false
            memory = "64MiB"
            [[interface]]
            name = "one"
            device = "ring:x"
            address = "10.0.0.1/24"
            packets = 4096
            [[interface]]
            name = "two"
            device = "ring:x"
            address = "10.0.0.2/24"
            packets = 4096
            """
                .replace("FOLDER", folder.toString()));
    DaemonProcess daemon = DaemonProcess.start(List.of(unshare), configuration);
    daemon.awaitReady();
    return daemon;
  }

  /**
   * Asks for a trace, which needs the same right as a capture, of a connection that is not there.
   */
  private String refusalOfTrace() {
    int status =
        Main.commandLine()
            .setOut(new PrintWriter(new StringWriter()))
            .setErr(new PrintWriter(err))
            .execute("trace", "--socket", folder.resolve("rddpd.sock").toString(), "00100000");
    assertThat(status).isEqualTo(1);
    return err.toString();
  }

  @Test
  void shouldTakeNoStrangerForItsOwnUser() throws Exception {
    // No user has an id there, so all have the overflow id, including the daemon.
    try (DaemonProcess daemon = start("unshare", "--user")) {
      assertThat(refusalOfTrace()).contains("only root and the daemon's own user may capture");
      assertThat(daemon.isAlive()).isTrue();
    }
  }

  @Test
  void shouldLetTheRootOfItsNamespaceTrace() throws Exception {
    // This process's user has the id 0 there.
    try (DaemonProcess daemon = start("unshare", "--user", "--map-root-user")) {
      assertThat(refusalOfTrace()).contains("no connection");
      assertThat(daemon.isAlive()).isTrue();
    }
  }
}
