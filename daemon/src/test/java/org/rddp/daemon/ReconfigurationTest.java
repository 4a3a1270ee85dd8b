package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.configuration.ConfigurationFile;

/** A configuration that is read again while the daemon runs. */
@Timeout(60)
class ReconfigurationTest {
  private static final int MIB = 1 << 20;
  private final TestDaemon daemon = new TestDaemon();

  private void reconfigure(String control, String tables, String first) throws Exception {
    String text =
        """
        [control]
        socket = "%s"
        %s
        %s
        [[interface]]
        name = "one"
        device = "ring:x"
        %s
        [interface.mpa]
        startup-timeout = "1min"
        [[interface]]
        name = "two"
        device = "ring:x"
        address = ["10.0.0.2/24", "2001:db8::2/64"]
        [interface.mpa]
        startup-timeout = "1min"
        """
            .formatted(daemon.socket(), control, tables, first);
    daemon.daemon().reconfigure(ConfigurationFile.parse("test", text));
  }

  private void awaitLog(String line) {
    TestDaemon.await(() -> daemon.log().contains(line), "the log has: " + line);
  }

  @Test
  void shouldTakeOverLimitsForProgramsThatConnectLater() throws Exception {
    try (Rddp before = daemon.connect("one")) {
      reconfigure(
          "",
          "[limits]\nsession-memory = \"1MiB\"",
          "address = [\"10.0.0.1/24\", \"2001:db8::1/64\"]");
      awaitLog("the configuration was read again; changed: limits.session-memory");
      try (Rddp after = daemon.connect("one")) {
        assertThat(after.limits().memoryOctets()).isEqualTo(MIB);
        assertThatThrownBy(() -> after.allocate(2 * MIB, Access.LOCAL_WRITE))
            .hasMessageContaining("octets of this program's memory");
      }
      assertThat(before.allocate(2 * MIB, Access.LOCAL_WRITE).length()).isEqualTo(2 * MIB);
    }
    assertThat(daemon.log()).doesNotContain("restart");
    daemon.close();
  }

  @Test
  void shouldTakeOverLimitsOfAllPrograms() throws Exception {
    try (Rddp before = daemon.connect("one")) {
      reconfigure(
          "", "[limits]\nmemory = \"2MiB\"", "address = [\"10.0.0.1/24\", \"2001:db8::1/64\"]");
      awaitLog("limits.memory");
      assertThatThrownBy(() -> before.allocate(4 * MIB, Access.LOCAL_WRITE))
          .hasMessageContaining("octets of memory of");
    }
    daemon.close();
  }

  @Test
  void shouldTakeOverWhoMayConnect() throws Exception {
    reconfigure(
        "mode = \"0600\"\nusers = [4711]", "", "address = [\"10.0.0.1/24\", \"2001:db8::1/64\"]");
    awaitLog("changed: control.mode, control.users");
    TestDaemon.await(() -> mode().equals("rw-------"), "the socket has its mode");
    daemon.close();
  }

  @Test
  void shouldTakeOverTheLevelsOfTheLog() throws Exception {
    reconfigure(
        "", "[log.levels]\nsession = \"off\"", "address = [\"10.0.0.1/24\", \"2001:db8::1/64\"]");
    awaitLog("changed: log.levels");
    daemon.connect("one").close();
    reconfigure("", "[log]\nformat = \"json\"", "address = [\"10.0.0.1/24\", \"2001:db8::1/64\"]");
    awaitLog("need a restart of the daemon: log.format");
    assertThat(daemon.log()).doesNotContain("the session ends");
    daemon.close();
  }

  private String mode() {
    try {
      return PosixFilePermissions.toString(Files.getPosixFilePermissions(daemon.socket()));
    } catch (java.io.IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldSayWhatNeedsARestart() throws Exception {
    reconfigure(
        "",
        "[engine]\nidle = \"park\"\n[limits]\nsend-queue = 7",
        "address = [\"10.0.0.1/24\", \"2001:db8::1/64\"]\nmtu = 1400");
    awaitLog("changed: nothing");
    awaitLog(
        "these changes need a restart of the daemon: limits.send-queue, engine.idle, interface[1]");
    daemon.close();
  }

  @Test
  void shouldKeepWhatItHasWhenTheFileIsWrong() {
    try {
      reconfigure("mode = \"9\"", "", "address = [\"10.0.0.1/24\", \"2001:db8::1/64\"]");
    } catch (ConfigurationException e) {
      daemon.daemon().refuse(e);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    awaitLog("the configuration is not taken over, since it is not valid:");
    awaitLog("test:3:1: control.mode:");
    daemon.close();
  }
}
