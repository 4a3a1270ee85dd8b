package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Capture;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.CounterReader;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.MemoryWindow;
import org.rddp.client.QueuePairNumber;
import org.rddp.client.Rddp;
import org.rddp.client.RegionOptions;
import org.rddp.client.RegionPiece;
import org.rddp.client.SharedReceiveQueue;
import org.rddp.client.streams.ProgramListener;
import org.rddp.client.streams.ProgramStream;
import org.rddp.client.streams.StreamSession;
import org.rddp.client.streams.StreamWaiter;
import org.rddp.client.types.Access;
import org.rddp.client.types.ListSubject;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.SecurityAssociation;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.daemon.replacement.ReplacementException;
import org.rddp.daemon.replacement.Successor;
import org.rddp.device.FrameDevice;
import org.rddp.device.PacketPool;
import org.rddp.ip.IpCounters;
import org.rddp.ipc.control.ControlListener;
import org.rddp.ipc.control.ControlSocket;
import org.rddp.ipc.control.DaemonMessage.SocketsWelcome;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.UnixSocket;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;

/** A daemon takes the place of another one, both in this process. */
@Timeout(60)
class DaemonReplacementTest extends ReplacedDaemonsFixture {
  private static final int REMOTE_WRITE = Access.bits(Access.REMOTE_WRITE);

  @Test
  void shouldGoOnInTheNewDaemon() throws Exception {
    exchange();
    long established = established(old);
    assertThat(established).isPositive();
    Daemon next = replace(ADDRESS_ONE);
    assertThat(old.awaitEnd()).isNull();
    assertThat(established(next)).isEqualTo(established);
    exchange();
    assertThat(established(next)).isGreaterThan(established);
    Daemon third = replace(ADDRESS_ONE);
    exchange();
    assertThat(established(third)).isGreaterThan(established);
  }

  @Test
  void shouldAddAndRemoveInterfaces() throws Exception {
    String more =
        text("three", "10.1.0.1").replace("\"two\"", "\"four\"").replace("10.0.0.2", "10.1.0.2")
            + text("one", ADDRESS_ONE).replaceFirst("(?s).*?(?=\\[\\[)", "");
    more = more.replaceFirst("ring:x", "ring:y").replaceFirst("ring:x", "ring:y");
    Configuration four = ConfigurationFile.parse("test", more);
    try (SteadyExchange exchange =
        new SteadyExchange(connect("one"), connect("two"), ConnectedPrograms.TWO)) {
      exchange.awaitMessages(100);
      replace(four, () -> new JoinedPorts(ports(), ports()));
      exchange.awaitMessages(100);
      try (Rddp here = connect("three");
          Rddp there = connect("four")) {
        try (SteadyExchange second =
            new SteadyExchange(here, there, new InetSocketAddress("10.1.0.2", 7471))) {
          second.awaitMessages(100);
          replace(four, () -> new JoinedPorts(ports(), ports()));
          second.awaitMessages(100);
        }
      }
      replace(ADDRESS_ONE);
      exchange.awaitMessages(100);
    }
    assertThatThrownBy(() -> connect("three"))
        .hasMessageContaining("the daemon's interfaces: one, two");
  }

  /** In one engine and the other, and between them: also by numbers of queue pairs. */
  @Test
  void shouldAddAndRemoveEngines() throws Exception {
    Configuration fewer = withEngines(1);
    Configuration more = withEngines(2);
    exchange();
    long sent = established(old);
    try (Rddp counting = connect("one");
        CounterReader reader = counting.openCounters();
        SteadyExchange exchange =
            new SteadyExchange(connect("one"), connect("two"), ConnectedPrograms.TWO)) {
      exchange.awaitMessages(100);
      replace(more, DaemonReplacementTest::twoQueues);
      exchange.awaitMessages(100);
      assertThat(sum(reader, ".tcp_established_connections")).isEqualTo(sent + 2);
      try (SteadyExchange second =
          new SteadyExchange(
              connect("one/1"),
              connect("two/1"),
              new InetSocketAddress(TestDaemon.ADDRESS_TWO, 81))) {
        second.awaitMessages(100);
        meet("one/1", "two/0");
        meet("one/0", "two/1");
        assertThatThrownBy(() -> replace(fewer))
            .hasMessageContaining(
                "which has the engines 2 in the daemon that runs, and 1 in the new one");
        replace(more, DaemonReplacementTest::twoQueues);
        exchange.awaitMessages(100);
        second.awaitMessages(100);
        meet("one/1", "two/1");
      }
      replace(fewer);
      exchange.awaitMessages(100);
      meet("one", "two");
    }
  }

  private Configuration withEngines(int engines) throws ConfigurationException {
    return withEngines(engines, "");
  }

  /** With further keys of both interfaces. */
  private Configuration withEngines(int engines, String keys) throws ConfigurationException {
    String device = "device = \"ring:x\"\n";
    String more = device + "engines = " + engines + "\n" + keys;
    return ConfigurationFile.parse(
        "test",
        "[engine]\nengines = \"shared\"\n" + text("one", ADDRESS_ONE).replace(device, more));
  }

  /** Each engine's stack seals by a cipher of its own, with numbers that all share. */
  @Test
  void shouldAddEnginesWithSecurityAssociations() throws Exception {
    String policy = "ipsec = { default = \"require\" }\n";
    old.close();
    old = Daemon.start(withEngines(1, policy), ports(), out());
    daemons.add(old);
    try (Rddp here = connect("one");
        Rddp there = connect("two")) {
      for (int i = 0; i < 2; i++) {
        String from = i == 0 ? ADDRESS_ONE : TestDaemon.ADDRESS_TWO;
        String to = i == 0 ? TestDaemon.ADDRESS_TWO : ADDRESS_ONE;
        byte[] keys = new byte[36];
        Arrays.fill(keys, (byte) (i + 1));
        for (Rddp each : List.of(here, there)) {
          each.securityAssociations()
              .add(
                  new SecurityAssociation(
                      0x1001 + i,
                      from,
                      to,
                      false,
                      "aes256gcm16",
                      true,
                      0,
                      "",
                      false,
                      0,
                      0,
                      0,
                      0,
                      0,
                      0),
                  0,
                  keys.clone());
        }
      }
    }
    try (SteadyExchange exchange =
        new SteadyExchange(connect("one"), connect("two"), ConnectedPrograms.TWO)) {
      exchange.awaitMessages(100);
      replace(withEngines(2, policy), DaemonReplacementTest::twoQueues);
      exchange.awaitMessages(100);
      InetSocketAddress to = new InetSocketAddress(TestDaemon.ADDRESS_TWO, 81);
      try (SteadyExchange added = new SteadyExchange(connect("one/1"), connect("two/1"), to)) {
        added.awaitMessages(100);
        exchange.awaitMessages(100);
      }
      assertThatThrownBy(() -> replace(withEngines(1, policy)))
          .hasMessageContaining("which has the engines 2 in the daemon that runs, and 1 in");
      exchange.awaitMessages(100);
    }
  }

  private static Ports twoQueues() {
    return new LoopedPorts(4096, 0, 2, 1500);
  }

  /** As many that all groups of ports have some: the added engine can have none. */
  @Test
  void shouldUseNoAddedEngineWithoutNumbersOfQueuePairs() throws Exception {
    try (Rddp busy = connect("one")) {
      for (int i = 0; i < 500; i++) {
        assertThat(busy.createNumber().value()).isPositive();
      }
      replace(withEngines(2), DaemonReplacementTest::twoQueues);
      try (Rddp next = connect("one");
          Rddp named = connect("one/1")) {
        assertThat(next.createNumber().value()).isPositive();
        assertThatThrownBy(named::createNumber)
            .hasMessageContaining("was added while queue pairs had all numbers");
      }
    }
  }

  private void meet(String one, String two) {
    try (Rddp here = connect(one);
        Rddp there = connect(two)) {
      QueuePairEnd.exchange(
          QueuePairEnd.of(here, ADDRESS_ONE, 1), QueuePairEnd.of(there, TestDaemon.ADDRESS_TWO, 2));
    }
  }

  @Test
  void shouldKeepTheAgeOfASession() throws Exception {
    try (Rddp program = connect("one")) {
      long connected = System.nanoTime();
      replace(ADDRESS_ONE);
      double elapsed = (System.nanoTime() - connected) / 1e9;
      assertThat(program.list(ListSubject.SESSIONS))
          .singleElement()
          .extracting(line -> JsonParser.parseString(line).getAsJsonObject().get("age_seconds"))
          .satisfies(age -> assertThat(age.getAsDouble()).isGreaterThanOrEqualTo(elapsed - 0.001));
    }
  }

  @Test
  void shouldChangeAnInterfaceThatNoProgramUses() throws Exception {
    try (Rddp program = connect("two")) {
      replace("10.0.0.3");
      program.allocate(64).close();
      exchange();
    }
  }

  @Test
  void shouldMapLargeMemoryBeforeTheOldEnginesStop() throws Exception {
    int octets = 8 << 20;
    List<Integer> mapped = new ArrayList<>();
    Rddp ending = connect("one");
    try (ConnectedPrograms both = new ConnectedPrograms(connect("one"), connect("two"))) {
      MemoryRegion source = both.here.allocate(octets);
      MemoryRegion sink = both.there.allocate(octets, Access.LOCAL_WRITE);
      assertThat(ending.allocate(octets).length()).isEqualTo(octets);
      source.segment().fill((byte) 1);
      sink.segment().fill((byte) 2);
      ArrivingDaemon arriving =
          new ArrivingDaemon(configuration(ADDRESS_ONE), ReplacedDaemonsFixture::ports, out()) {
            @Override
            public void map(List<Descriptor> memories) {
              mapped.add(memories.size());
              super.map(memories);
              ending.close();
            }
          };
      new Successor(control, arriving).takeOver();
      daemons.add(arriving.daemon());
      assertThat(mapped).containsExactly(3);
      assertThat(both.in.postReceive(1, sink, 0, octets)).isTrue();
      assertThat(both.out.postSend(1, source, 0, octets)).isTrue();
      assertThat(ConnectedPrograms.completions(both.there, 1))
          .containsExactly("receive 1 SUCCESS " + octets);
      assertThat(sink.segment().mismatch(source.segment())).isEqualTo(-1);
    }
  }

  /** Both daemons receive the frames that come while the new one prepares. */
  @Test
  void shouldHandleOnlyFramesThatCameAfterTheOldEnginesHadStopped() throws Exception {
    Ports ports = ports();
    FrameDevice peer = ports.devices().getFirst();
    sendFrame(peer);
    ArrivingDaemon arriving =
        new ArrivingDaemon(configuration(ADDRESS_ONE), () -> ports, out()) {
          @Override
          public void adopt(SnapshotReader snapshot, List<Descriptor> descriptors)
              throws ReplacementException {
            super.adopt(snapshot, descriptors);
            sendFrame(peer);
          }
        };
    new Successor(control, arriving).takeOver();
    daemons.add(arriving.daemon());
    IpCounters counters = arriving.daemon().engines().getLast().tcp().ipCounters();
    exchange();
    assertThat(counters.framesIgnored).isEqualTo(1);
  }

  /** Sends a frame that nobody wants. */
  private static void sendFrame(FrameDevice from) {
    PacketPool pool = from.pool();
    long packet = pool.allocate();
    pool.window(packet, pool.address(packet), 60);
    assertThat(from.transmit(new long[] {packet}, 0, 1)).isEqualTo(1);
  }

  @Test
  void shouldGoOnInTheOldDaemonAfterATrial() throws Exception {
    ArrivingDaemon arriving =
        new ArrivingDaemon(configuration(ADDRESS_ONE), ReplacedDaemonsFixture::ports, out());
    new Successor(control, arriving).check();
    exchange();
    replace(ADDRESS_ONE);
    exchange();
  }

  /** Mappings of memfds, and descriptors that are no files of the file system, in this process. */
  private static List<String> holdings() {
    List<String> holdings = new ArrayList<>();
    try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"));
        Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
      maps.filter(each -> each.contains("/memfd:rddp"))
          .forEach(each -> holdings.add(each.substring(each.indexOf('/'))));
      for (Path each : descriptors.toList()) {
        String target = Files.isSymbolicLink(each) ? Files.readSymbolicLink(each).toString() : "";
        holdings.add(target.replaceFirst("[0-9]{3,}", "N"));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    holdings.removeIf(each -> !each.matches(".*(memfd:|anon_inode:|socket:).*"));
    Collections.sort(holdings);
    return holdings;
  }

  /** A process that rehearses as a successor has many daemons, one after the other. */
  @Test
  void shouldLeaveNothingOpenInTheProcessOfTheOldDaemon() throws Exception {
    try (Rddp program = connect("one");
        StreamSession here = StreamSession.open(control, "here");
        StreamSession there = StreamSession.open(control, "there");
        StreamWaiter _ = here.openWaiter();
        Capture _ = program.startCapture(1 << 18, 128, false);
        ProgramListener listener = there.listen(new InetSocketAddress("0.0.0.0", 80), 8, 0);
        ProgramStream _ = stream(here, 80);
        ProgramStream _ = listener.accept(ConnectedPrograms.TIMEOUT)) {
      RegionPiece piece = RegionPiece.of(program.allocate(1 << 20));
      RegionOptions options = RegionOptions.of(Access.LOCAL_WRITE);
      MemoryRegion joined = program.registerPieces(List.of(piece, piece), options);
      assertThat(program.allocate(64).length()).isEqualTo(64);
      replace(ADDRESS_ONE);
      old.close();
      List<String> first = holdings();
      replace(ADDRESS_ONE);
      daemons.get(1).close();
      assertThat(holdings()).isEqualTo(first);
      joined.close();
    }
  }

  /** Hello comes while the old daemon asks who goes over, or later. */
  @Test
  void shouldServeAProgramThatHasConnectedBefore() throws Exception {
    try (ControlSocket program = ControlSocket.connect(control)) {
      assertThat(answer(program, new ProgramMessage.ListInterfaces(1, 12, 0))).isNotNull();
      replace(ADDRESS_ONE);
      assertThat(answer(program, new ProgramMessage.SocketsHello(2, 12, "late")))
          .isInstanceOf(SocketsWelcome.class);
    }
  }

  /** As when the daemon has accepted it and no descriptor is left for its pidfd. */
  @Test
  void shouldServeAProgramThatLacksADescriptor() throws Exception {
    old.close();
    Configuration configuration = configuration(ADDRESS_ONE);
    ControlListener listener = Daemon.bind(configuration);
    old = Daemon.start(configuration, listener, ports(), out());
    daemons.add(old);
    ArrivingDaemon next = new ArrivingDaemon(configuration, ReplacedDaemonsFixture::ports, out());
    next.prepare();
    DepartingDaemon departing = old.departing();
    departing.admit(OWN, terms());
    departing.stop();
    try (ControlSocket program = ControlSocket.connect(control)) {
      listener.inherit(UnixSocket.accept(listener.descriptor()));
      SnapshotWriter snapshot = new SnapshotWriter();
      List<Descriptor> handed = new ArrayList<>();
      for (Descriptor each : departing.write(snapshot)) {
        handed.add(each.duplicate());
      }
      next.adopt(new SnapshotReader(snapshot.finish()), handed);
      departing.leave();
      daemons.add(next.daemon());
      next.begin();
      assertThat(answer(program, new ProgramMessage.SocketsHello(1, 12, "late")))
          .isInstanceOf(SocketsWelcome.class);
      next.settle();
    }
  }

  @Test
  void shouldGoOnWithProgramsThatWriteAndSend() throws Exception {
    try (SteadyExchange exchange =
        new SteadyExchange(connect("one"), connect("two"), ConnectedPrograms.TWO)) {
      for (int i = 0; i < 4; i++) {
        exchange.awaitMessages(100);
        replace(ADDRESS_ONE);
      }
      exchange.awaitMessages(100);
    }
    exchange();
  }

  @Test
  void shouldGoOnWithSeveralSessionsAndConnections() throws Exception {
    List<SteadyExchange> exchanges = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      exchanges.add(new SteadyExchange(connect("one"), connect("two"), ConnectedPrograms.TWO));
    }
    exchanges.add(
        new SteadyExchange(
            connect("two"), connect("one"), new InetSocketAddress(ADDRESS_ONE, 7471)));
    for (int i = 0; i < 2; i++) {
      exchanges.forEach(each -> each.awaitMessages(50));
      replace(ADDRESS_ONE);
    }
    exchanges.forEach(each -> each.awaitMessages(50));
    exchanges.forEach(SteadyExchange::close);
    replace(ADDRESS_ONE);
  }

  /** One connection waits for the program's answer, and another comes later. */
  @Test
  void shouldGoOnWithListenersWindowsAndReceiveQueues() throws Exception {
    try (Rddp here = connect("one");
        Rddp there = connect("two")) {
      SharedReceiveQueue queue = there.createSharedReceiveQueue(8);
      MemoryRegion sink = there.allocate(4096, Access.LOCAL_WRITE, Access.MW_BIND);
      MemoryRegion source = here.allocate(4096);
      source.segment().setString(0, "to the window");
      ConnectionOptions options = ConnectionOptions.DEFAULTS.withReceiveQueue(queue);
      Listener listener = there.listen(new InetSocketAddress(7471), 8, options);
      assertThat(queue.postReceive(1, sink, 0, 64)).isTrue();
      MemoryWindow window = there.allocateWindow();
      CompletableFuture<Connection> connecting =
          CompletableFuture.supplyAsync(() ->
              here.connect(ConnectedPrograms.TWO, PrivateData.NONE, ConnectedPrograms.TIMEOUT));
      IncomingConnection waiting = listener.await(ConnectedPrograms.TIMEOUT);
      replace(ADDRESS_ONE);
      Connection in = waiting.accept();
      Connection out = connecting.join();
      assertThat(in.localOperations().postBind(2, window, sink, 64, 64, REMOTE_WRITE, 0)).isTrue();
      assertThat(ConnectedPrograms.completions(there, 1)).containsExactly("bind 2 SUCCESS 0");
      replace(ADDRESS_ONE);
      assertThat(out.postWrite(3, source, 0, 14, window.stag(), window.baseTo())).isTrue();
      assertThat(out.postSend(4, source, 0, 14)).isTrue();
      assertThat(ConnectedPrograms.completions(there, 1)).containsExactly("receive 1 SUCCESS 14");
      assertThat(sink.segment().getString(0)).isEqualTo("to the window");
      assertThat(sink.segment().getString(64)).isEqualTo("to the window");
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(ConnectedPrograms.TIMEOUT).accept());
      Connection later =
          here.connect(ConnectedPrograms.TWO, PrivateData.NONE, ConnectedPrograms.TIMEOUT);
      assertThat(later.remoteAddress()).isEqualTo(accepted.join().localAddress());
      replace(ADDRESS_ONE);
    }
  }

  /** The new daemon may have other tenants, and streams that wait to send are theirs then. */
  @Test
  void shouldGoOnWithTenants() throws Exception {
    String other = "[[limits.tenant]]\nweight = 2\nrate = \"10Gbit/s\"\n";
    String named =
        "[[limits.tenant]]\nname = \"ops\"\nusers = [%d]\nweight = 9\n".formatted(user());
    try (SteadyExchange exchange =
            new SteadyExchange(connect("one"), connect("two"), ConnectedPrograms.TWO);
        SteadyStream stream = new SteadyStream(control, ADDRESS_ONE, ConnectedPrograms.TWO)) {
      exchange.awaitMessages(100);
      replace(withTables(other));
      long before = 0;
      for (int i = 0; i < 3; i++) {
        exchange.awaitMessages(100);
        stream.awaitOctets(100_000);
        JsonObject tenant = tenantOfOne();
        assertThat(tenant.get("tenant").getAsString()).isEqualTo(Integer.toString(user()));
        assertThat(tenant.get("connections").getAsInt()).isEqualTo(2);
        assertThat(tenant.get("sent_octets").getAsLong()).isGreaterThan(before + 100_000);
        before = tenant.get("sent_octets").getAsLong();
        replace(withTables(other));
        assertThat(tenantOfOne().get("sent_octets").getAsLong()).isGreaterThanOrEqualTo(before);
      }
      replace(withTables(named));
      exchange.awaitMessages(100);
      stream.awaitOctets(100_000);
      assertThat(tenantOfOne().get("tenant").getAsString()).isEqualTo("ops");
      assertThat(tenantOfOne().get("connections").getAsInt()).isEqualTo(2);
      replace(ADDRESS_ONE);
      exchange.awaitMessages(100);
      stream.awaitOctets(100_000);
    }
    exchange();
  }

  private int user() throws IOException {
    return (int) Files.getAttribute(directory, "unix:uid");
  }

  /** The only tenant at the interface {@code one}. */
  private JsonObject tenantOfOne() {
    try (Rddp viewer = connect("one")) {
      return viewer.list(ListSubject.TENANTS).stream()
          .map(line -> JsonParser.parseString(line).getAsJsonObject())
          .filter(each -> each.get("engine").getAsString().equals("one"))
          .reduce((one, another) -> {
            throw new AssertionError(one + " and " + another);
          })
          .orElseThrow();
    }
  }

  private Configuration withTables(String tables) throws ConfigurationException {
    String text = text("one", ADDRESS_ONE).replaceFirst("\\[\\[interface", tables + "[[interface");
    return ConfigurationFile.parse("test", text);
  }

  /** What the new daemon has counted, it counts down again. */
  @Test
  void shouldFreeWhatAFormerDaemonGave() throws Exception {
    try (Rddp program = connect("one")) {
      MemoryRegion region = program.allocate(8192);
      RegionPiece piece = RegionPiece.of(region);
      MemoryRegion joined =
          program.registerPieces(List.of(piece, piece), RegionOptions.of(Access.LOCAL_WRITE));
      QueuePairNumber number = program.createNumber();
      replace(ADDRESS_ONE);
      assertThatThrownBy(region::close).hasMessageContaining("refers to");
      joined.close();
      region.close();
      number.close();
      assertThat(program.createNumber().value()).isNotEqualTo(number.value());
    }
  }

  @Test
  void shouldGoOnCountingForProgramsThatReadCounters() throws Exception {
    exchange();
    long sent = established(old);
    try (Rddp program = connect("one");
        CounterReader reader = program.openCounters()) {
      DepartingDaemon departing = old.departing();
      departing.admit(OWN, terms());
      departing.stop();
      departing.write(new SnapshotWriter());
      departing.resume();
      assertThat(sum(reader, ".tcp_established_connections")).isLessThanOrEqualTo(sent);
      replace(ADDRESS_ONE);
      assertThat(sum(reader, ".tcp_established_connections")).isEqualTo(sent);
      exchange();
      TestDaemon.await(
          () -> sum(reader, ".tcp_established_connections") > sent, "it goes on counting");
      replace(ADDRESS_ONE);
      assertThat(sum(reader, ".tcp_established_connections")).isGreaterThan(sent);
    }
  }

  private static long sum(CounterReader reader, String counter) {
    AtomicLong sum = new AtomicLong();
    reader.forEach((name, value) -> {
      if (name.endsWith(counter)) {
        sum.addAndGet(value);
      }
    });
    return sum.get();
  }

  @Test
  void shouldPermitTheControlSocketAsTheNewConfigurationSays() throws Exception {
    assertThat(Files.getPosixFilePermissions(control))
        .isEqualTo(PosixFilePermissions.fromString("rw-rw----"));
    String text = text("one", ADDRESS_ONE).replace("[control]", "[control]\nmode = \"0600\"");
    replace(ConfigurationFile.parse("test", text));
    exchange(); // The control thread, which admits programs, has set it before.
    assertThat(Files.getPosixFilePermissions(control))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
  }

  /** Programs watch the process that listens; in this test a thread's user stands for it. */
  @Test
  void shouldBeTheProcessThatProgramsSee() throws Exception {
    ArrivingDaemon arriving =
        new ArrivingDaemon(configuration(ADDRESS_ONE), ReplacedDaemonsFixture::ports, out()) {
          @Override
          public void begin() {
            try {
              OtherUser.call(
                  1,
                  () -> {
                    super.begin();
                    return null;
                  });
            } catch (InterruptedException | ExecutionException e) {
              throw new AssertionError(e);
            }
          }
        };
    new Successor(control, arriving).takeOver();
    daemons.add(arriving.daemon());
    try (Descriptor socket = UnixSocket.open()) {
      UnixSocket.connect(socket, control);
      assertThat(UnixSocket.peerCredentials(socket).uid()).isEqualTo(1);
    }
    Files.delete(control); // The control thread has that user, too, and may not.
  }

  private String terms() throws ConfigurationException {
    return InterfaceTerms.text(configuration(ADDRESS_ONE).interfaces());
  }

  /** It waits at the control socket, which stays open. */
  @Test
  void shouldServeAProgramThatConnectsMeanwhile() throws Exception {
    DepartingDaemon departing = old.departing();
    departing.admit(OWN, terms());
    departing.stop();
    CompletableFuture<Rddp> program = CompletableFuture.supplyAsync(() -> connect("one"));
    departing.resume();
    try (Rddp session = program.join()) {
      session.allocate(64).close();
    }
    List<CompletableFuture<Rddp>> later = new ArrayList<>();
    ArrivingDaemon arriving =
        new ArrivingDaemon(configuration(ADDRESS_ONE), ReplacedDaemonsFixture::ports, out()) {
          @Override
          public void begin() {
            later.add(CompletableFuture.supplyAsync(() -> connect("two")));
            super.begin();
          }
        };
    new Successor(control, arriving).takeOver();
    daemons.add(arriving.daemon());
    later.getFirst().join().close();
  }
}
