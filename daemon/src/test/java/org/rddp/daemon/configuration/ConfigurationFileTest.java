package org.rddp.daemon.configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.types.SessionSizes;
import org.rddp.ip.AddressPrefix;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv4Network;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.Rtr;
import org.rddp.tcp.AccurateEcn;
import org.rddp.tcp.CongestionAlgorithm;
import org.rddp.tcp.NetworkCongestion;
import org.rddp.tcp.TcpSettings;

class ConfigurationFileTest {
  /** An interface. */
  static final String PORT =
      """
      [[interface]]
      name = "port0"
      device = "net_ring0"
      address = "10.0.0.1/24"
      """;

  /** What is wrong in a text that cannot be used. */
  static List<ConfigurationProblem> problems(String text) {
    return catchThrowableOfType(
            ConfigurationException.class, () -> ConfigurationFile.parse("f.toml", text))
        .problems();
  }

  @Test
  void shouldReadTheExample() throws Exception {
    Configuration read = ConfigurationFile.read(Path.of("../docs/rddpd.example.toml"));

    assertThat(read.interfaces()).hasSize(1);
    InterfaceConfiguration port = read.interfaces().getFirst();
    assertThat(port.ipv4())
        .contains(new Ipv4Network(Ipv4Address.parse("10.0.0.1"), 24, Optional.empty()));
  }

  @ParameterizedTest
  @CsvSource({
    "off,           false, 0.0.0.0,    0",
    "9470,          true,  127.0.0.1,  9470",
    "0,             true,  127.0.0.1,  0",
    "10.0.0.5:9470, true,  10.0.0.5,   9470",
    "0.0.0.0:9470,  true,  0.0.0.0,    9470",
  })
  void shouldReadWhereMetricsAreServed(String listen, boolean enabled, String address, int port)
      throws Exception {
    Configuration read =
        ConfigurationFile.parse("f", "[metrics]\nlisten = \"" + listen + "\"\n" + PORT);

    assertThat(read.metrics())
        .isEqualTo(new MetricsConfiguration(enabled, Ipv4Address.parse(address), port));
  }

  @ParameterizedTest
  @ValueSource(strings = {"on", "65536", "-1", "localhost:9470", "10.0.0.5", "10.0.0.5:", ":9470"})
  void shouldRefuseOtherPlacesForMetrics(String listen) {
    assertThat(problems("[metrics]\nlisten = \"" + listen + "\"\n" + PORT))
        .singleElement()
        .asString()
        .contains("metrics.listen", "a port such as");
  }

  @Test
  void shouldReadThePortOfQueuePairs() throws Exception {
    assertThat(ConfigurationFile.parse("f", PORT).interfaces().getFirst().queuePairPort())
        .isEqualTo(4794);
    for (int port : new int[] {0, 1, 65535}) {
      Configuration read = ConfigurationFile.parse("f", PORT + "queue-pair-port = " + port);
      assertThat(read.interfaces().getFirst().introductionPort()).isEqualTo(port);
    }
    for (int port : new int[] {-1, 65536}) {
      assertThat(problems(PORT + "queue-pair-port = " + port))
          .singleElement()
          .asString()
          .contains("interface[1].queue-pair-port", "0 to 65535");
    }
    String startKey = PORT + "[interface.mpa]\nstartup = \"start-key\"\n";
    assertThat(ConfigurationFile.parse("f", startKey).interfaces().getFirst().introductionPort())
        .isZero();
  }

  @Test
  void shouldReadTheLog() throws Exception {
    String log =
        """
        [log]
        level = "warn"
        format = "json"
        lines-per-second = 7
        [log.levels]
        request = "debug"
        """;
    LogConfiguration read = ConfigurationFile.parse("f", log + PORT).log();
    assertThat(read.format()).isEqualTo(LogFormat.JSON);
    assertThat(read.linesPerSecond()).isEqualTo(7);
    assertThat(read.level("request")).isEqualTo(LogLevel.DEBUG);
    assertThat(read.level("connection")).isEqualTo(LogLevel.WARN);
    assertThat(problems("[log]\nformat = \"xml\"\n[log.levels]\nsesion = \"off\"\n" + PORT))
        .extracting(ConfigurationProblem::toString)
        .anyMatch(problem -> problem.contains("log.format") && problem.contains("\"journald\""))
        .anyMatch(problem -> problem.contains("log.levels.sesion") && problem.contains("session"));
  }

  @Test
  void shouldShowDefaultsInTheExample() throws Exception {
    String example = Files.readString(Path.of("../docs/rddpd.example.toml"));
    String spelledOut =
        example
            .replaceAll("(?m)^# (?=[a-z0-9-]+ = )", "")
            .replace("arguments = [\"--log-level=lib.eal:info\"]", "arguments = []")
            .replace("gateway = \"10.0.0.254\"", "")
            .replace("group = \"rddp\"", "")
            .replace("cores = [2]", "");

    assertThat(ConfigurationFile.parse("f", spelledOut))
        .isEqualTo(ConfigurationFile.parse("f", example));
  }

  @Test
  @Tag("MPA-4.4-06")
  @Tag("MPA-1.2-02")
  void shouldEnableCrcsByDefault() throws Exception {
    assertThat(crc("")).isTrue();
    assertThat(crc("mpa = { silent-drop = true, packing = true }")).isTrue();
    assertThat(crc("mpa = { crc = true }")).isTrue();
    assertThat(crc("mpa = { crc = false }")).isFalse();
  }

  private static boolean crc(String line) throws Exception {
    return ConfigurationFile.parse("f", PORT + line + "\n").interfaces().getFirst().mpa().crc();
  }

  @Test
  void shouldReadEveryKey() throws Exception {
    Configuration read =
        ConfigurationFile.parse(
            "f.toml",
            """
            [control]
            socket = "/tmp/x.sock"
            mode = "0600"
            users = [1000, "daemon"]
            group = "root"
            drain-timeout = "250ms"
            [dpdk]
            hugepages = false
            memory = "128MiB"
            arguments = ["--log-level=8"]
            [engine]
            engines = "per-port"
            idle = "spin"
            cores = [3, 1, 5]
            priority = "fifo 2"
            stuck-timeout = "30s"
            [limits]
            sessions = 3
            memory = 1048576
            memories = 9
            session-memories = 8
            session-regions = 4
            session-memory = "1MiB"
            session-connections = 5
            session-listeners = 6
            user-share = 60
            process-share = 40
            send-queue = 7
            receive-queue = 8
            requests = 128
            completions = 256
            largest-send-queue = 9
            largest-receive-queue = 10
            largest-requests = 512
            largest-completions = 1024
            largest-regions = 11
            largest-memories = 9
            [[interface]]
            name = "a"
            device = "ring:x"
            address = "10.1.0.1/16"
            gateway = "10.1.255.254"
            mtu = 9000
            longest-frame = 20000
            vlan = 100
            vlan-priority = 5
            engines = 2
            packets = 2048
            descriptors = 256
            connections = 7
            hold-messages = "1MiB"
            hold-memory = "10MiB"
            queue-pair-port = 4800
            sockets-port = 4801
            [interface.tcp]
            receive-buffer = "128KiB"
            congestion = "new-reno"
            ecn = false
            accurate-ecn = "off"
            dscp = 26
            backlog = 9
            peer-backlog = 3
            peer-connections = 4
            syn-cookies = false
            user-timeout = "2min"
            keep-alive = "1min"
            keep-alive-interval = "5s"
            keep-alive-probes = 2
            minimum-timeout = "1ms"
            peer-acknowledgment-delay = "50us"
            paced-round-trip = "1ms"
            [[interface.tcp.network]]
            remote = "10.1.0.0/24"
            congestion = "none"
            [[interface.tcp.network]]
            remote = "2001:db8::/64"
            congestion = "cubic"
            [interface.mpa]
            crc = false
            markers = true
            startup-timeout = "250ms"
            revision = 2
            ird = 3
            ord = 4
            unnegotiated-ord = 2
            revision-1-retry = true
            startup = "start-key-with-private-data"
            permissive = true
            rtr = ["Send", "read"]
            startups = 7
            packing = true
            silent-drop = true
            [[interface]]
            name = "b"
            device = "ring:x"
            address = "10.1.0.2/16"
            """);

    assertThat(read.controlSocket()).isEqualTo(Path.of("/tmp/x.sock"));
    assertThat(read.control())
        .isEqualTo(
            new ControlConfiguration(
                Path.of("/tmp/x.sock"), 0600, OptionalInt.of(0), List.of(1000, 1), 250_000_000));
    assertThat(read.dpdk())
        .isEqualTo(new DpdkConfiguration(false, 128 << 20, List.of("--log-level=8")));
    assertThat(read.engine())
        .isEqualTo(
            new EngineConfiguration(
                EngineThreads.PER_PORT,
                IdleMode.SPIN,
                List.of(3, 1, 5),
                new ThreadPriority(ThreadPriority.Kind.FIFO, 2),
                TimeUnit.SECONDS.toNanos(30)));
    assertThat(read.limits())
        .isEqualTo(
            new Limits(
                3,
                1 << 20,
                9,
                1 << 20,
                5,
                6,
                60,
                40,
                new SessionSizes(7, 8, 128, 256, 4, 8),
                new SessionSizes(9, 10, 512, 1024, 11, 9),
                List.of()));
    assertThat(read.interfaces().getFirst())
        .isEqualTo(
            new InterfaceConfiguration(
                "a",
                DeviceName.parse("ring:x"),
                Optional.of(
                    new Ipv4Network(
                        Ipv4Address.parse("10.1.0.1"),
                        16,
                        Optional.of(Ipv4Address.parse("10.1.255.254")))),
                Optional.empty(),
                9000,
                20_000,
                100,
                5,
                2,
                2048,
                256,
                TcpSettings.DEFAULTS
                    .withConnections(7)
                    .withPeerConnections(4)
                    .withReceiveBuffer(128 << 10)
                    .withCongestion(CongestionAlgorithm.NEW_RENO)
                    .withNetworks(
                        List.of(
                            new NetworkCongestion(
                                AddressPrefix.parse("10.1.0.0/24"), CongestionAlgorithm.NONE),
                            new NetworkCongestion(
                                AddressPrefix.parse("2001:db8::/64"), CongestionAlgorithm.CUBIC)))
                    .withEcn(false)
                    .withAccurateEcn(AccurateEcn.OFF)
                    .withDscp(26)
                    .withBacklog(9)
                    .withPeerBacklog(3)
                    .withSynCookies(false)
                    .withUserTimeout(120_000_000_000L)
                    .withKeepAlive(60_000_000_000L)
                    .withKeepAliveInterval(5_000_000_000L)
                    .withKeepAliveProbes(2)
                    .withMinimumRetransmission(1_000_000)
                    .withMinimumProbe(500_000)
                    .withPacedRoundTrip(1_000_000)
                    .withPeerAcknowledgmentDelay(50_000),
                MpaSettings.DEFAULTS
                    .withCrc(false)
                    .withMarkers(true)
                    .withStartupTimeoutNanos(250_000_000)
                    .withRevision(2)
                    .withRevision1Retry(true)
                    .withReads(3, 4)
                    .withUnnegotiatedOrd(2)
                    .withPacking(true)
                    .withSilentDrop(true)
                    .withStartKey(true)
                    .withStreamedPrivateData(true)
                    .withPermissive(true)
                    .withRtr(Set.of(Rtr.SEND, Rtr.READ))
                    .withStartups(7),
                0,
                1 << 20,
                10 << 20,
                4800,
                4801,
                Optional.empty()));
  }

  @Test
  void shouldReportAllProblemsWithTheirPositions() {
    List<ConfigurationProblem> problems =
        problems(
            """
            [contrl]
            socket = "x"
            [[interface]]
            name = "port0"
            device = "eth0"
            adress = "10.0.0.1/24"
            mtu = 70000
            """);

    assertThat(problems).extracting(ConfigurationProblem::line).containsExactly(1, 3, 5, 6, 7);
    assertThat(problems.get(0).toString())
        .startsWith("f.toml:1:")
        .contains("contrl: unknown key; did you mean control?");
    assertThat(problems.get(1).toString()).contains("interface[1].address: missing");
    assertThat(problems.get(2).toString()).contains("interface[1].device: \"eth0\"");
    assertThat(problems.get(3).toString()).contains("did you mean address?");
    assertThat(problems.get(4).toString())
        .isEqualTo(
            "f.toml:7:1: interface[1].mtu: 70000 is out of range;"
                + " allowed: a whole number from 576 to 9600");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          control | socket = 'x.sock'            | an absolute path
          control | socket = 5                   | is the number 5
          control | mode = '9'                   | permission bits in octal
          control | mode = '0000'                | permission bits in octal
          control | users = 5                    | a list of names or ids of users
          control | users = [true]               | users[1]: is true; allowed: a list of names or ids of users
          control | users = [1, 'no-one-here']   | users[2]: there is no user "no-one-here" on this machine
          control | group = 'no-group-here'      | there is no group "no-group-here" on this machine
          control | group = -1                   | is the number -1; allowed: a name or an id of a group
          control | drain-timeout = '1h'         | us, ms, s or min
          dpdk    | hugepages = 'yes'            | true or false
          dpdk    | memory = '1KiB'              | is out of range
          dpdk    | memory = '100.5MiB'          | whole MiB
          dpdk    | memory = 'lots'              | KiB, MiB, GiB
          dpdk    | arguments = '-l 0'           | a list of strings
          dpdk    | arguments = [1]              | is not a string
          engine  | engines = 'many'             | one of "shared", "per-port"
          engine  | idle = 'sleep'               | "spin", "backoff", "interrupt", "yield", "park"
          engine  | idle = ''                    | is empty
          engine  | cores = [1, 2]               | names [1, 2], but one engine thread serves all interfaces; allowed: 1 processor
          engine  | cores = [-1]                 | a list of whole numbers from 0 to 8191
          engine  | stuck-timeout = '0s'         | is out of range
          engine  | priority = 'nice 20'         | allowed: "normal", "nice -20" to "nice 19", "fifo 1" to "fifo 99"
          engine  | priority = 'fifo 0'          | allowed: "normal", "nice -20" to "nice 19", "fifo 1" to "fifo 99"
          limits  | sessions = 0                 | a whole number from 1 to 4096
          limits  | user-share = 101             | a whole number from 1 to 100
          limits  | process-share = 80           | a whole number from 1 to 75
          limits  | sessions = 1.5               | is the number 1.5
          limits  | requests = 100               | is not a power of two
          limits  | session-memory = -1          | is out of range
          limits  | session-memory = '32GiB'     | is more than memory, that of all programs
          limits  | session-memories = 20000     | is more than memories, those of all programs
          limits  | mappings = 100               | is called memories now
          limits  | session-mappings = 100       | is called session-memories now
          limits  | nonsense = 1                 | unknown key
          """)
  void shouldRejectWrongValues(String section, String line, String expected) {
    List<ConfigurationProblem> problems =
        problems("[" + section + "]\n" + line.replace('\'', '"') + "\n" + PORT);

    assertThat(problems).hasSize(1);
    assertThat(problems.getFirst().line()).isEqualTo(2);
    assertThat(problems.getFirst().toString())
        .contains(section + "." + line.substring(0, line.indexOf(' ')))
        .contains(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          name = ''                        | is empty
          name = 'a b'                     | letters, digits
          address = '10.0.0.1'             | prefix length
          vlan = -1                        | a whole number from 0 to 4094
          vlan = 4095                      | a whole number from 0 to 4094
          address = '10.0.0.0/24'          | unicast IPv4 address
          address = '10.0.0.255/24'        | unicast IPv4 address
          address = '10.0.0.1/33'          | unicast IPv4 address
          address = '224.0.0.1/24'         | unicast IPv4 address
          address = '10.0.0.256/24'        | unicast IPv4 address
          address = '10.0.0.0001/24'       | unicast IPv4 address
          address = []                     | is empty; every interface needs an address
          address = 'fe80::1/64'           | "fe80::1/64" cannot be used
          address = 5                      | is the number 5
          address = ['10.0.0.1/24', '10.0.0.2/24'] | "10.0.0.2/24" is the second one of its family
          address = ['10.0.0.1/24', '2001:db8::1/64', '2001:db8::2/64'] | "2001:db8::2/64" is the second one
          address = ['10.0.0.1/24', '2001:db8::1'] | "2001:db8::1" cannot be used
          address = ['10.0.0.1/24', '2001:db8::1/129'] | such as ["10.0.0.1/24", "2001:db8::1/64"]
          address = ['10.0.0.1/24', 'fe80::1/64'] | "fe80::1/64" cannot be used
          address = ['10.0.0.1/24', 'ff02::1/64'] | "ff02::1/64" cannot be used
          router-advertisements = true     | is for IPv6, and the interface has none
          router-advertisements = 1        | router-advertisements
          gateway = '2001:db8::fe'         | is of IPv6, and the interface has none
          gateway = ['10.0.0.8', '10.0.0.9'] | the second one of its family
          device = 'ring:'                 | "ring:NAME"
          device = 'ring:x'                | needs exactly two interfaces; it has 1
          device = 'linux:'                | "linux:eth0"
          device = 'pci:03:00'             | "pci:0000:03:00.0"
          device = 'net_memif0,bsize=1024' | frames of at most 1024 octets, and this MTU needs 1514; allowed: bsize=2048
          device = 'net_memif0,id=0'       | has an abstract socket, which every user may connect to and then end the daemon; allowed: socket-abstract=no
          device = 'net_vhost0,iface=/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' | its 128 octets are more than DPDK takes: net_vhost0,iface=/aaaa
          device = 'net_af_packet0'        | names no Linux interface
          device = 'net_af_packet0,iface=e,framesz=1024' | 992 octets with framesz=1024, and this MTU needs 1514
          device = 'net_af_packet0,iface=e,framesz=3072' | blocksz=4096, which is not a multiple of framesz=3072
          gateway = '10.0.1.1'             | not a host address of this interface's network
          gateway = '10.0.0.1'             | own address
          gateway = 'router'               | an IPv4 address
          packets = 400000                 | dpdk.memory: 512 MiB does not hold the packets of the interfaces (port0 903 MiB)
          descriptors = 1000               | is not a power of two
          tcp = 5                          | a table
          mpa = { crc = 1 }                | true or false
          mpa = { startup-timeout = '1h' } | us, ms, s or min
          mpa = { startup-timeout = '1us' }| is out of range
          mpa = { revision = 3 }           | a whole number from 1 to 2
          mpa = { startup = 'key' }        | one of "request", "start-key", "start-key-with-private-data"
          mpa = { permissive = 'yes' }     | true or false
          mpa = { peer-to-peer = true }    | needs revision 2 (RFC 6581)
          mpa = { peer-to-peer = true, revision = 2, startup = 'start-key' } | does not go with a Start Key
          mpa = { rtr = ['nop'] }          | a list of "read", "send", "write"
          mpa = { rtr = 'write' }          | a list of strings
          mpa = { rtr = [] }               | is empty; allowed: a list of "read", "send", "write"
          mpa = { startups = 0 }           | a whole number from 1 to 65536
          mpa = { ird = 0 }                | a whole number from 1 to 16382
          mpa = { ord = 16383 }            | a whole number from 1 to 16382
          tcp = { buffer = 1 }             | unknown key
          tcp = { congestion = 'bbr' }     | one of "cubic", "dctcp", "new-reno", "none"
          tcp = { congestion = 'dctcp', ecn = false } | is false, and congestion control is dctcp
          tcp = { ecn = false, network = [{ remote = '::/0', congestion = 'dctcp' }] } | is false, and congestion control is dctcp
          tcp = { network = [{ remote = '10.0.0.0/33', congestion = 'cubic' }] } | an address, or one with a prefix length
          tcp = { network = [{ remote = '::/0' }] } | missing; it must be one of "cubic", "dctcp", "new-reno", "none"
          tcp = { accurate-ecn = 'ask', ecn = false } | is false, and accurate-ecn is ask
          tcp = { accurate-ecn = 'yes' }   | one of "accept", "ask", "off"
          tcp = { ecn = 1 }                | true or false
          tcp = { dscp = 64 }              | a whole number from 0 to 63
          vlan-priority = 8                | a whole number from 0 to 7
          vlan-priority = 1                | untagged frames have no priority
          tcp = { backlog = 0 }            | a whole number from 1 to 65536
          tcp = { peer-connections = 20000 }| from 1 to 16384
          tcp = { keep-alive = 'never' }   | or "off"
          tcp = { keep-alive = '1ms' }     | from 1s to 1440min
          tcp = { minimum-timeout = '500us' } | from 1ms to 1s
          tcp = { paced-round-trip = '10us' } | from 50us to 1440min, or "off"
          tcp = { peer-acknowledgment-delay = '1s' } | from 10us to 500ms
          tcp = { user-timeout = '5ms' }   | is out of range
          """)
  void shouldRejectWrongValuesOfAnInterface(String line, String expected) {
    String key = line.substring(0, line.indexOf(' '));
    String text = PORT.replaceFirst("(?m)^" + key + " = .*\n", "") + line.replace('\'', '"') + "\n";

    assertThat(problems(text)).hasSize(1);
    assertThat(problems(text).getFirst().toString()).contains(expected);
  }

  @Test
  void shouldSayHowASyntaxErrorIsRepaired() {
    assertThat(problems("[control]\nmode = 0660 # for the group\n"))
        .singleElement()
        .asString()
        .isEqualTo(
            "f.toml:2:8: control.mode: 0660 is neither a number nor true or false nor in quotes;"
                + " allowed: mode = \"0660\"");
    assertThat(problems("[engine]\nidle = \"spin\"\nidle = \"park\"\n"))
        .singleElement()
        .asString()
        .isEqualTo("f.toml:3:1: engine.idle: is set in line 2 already; allowed: once");
    assertThat(problems("[dpdk\n"))
        .singleElement()
        .asString()
        .isEqualTo("f.toml:1:6: is not TOML: unexpected end of line; allowed: ]");
  }

  @Test
  void shouldRejectAFileWithoutInterfaces() {
    assertThat(problems("")).singleElement().asString().contains("no [[interface]]");
  }

  @Test
  void shouldReportThePositionOfASyntaxError() {
    List<ConfigurationProblem> problems = problems("[control\nmode = 1");

    assertThat(problems).isNotEmpty();
    assertThat(problems.getFirst().line()).isEqualTo(1);
  }

  @Test
  void shouldReportAMissingFile() {
    assertThatThrownBy(() -> ConfigurationFile.read(Path.of("/nowhere/rddpd.toml")))
        .isInstanceOf(ConfigurationException.class)
        .hasMessage("/nowhere/rddpd.toml: there is no such file");
  }
}
