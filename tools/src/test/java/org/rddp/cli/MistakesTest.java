package org.rddp.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** Mistakes in a configuration, each with the message of {@code rddp daemon --check --devices}. */
class MistakesTest {
  private static final List<String> GOOD =
      List.of(
          "[control]",
          "socket = 'FOLDER/rddpd.sock'",
          "",
          "[dpdk]",
          "hugepages = false",
          "",
          "[engine]",
          "",
          "[limits]",
          "",
          "[[interface]]",
          "name = 'port0'",
          "device = 'net_null0'",
          "address = '10.0.0.1/24'",
          "");

  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /** Writes a good configuration with one line of a table added, or replaced. */
  private Path configuration(String table, String line) throws IOException {
    List<String> lines = new ArrayList<>(GOOD);
    int at = lines.indexOf(table.equals("interface") ? "[[interface]]" : "[" + table + "]");
    String key = line.replaceFirst("[ =].*", "") + " =";
    while (!lines.get(at).startsWith(key) && !lines.get(at).isEmpty()) {
      at++;
    }
    lines.set(at, line);
    Path file = folder.resolve("rddpd.toml");
    String text = String.join("\n", lines) + "\n";
    return Files.writeString(
        file, text.replace("FOLDER", folder.toString()).replace(" ; ", "\n").replace('\'', '"'));
  }

  private int check(Path file) {
    CommandLine line = Main.commandLine();
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return line.execute("daemon", "--check", "--devices", "--config", file.toString());
  }

  private static String only(String text) {
    List<String> lines =
        text.lines()
            .filter(line -> !line.startsWith("Try '") && !line.endsWith("is not valid:"))
            .filter(line -> !line.startsWith("WARNING: "))
            .toList();
    assertThat(lines).hasSize(1);
    return lines.getFirst().replaceFirst("^rddp: ", "");
  }

  private void shouldSay(String text, Path file, String expected) {
    assertThat(only(text).replace('"', '\''))
        .startsWith(file + ":")
        .contains(expected.replace("FOLDER", folder.toString()));
  }

  /** Mistakes that the file shows. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          control   | mode = 0660                  | 3:8: control.mode: 0660 is neither a number nor true or false nor in quotes; allowed: mode = '0660'
          control   | mode = '0880'                | 3:1: control.mode: '0880' cannot be used; allowed: permission bits in octal, '0600' to '0777'
          control   | socket = 'rddpd.sock'        | 2:1: control.socket: 'rddpd.sock' cannot be used; allowed: an absolute path of at most 107 octets
          control   | sockets = '/run/a.sock'      | 3:1: control.sockets: unknown key; did you mean socket?
          control   | users = ['no-one-here']      | 3:10: control.users[1]: there is no user 'no-one-here' on this machine; allowed: a list of names or ids of users
          control   | drain-timeout = 3            | 3:1: control.drain-timeout: is the number 3; allowed: a whole number with us, ms, s or min, from 0s to 10min
          dpdk      | hugepages = no               | 5:13: dpdk.hugepages: no is neither a number nor true or false nor in quotes
          dpdk      | memory = 512MiB              | 6:13: dpdk.memory: 512MiB is neither a number nor true or false nor in quotes; allowed: memory = '512MiB'
          dpdk      | memory = '32MiB'             | 6:1: dpdk.memory: 32MiB is out of range; allowed: octets, or a number with KiB, MiB, GiB, TiB
          dpdk      | arguments = '-l 0'           | 6:1: dpdk.arguments: is the string '-l 0'; allowed: a list of strings in quotes
          engine    | idle = 'busy'                | 8:1: engine.idle: 'busy' cannot be used; allowed: one of 'spin', 'backoff', 'interrupt', 'yield', 'park'
          engine    | idle = 'spin' ; idle = 'park'| 9:1: engine.idle: is set in line 8 already; allowed: once
          engine    | cores = [0, 1]               | 8:1: engine.cores: names [0, 1], but one engine thread serves all interfaces; allowed: 1 processor
          engine    | priority = 'realtime'        | 8:1: engine.priority: 'realtime' cannot be used; allowed: 'normal', 'nice -20' to 'nice 19', 'fifo 1' to 'fifo 99'
          limits    | sessions = 0                 | 10:1: limits.sessions: 0 is out of range; allowed: a whole number from 1 to 4096
          limits    | session-memory = '32GiB'     | 10:1: limits.session-memory: 32 GiB is more than memory, that of all programs; allowed: at most 16 GiB
          limits    | process-share = 90           | 10:1: limits.process-share: 90 is more than user-share; allowed: a whole number from 1 to 75
          limits    | completions = 1000           | 10:1: limits.completions: 1000 is not a power of two; allowed: a power of two from 64 to 262144
          interface | device = 'eth0'              | 13:1: interface[1].device: 'eth0' cannot be used; allowed: 'linux:eth0' or 'xdp:eth0' (a Linux interface), 'pci:0000:03:00.0'
          interface | device = net_null0           | 13:10: interface.device: net_null0 is neither a number nor true or false nor in quotes; allowed: device = 'net_null0'
          interface | device = 'ring:x'            | 13:1: interface[1].device: 'ring:x' needs exactly two interfaces; it has 1
          interface | address = '10.0.0.1'         | 14:1: interface[1].address: '10.0.0.1' cannot be used; allowed: a unicast IPv4 address and its prefix length
          interface | address = '10.0.0.0/24'      | 14:1: interface[1].address: '10.0.0.0/24' cannot be used; allowed: a unicast IPv4 address and its prefix length
          interface | gateway = '10.0.1.254'       | 15:1: interface[1].gateway: '10.0.1.254' is not a host address of this interface's network; allowed: an address of the network of 10.0.0.1/24
          interface | mtu = 65536                  | 15:1: interface[1].mtu: 65536 is out of range; allowed: a whole number from 576 to 9600
          interface | device = 'net_memif0,role=server' ; mtu = 9000 | 13:1: interface[1].device: net_memif0 carries frames of at most 2048 octets without bsize, and this MTU needs 9014; allowed: bsize=9216 or more
          interface | device = 'net_af_packet0,iface=eth0' ; mtu = 9000 | 13:1: interface[1].device: net_af_packet0 carries frames of at most 2016 octets with framesz=2048, and this MTU needs 9014; allowed: 'linux:eth0'
          interface | device = 'net_tap0' ; mtu = 9000 | 14:1: interface[1].mtu: 9000 is more than net_tap0 can send; allowed: a whole number from 576 to 1500
          interface | packets = 1000000            | 4:1: dpdk.memory: 512 MiB does not hold the packets of the interfaces (port0 2.2 GiB); allowed: at least 2400MiB, or fewer 'packets'
          interface | mpa = { peer-to-peer = true }| 15:9: interface[1].mpa.peer-to-peer: needs revision 2 (RFC 6581)
          interface | mtu = 1500 ; [[interface]] ; name = 'b' ; device = 'net_null0' ; address = '10.0.1.1/24' | 18:1: interface[2].device: the name net_null0 is that of interface[1] too; allowed: a device of its own
          interface | mtu = 1500 ; [[interface]] ; name = 'b' ; device = 'net_null1' ; address = '10.0.7.1/16' | 19:1: interface[2].address: the network 10.0.0.0/16 overlaps 10.0.0.0/24 of interface[1]; allowed: the same prefix length
          interface | [[interface]                  | 15:12: is not TOML: unexpected ']'; allowed: ]] or .
          """)
  void shouldBeNamedByTheFile(String table, String line, String expected) throws IOException {
    Path file = configuration(table, line);
    assertThat(check(file)).isEqualTo(2);
    shouldSay(err.toString(), file, expected);
  }

  /** Mistakes that the machine shows before DPDK is started. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          control   | socket = '/proc/rddpd.sock'  | 2:1: control.socket: /proc/rddpd.sock.lock
          dpdk      | hugepages = true ; memory = '1TiB' | or hugepages = false, which is slower
          engine    | cores = [8000]               | 8:1: engine.cores: this process may not use processor 8000; allowed: 0
          interface | device = 'linux:nosuch0'     | 13:1: interface[1].device: there is no Linux interface nosuch0; allowed: one
          interface | device = 'pci:ffff:1f:1f.7'  | 13:1: interface[1].device: there is no PCI device ffff:1f:1f.7; allowed:
          interface | device = 'net_vhost0,iface=/no/such/a.sock' | 13:1: interface[1].device: there is no folder /no/such; allowed: a path in an existing one, or make it first (mkdir -p /no/such)
          interface | device = 'net_vhost0,iface=FOLDER/rddpd.toml' | 13:1: interface[1].device: the file FOLDER/rddpd.toml exists already; allowed: a new path
          interface | device = 'net_virtio_user0,path=FOLDER/a.sock' | 13:1: interface[1].device: no process listens at FOLDER/a.sock; allowed: the socket of a vhost end that is started first
          """)
  void shouldBeNamedByTheMachine(String table, String line, String expected) throws IOException {
    Path file = configuration(table, line);
    assertThat(check(file)).isEqualTo(1);
    shouldSay(err.toString(), file, expected);
    assertThat(folder.resolve("rddpd.sock")).doesNotExist();
  }

  /** Mistakes that DPDK shows: in a process of its own, since a process starts DPDK once. */
  @ParameterizedTest
  @EnabledIf("org.rddp.cli.DaemonProcess#hasDpdk")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          dpdk      | arguments = ['--vdev=nosuch0'] | 6:1: dpdk.arguments: DPDK does not start: 'EAL: failed to parse device 'nosuch0''; allowed:
          interface | device = 'net_vhots0,iface=FOLDER/a.sock' | 13:1: interface[1].device: DPDK has no driver for net_vhots0; did you mean net_vhost?
          interface | device = 'net_memif0,role=boss,socket-abstract=no' | memif_set_role(): Unknown role: boss.'; allowed:
          """)
  void shouldBeNamedByDpdk(String table, String line, String expected) throws Exception {
    Path file = configuration(table, line);
    try (DaemonProcess process = DaemonProcess.start(file, "--check", "--devices")) {
      assertThat(process.awaitEnd()).isEqualTo(1);
      shouldSay(process.output(), file, expected);
    }
    assertThat(folder.resolve("rddpd.sock")).doesNotExist();
  }

  /** DPDK 25.11 ends the process in this case; earlier versions do not. */
  @Test
  @EnabledIf("org.rddp.cli.DaemonProcess#hasDpdk")
  void shouldPassOnWhatDpdkSaysOfAnUnknownArgument() throws Exception {
    Path file = configuration("dpdk", "arguments = ['--lcors=0']");
    try (DaemonProcess process = DaemonProcess.start(file, "--check", "--devices")) {
      assertThat(process.awaitEnd()).isNotZero();
      assertThat(process.output()).contains("DPDK does not start", "dpdk.arguments", "--lcors");
    }
  }

  @Test
  void shouldSayThatAContainerHasNotAllOfSysfs() throws Exception {
    Path file = configuration("interface", "mtu = 1500");
    String output =
        checkIn(file, "unshare", "--mount", "sh", "-c", "mount -t tmpfs none /sys && exec \"$@\"");
    shouldSay(
        output,
        file,
        "dpdk.arguments: there is no folder /sys/module, without which DPDK does not");
  }

  @ParameterizedTest
  @CsvSource({
    "linux:end0, -net_raw, CAP_NET_RAW, no CAP_NET_RAW;",
    "'net_af_packet0,iface=end0', -net_admin, CAP_NET_RAW and CAP_NET_ADMIN, no CAP_NET_ADMIN;",
    "'net_af_packet0,iface=end0', -net_raw, CAP_NET_RAW and CAP_NET_ADMIN, no CAP_NET_RAW;",
    "'net_af_packet0,iface=end0', '-net_raw,-net_admin', CAP_NET_RAW and CAP_NET_ADMIN,"
        + " no CAP_NET_RAW and no CAP_NET_ADMIN;"
  })
  void shouldSayWhichCapabilityALinuxInterfaceLacks(
      String device, String without, String needed, String missing) throws Exception {
    Path file = configuration("interface", "device = '" + device + "'");
    String drop = "exec setpriv --bounding-set=" + without + " --inh-caps=" + without + " \"$@\"";
    String output =
        checkIn(
            file,
            "unshare",
            "--net",
            "sh",
            "-c",
            "ip link add end0 type veth peer name end1 && " + drop);
    shouldSay(
        output,
        file,
        "13:1: interface[1].device: the Linux interface end0 can be used only with "
            + needed
            + ", and this process has "
            + missing);
  }

  /** The output of a check that fails, in a process that a shell command has prepared. */
  private static String checkIn(Path file, String... shell) throws Exception {
    ProcessBuilder command =
        CommandProcess.of("daemon", "--check", "--devices", "--config", file.toString());
    command.command().addFirst("sh");
    command.command().addAll(0, List.of(shell));
    Process process = command.redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).isEqualTo(1);
    return output;
  }
}
