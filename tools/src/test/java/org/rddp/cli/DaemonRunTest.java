package org.rddp.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.ipc.control.ControlListener;

/** The life of the daemon's process: start, signals, end. */
@Timeout(120)
class DaemonRunTest {
  @TempDir private Path folder;

  private Path configuration(String device) throws IOException {
    return Files.writeString(
        folder.resolve("rddpd.toml"),
        """
        [control]
        socket = "%1$s/rddpd.sock"
        [dpdk]
        hugepages = false
        memory = "64MiB"
        [[interface]]
        name = "port0"
        device = "%2$s"
        address = "10.0.0.1/24"
        packets = 2048
        """
            .formatted(folder, device.replace("FOLDER", folder.toString())));
  }

  private String mistake(String... arguments) {
    StringWriter err = new StringWriter();
    int code = Main.commandLine().setErr(new PrintWriter(err)).execute(arguments);
    assertThat(code).isEqualTo(1);
    return err.toString();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldReplaceOnlyWhereTheDeviceCanGoOver(boolean trial) throws Exception {
    Path file = configuration("net_null0");
    String option = trial ? "--check" : "--until-eof";
    assertThat(mistake("daemon", "--config", file.toString(), "--replace", option))
        .contains("interface[1].device: net_null0 cannot go over to another process");
  }

  private Path replaceable() throws IOException {
    return Files.writeString(
        configuration("ring:x"),
        """
        [[interface]]
        name = "port1"
        device = "ring:x"
        address = "10.0.0.2/24"
        packets = 2048
        """,
        StandardOpenOption.APPEND);
  }

  /** Its input goes on. */
  @Test
  @EnabledIf("org.rddp.cli.DaemonProcess#hasDpdk")
  void shouldEndWhenItHasBeenReplaced() throws Exception {
    Path file = replaceable();
    try (DaemonProcess old = DaemonProcess.start(file, "--until-eof")) {
      old.awaitReady();
      try (DaemonProcess next = DaemonProcess.start(file, "--until-eof", "--replace")) {
        next.awaitReady();
        assertThat(old.awaitEnd()).isZero();
        // The old one had never written its state.
        assertThat(old.output()).contains("rddp: rehearses");
        assertThat(next.isAlive()).isTrue();
      }
    }
  }

  @Test
  @EnabledIf("org.rddp.cli.DaemonProcess#hasDpdk")
  void shouldSayThatNothingIsReplacedIfASignalComesFirst() throws Exception {
    Path file = replaceable();
    try (DaemonProcess old = DaemonProcess.start(file)) {
      old.awaitReady();
      try (DaemonProcess next = DaemonProcess.start(file, "--replace")) {
        next.awaitLine(line -> line.startsWith("rddp: rehearses"));
        next.signal("TERM");
        assertThat(next.awaitEnd()).as(next::output).isEqualTo(128 + 15);
        assertThat(next.output()).contains("nothing is replaced, the other daemon goes on");
      }
      assertThat(old.isAlive()).isTrue();
    }
  }

  @Test
  void shouldSayThatThereIsNobodyToReplace() throws Exception {
    Path file = configuration("linux:nosuch0");
    assertThat(mistake("daemon", "--config", file.toString(), "--check", "--replace"))
        .contains(
            "nothing is replaced: no daemon that can be replaced runs at this control socket");
  }

  @ParameterizedTest
  @CsvSource({
    "--devices, --devices is an option of --check",
    "--check --replace --devices, --check --replace opens the devices without --devices",
    "--check --rehearse, '--rehearse is an option of a daemon that starts, not of --check'"
  })
  void shouldRefuseOptionsThatDoNotGoTogether(String options, String message) throws Exception {
    String command = "daemon --config " + configuration("linux:nosuch0") + " " + options;
    StringWriter err = new StringWriter();
    int code = Main.commandLine().setErr(new PrintWriter(err)).execute(command.split(" "));
    assertThat(code).isEqualTo(2);
    assertThat(err.toString()).contains(message);
  }

  /** The device does not exist: the daemon would name it, if it looked at devices first. */
  @Test
  void shouldNotTouchADeviceWhenAnotherDaemonRuns() throws Exception {
    StringWriter err = new StringWriter();
    Path file = configuration("linux:nosuch0");
    try (ControlListener other =
        ControlListener.bind(
            folder.resolve("rddpd.sock"), PosixFilePermissions.fromString("rw-------"))) {
      assertThat(other.accepted()).isNull();
      int code =
          Main.commandLine()
              .setErr(new PrintWriter(err))
              .execute("daemon", "--config", file.toString());
      assertThat(code).isEqualTo(1);
    }
    assertThat(err.toString())
        .startsWith("rddp: " + file + ":2:1: control.socket: " + folder + "/rddpd.sock:")
        .contains("a daemon is already listening there");
  }

  @Test
  @EnabledIf("org.rddp.cli.DaemonProcess#hasDpdk")
  void shouldDescribeTheDeviceOfEachInterface() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("rddpd.toml"),
            """
            [control]
            socket = "%s/rddpd.sock"
            [dpdk]
            hugepages = false
            memory = "64MiB"
            [[interface]]
            name = "many"
            device = "ring:x"
            address = "10.0.0.1/24"
            engines = 2
            packets = 2048
            [[interface]]
            name = "one"
            device = "ring:x"
            address = "10.0.0.2/24"
            packets = 2048
            """
                .formatted(folder));
    try (DaemonProcess daemon = DaemonProcess.start(file, "--check", "--devices")) {
      assertThat(daemon.awaitEnd()).isZero();
      assertThat(daemon.output())
          .containsPattern(
              "interface many: .* by net_ring, 2 of \\d+ queues by a table, .*00:00:01, mem")
          .containsPattern("interface one: .* by net_ring, 1 of \\d+ queues, .*00:00:02, mem");
    }
  }

  /** The files that the start has made so far show each moment. */
  @ParameterizedTest
  @EnabledIf("org.rddp.cli.DaemonProcess#hasDpdk")
  @ValueSource(strings = {"control socket", "device", "rehearsal", "ready"})
  void shouldLeaveNothingWhenASignalEndsTheStart(String moment) throws Exception {
    Path file = configuration("net_vhost0,iface=FOLDER/vhost.sock");
    String[] options = moment.equals("rehearsal") ? new String[] {"--rehearse"} : new String[0];
    try (DaemonProcess daemon = DaemonProcess.start(file, options)) {
      Path dpdk = Path.of("/run/dpdk/rddp-" + daemon.pid());
      switch (moment) {
        case "control socket" -> await(daemon, folder.resolve("rddpd.sock"));
        case "device" -> await(daemon, folder.resolve("vhost.sock"));
        case "rehearsal" -> daemon.awaitLine(line -> line.startsWith("rddp: rehearses"));
        default -> daemon.awaitReady();
      }
      daemon.signal("TERM");
      assertThat(daemon.awaitEnd()).as(daemon::output).isZero();
      assertThat(dpdk).doesNotExist();
    }
    try (Stream<Path> left = Files.list(folder)) {
      assertThat(left).containsExactly(file);
    }
  }

  private static void await(DaemonProcess daemon, Path file) {
    while (!Files.exists(file)) {
      assertThat(daemon.isAlive()).as(daemon::output).isTrue();
      Thread.onSpinWait();
    }
  }

  @Test
  @EnabledIf("org.rddp.cli.DaemonProcess#hasDpdk")
  void shouldReadItsConfigurationAgain() throws Exception {
    Path file = configuration("net_null0");
    String text = Files.readString(file);
    try (DaemonProcess daemon = DaemonProcess.start(List.of("env", "--default-signal=HUP"), file)) {
      daemon.awaitReady();
      Files.writeString(file, text.replace("[dpdk]", "users = ['daemon']\n[dpdk]"));
      daemon.signal("HUP");
      daemon.awaitLine(line -> line.endsWith("was read again; changed: control.users"));
      Files.writeString(file, text.replace("64MiB", "lots"));
      daemon.signal("HUP");
      daemon.awaitLine(line -> line.contains(file + ":5:1: dpdk.memory: "));
      daemon.signal("TERM");
      assertThat(daemon.awaitEnd()).isZero();
      daemon.awaitLine(line -> line.endsWith("the daemon ends; there are no connections"));
    }
  }
}
