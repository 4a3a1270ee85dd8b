package org.rddp.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.daemon.ProgramInC;
import org.rddp.daemon.TestDaemon;

/** Programs that look for devices in sysfs and in /dev. */
@Timeout(60)
class SysfsTest {
  private static final Path CLASSES = Path.of("/sys/class/infiniband");
  private static final String DEVICE = CLASSES + "/rddp0/";

  /** What starts a program that is not to be root to the kernel, though its user is. */
  private static final String[] WITHOUT_RIGHTS = {
    "setpriv", "--bounding-set=-sys_admin", "--inh-caps=-sys_admin"
  };

  private final TestDaemon daemon = new TestDaemon();

  @BeforeEach
  void needTheProgram() {
    assumeTrue(
        Files.exists(ProgramInC.built("rddp-sysfs")),
        "built where libibverbs-dev and librdmacm-dev are");
  }

  @AfterEach
  void close() {
    daemon.close();
  }

  /** What a shell command prints, errors included, with the devices of an interface, or of all. */
  private String run(String interfaceName, String command, String... through)
      throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(Arrays.asList(through));
    words.addAll(
        List.of(ProgramInC.built("rddp-sysfs").toAbsolutePath().toString(), "sh", "-c", command));
    ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
    builder.environment().put("RDDP_SOCKET", daemon.socket().toString());
    builder.environment().put("RDDP_INTERFACE", interfaceName);
    Process process = builder.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    assumeTrue(
        !said.contains("allows no user namespace") && !said.contains("an overlay over"), said);
    return said;
  }

  @Test
  void shouldShowWhatTheLibrarySays() throws Exception {
    String said =
        run(
            "two",
            "cd %s/ports/1 && cat ../../node_type link_layer state gids/0 gids/1 gid_attrs/types/2"
                    .formatted(DEVICE)
                + " pkeys/0 && ls gids");
    assertThat(said.lines())
        .containsExactly(
            "4: RNIC",
            "Ethernet",
            "4: ACTIVE",
            "0000:0000:0000:0000:0000:ffff:0a00:0002",
            "2001:0db8:0000:0000:0000:0000:0000:0002",
            "IB/RoCE v1",
            "0xffff",
            "0",
            "1",
            "2");
  }

  @Test
  void shouldShowEachInterface() throws Exception {
    assertThat(run("", "ls %s | grep rddp; ls /dev/infiniband".formatted(CLASSES)).lines())
        .contains("rddp0", "rddp1", "uverbs0", "uverbs1");
  }

  @Test
  void shouldNameTheKernelsInterfaceWithTheAddress() throws Exception {
    String network =
        "mount -t sysfs rddp /sys && ip link add kernels type veth peer name other"
            + " && ip addr add 10.0.0.1/24 dev kernels && exec \"$@\"";
    String command =
        "ls %1$sdevice/net && cat %1$sports/1/gid_attrs/ndevs/* && cat %1$sdevice/net/*/type"
            .formatted(DEVICE);
    String said = run("one", command, "unshare", "-n", "-m", "sh", "-c", network, "sh");
    assumeTrue(!said.contains("unshare failed"), said);
    assertThat(said.lines()).containsExactly("kernels", "kernels", "1");
  }

  @Test
  void shouldKeepEverythingElse() throws Exception {
    Path here = Path.of("").toAbsolutePath();
    String command =
        "pwd && ls -d /sys/class/net/lo && cat /sys/class/net/lo/address && ls -d /dev/shm"
            + " && printf x >/dev/null && head -c 1 /dev/zero | wc -c && id -u";
    for (String[] through : new String[][] {{}, WITHOUT_RIGHTS}) {
      assertThat(run("one", command, through).lines())
          .containsExactly(
              here.toString(),
              "/sys/class/net/lo",
              "00:00:00:00:00:00",
              "/dev/shm",
              "1",
              Long.toString(new UnixSystem().getUid()));
    }
  }

  @Test
  void shouldShowThemWithoutRights() throws Exception {
    String command = "cat %snode_type && test -c /dev/infiniband/uverbs0".formatted(DEVICE);
    assertThat(run("one", command + " && echo found", WITHOUT_RIGHTS).lines())
        .containsExactly("4: RNIC", "found");
  }

  @Test
  void shouldLeaveNothingBehind() throws Exception {
    boolean before = Files.exists(CLASSES);
    assertThat(run("one", "ls " + DEVICE)).contains("ports");
    assertThat(Files.exists(Path.of(DEVICE))).isFalse();
    assertThat(Files.exists(CLASSES)).isEqualTo(before);
  }

  @Test
  void shouldSayThatThereIsNoDaemon() throws Exception {
    daemon.close();
    assertThat(run("one", "true")).startsWith("rddp: error: ").contains(daemon.socket().toString());
  }
}
