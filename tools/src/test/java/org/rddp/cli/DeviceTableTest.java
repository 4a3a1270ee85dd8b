package org.rddp.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionFailedException;
import org.rddp.client.CounterReader;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.PrivateData;
import org.rddp.daemon.TestDaemon;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.rig.ConfigurationText;
import org.rddp.rig.NetworkNamespace;
import org.rddp.transfer.EchoServer;

/**
 * Every row of the table of devices in docs/dpdk.md, at both MTUs, in one daemon; with two engines
 * at each end where the device can have two queues.
 */
@Timeout(180)
class DeviceTableTest {
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final int PORT = 7471;
  private static final int OCTETS = 32 << 10;
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  /** A link between two interfaces of the daemon: its number, MTU, engines at each end, the row. */
  private record Link(int number, int mtu, int engines, List<String> devices) {
    String address(int end) {
      return "10.1." + number + "." + (end + 1);
    }

    String name(int end) {
      return "link" + number + (end == 0 ? "a" : "b");
    }

    /** An engine of an end, with another number than the other end's. */
    String engine(int end) {
      return engines == 1 ? name(end) : name(end) + "/" + end;
    }

    /** The Linux interface, or the tap, of an end. */
    String linux(int end) {
      return "if-" + number + (end == 0 ? ".a" : ".b");
    }

    String mac(int end) {
      return "02:00:00:01:%02x:0%d".formatted(number, end);
    }

    /** Long frames go between a vhost end that offers them and a virtio-user end. */
    boolean isLong() {
      return devices.getFirst().contains("tso=1");
    }

    boolean carriesTrains() {
      return isLong() || devices.getFirst().startsWith("linux:");
    }

    boolean isTap() {
      return devices.getFirst().startsWith("net_tap");
    }

    String device(int end, Path folder) {
      String text = devices.get(end % devices.size());
      return text.replaceFirst("^(net_[a-z_]+)0", "$1" + (2 * number + end))
          .replace("SOCKET", folder.resolve("link" + number + ".sock").toString())
          .replace("IF", linux(end))
          .replace("TAP", linux(end))
          .replace("NAME", "link" + number);
    }
  }

  @TempDir private Path folder;
  private final List<Link> links = new ArrayList<>();
  private final List<List<String>> refusedAt9000 = new ArrayList<>();

  private void readTable() throws IOException {
    for (String line : Files.readAllLines(Path.of("../docs/dpdk.md"))) {
      String[] cells = line.split("\\|", -1);
      if (cells.length != 5 || !cells[1].contains("`") || !line.startsWith("| `")) {
        continue;
      }
      addLink(codes(cells[1]), cells[2].strip(), 1500);
      addLink(codes(cells[1]), cells[3].strip(), 9000);
    }
    assertThat(links).hasSizeGreaterThanOrEqualTo(14);
  }

  private void addLink(List<String> devices, String verdict, int mtu) {
    if (verdict.equals("no")) {
      assertThat(mtu).isEqualTo(9000);
      refusedAt9000.add(devices);
      return;
    }
    String more = verdict.equals("yes") ? "" : codes(verdict).getFirst();
    if (!more.isEmpty()) {
      refusedAt9000.add(devices);
    }
    links.add(new Link(links.size(), mtu, 1, devices.stream().map(each -> each + more).toList()));
    // DPDK has at most 32 ports.
    boolean manyQueues = devices.getFirst().matches("(net_vhost|linux|xdp|ring)((?!tso=1).)*");
    if (manyQueues && mtu == 1500) {
      links.add(
          new Link(
              links.size(),
              mtu,
              2,
              devices.stream().map(each -> each.replace("queues=1", "queues=2")).toList()));
    }
  }

  private static List<String> codes(String cell) {
    Matcher matcher = CODE.matcher(cell);
    List<String> codes = new ArrayList<>();
    while (matcher.find()) {
      codes.add(matcher.group(1));
    }
    return codes;
  }

  private Path configuration() throws IOException {
    ConfigurationText text =
        new ConfigurationText()
            .control(folder.resolve("rddpd.sock"))
            .dpdk(640, false, "error")
            .table("[engine]", "engines", "shared", "idle", "park");
    for (Link link : links) {
      for (int end = 0; end < 2; end++) {
        text.port(
            link.name(end),
            link.device(end, folder),
            link.address(end) + "/24",
            "mtu",
            link.mtu,
            "engines",
            link.engines,
            "packets",
            2048,
            "descriptors",
            256,
            "connections",
            16);
        if (link.isLong()) {
          text.toml("longest-frame = 32768\n");
        }
      }
    }
    return Files.writeString(folder.resolve("rddpd.toml"), text.toString());
  }

  @Test
  @EnabledIf("org.rddp.cli.DaemonProcess#hasDpdk")
  void shouldCarryAConnectionOverEveryDevice() throws Exception {
    readTable();
    Path file = configuration();
    try (NetworkNamespace namespace = namespace()) {
      for (Link link : links) {
        if (link.devices.getFirst().contains("IF")) {
          joinByVeth(namespace, link);
        }
      }
      try (DaemonProcess daemon = DaemonProcess.startIn(namespace, file)) {
        daemon.awaitReady();
        for (Link link : links) {
          if (link.isTap()) {
            joinByBridge(namespace, link);
          }
          shouldCarryAConnection(link);
        }
        daemon.signal("TERM");
        assertThat(daemon.awaitEnd()).as(daemon::output).isZero();
      }
    }
  }

  @Test
  @EnabledIf("org.rddp.cli.DaemonProcess#hasDpdk")
  void shouldCarryConnectionsAgainWhenAnInterfaceHasComeBack() throws Exception {
    Link link = new Link(0, 1500, 1, List.of("linux:IF"));
    links.add(link);
    Path file = configuration();
    try (NetworkNamespace namespace = namespace()) {
      joinByVeth(namespace, link);
      try (DaemonProcess daemon = DaemonProcess.startIn(namespace, file)) {
        daemon.awaitReady();
        shouldCarryAConnection(link);
        namespace.run("ip", "link", "delete", link.linux(0));
        joinByVeth(namespace, link);
        shouldCarryAConnection(link);
      }
    }
  }

  private static NetworkNamespace namespace() throws InterruptedException {
    try {
      return new NetworkNamespace("devices");
    } catch (IOException e) {
      return abort("no network namespaces: " + e.getMessage());
    }
  }

  private static void joinByVeth(NetworkNamespace namespace, Link link) throws Exception {
    String mtu = Integer.toString(link.mtu);
    String one = link.linux(0);
    String two = link.linux(1);
    String queues = Integer.toString(link.engines);
    List<String> each = List.of("numtxqueues", queues, "numrxqueues", queues);
    List<String> add = new ArrayList<>(List.of("ip", "link", "add", one, "mtu", mtu));
    add.addAll(each);
    add.addAll(List.of("address", link.mac(0), "type", "veth"));
    add.addAll(List.of("peer", "name", two, "address", link.mac(1)));
    add.addAll(each);
    namespace.run(add.toArray(String[]::new));
    namespace.run("ip", "link", "set", two, "mtu", mtu, "up");
    namespace.run("ip", "link", "set", one, "up");
  }

  /** A bridge keeps frames to its own interfaces' addresses: these differ from the ports'. */
  private static void joinByBridge(NetworkNamespace namespace, Link link) throws Exception {
    namespace.run("ip", "link", "add", "bridge", "type", "bridge");
    namespace.run("ip", "link", "set", "bridge", "up");
    for (int end = 0; end < 2; end++) {
      String address = "02:00:00:00:01:0" + end;
      namespace.run("ip", "link", "set", link.linux(end), "address", address);
      namespace.run("ip", "link", "set", link.linux(end), "master", "bridge", "up");
    }
  }

  /** A message longer than the MTU goes to the echo server at the other end and comes back. */
  private void shouldCarryAConnection(Link link) throws Exception {
    Path socket = folder.resolve("rddpd.sock");
    RddpOptions options = RddpOptions.defaults();
    try (Rddp here = Rddp.connect(socket, options.withInterfaceName(link.engine(0)));
        Rddp there = Rddp.connect(socket, options.withInterfaceName(link.engine(1)))) {
      Thread server =
          new Thread(() -> new EchoServer(there, OCTETS, line -> {}).serve(PORT), link.toString());
      server.setDaemon(true);
      server.start();
      MemoryRegion memory = here.allocate(2L * OCTETS, Access.LOCAL_WRITE);
      for (int i = 0; i < OCTETS; i++) {
        memory.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + (i >> 8)));
      }
      try (Connection connection = connect(here, link.address(1))) {
        echo(here, connection, memory, link);
        for (int end = 0; link.carriesTrains() && end < 2; end++) {
          String trains = link.engine(end) + ".tcp_received_trains";
          // The vhost end learns after a while what the other end has agreed to.
          TestDaemon.await(
              () -> {
                echo(here, connection, memory, link);
                return counter(here, trains) > 0;
              },
              trains + " counts");
        }
      }
      assertThat(memory.segment().asSlice(OCTETS).mismatch(memory.segment().asSlice(0, OCTETS)))
          .as(link::toString)
          .isEqualTo(-1);
      server.interrupt();
      server.join();
    }
  }

  private static void echo(Rddp here, Connection connection, MemoryRegion memory, Link link) {
    assertThat(connection.postReceive(1, memory, OCTETS, OCTETS)).isTrue();
    assertThat(connection.postSend(2, memory, 0, OCTETS)).isTrue();
    awaitEcho(here, link);
  }

  private static long counter(Rddp session, String name) {
    long[] value = {0};
    try (CounterReader counters = session.openCounters()) {
      counters.forEach((each, now) -> value[0] += each.equals(name) ? now : 0);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return value[0];
  }

  private static void awaitEcho(Rddp here, Link link) {
    boolean[] echoed = {false};
    TestDaemon.await(
        () -> {
          here.poll(
              completion -> {
                assertThat(completion.isSuccess()).as("%s: %s", link, completion).isTrue();
                echoed[0] |= completion.opcode() == Opcode.RECEIVE;
              },
              16);
          return echoed[0];
        },
        "the echo over " + link + " has come");
  }

  /** Retries until the server listens, and until the link carries frames. */
  private static Connection connect(Rddp here, String address) {
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
    while (true) {
      try {
        return here.connect(new InetSocketAddress(address, PORT), PrivateData.NONE, TIMEOUT);
      } catch (ConnectionFailedException e) {
        if (System.nanoTime() > deadline) {
          throw e;
        }
      }
    }
  }

  @Test
  void shouldRefuseWhatTheTableDoesNotHave() throws IOException {
    readTable();
    for (List<String> devices : refusedAt9000) {
      Link link = new Link(0, 9000, 1, devices);
      ConfigurationText text =
          new ConfigurationText()
              .port("port0", link.device(0, folder), "10.0.0.1/24", "mtu", link.mtu);
      assertThatThrownBy(() -> text.parse("rddpd.toml"))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageMatching(
              "rddpd.toml:\\d+:1: interface\\[1\\]\\.(device|mtu): .*; allowed: .*");
    }
    assertThat(refusedAt9000).hasSizeGreaterThanOrEqualTo(3);
  }
}
