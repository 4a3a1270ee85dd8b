package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.Capture;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.CounterReader;
import org.rddp.client.IncomingConnection;
import org.rddp.client.KeyExchangeHandler;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.MemoryWindow;
import org.rddp.client.QueuePairNumber;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
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
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.daemon.replacement.ReplacementException;
import org.rddp.daemon.replacement.Successor;
import org.rddp.device.FrameDevice;
import org.rddp.device.PacketPool;
import org.rddp.ip.IpCounters;
import org.rddp.ipc.control.ControlListener;
import org.rddp.ipc.control.ControlMessage;
import org.rddp.ipc.control.ControlSocket;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.DaemonMessage.SocketsWelcome;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.UnixSocket;
import org.rddp.ipc.ring.TraceEvent;
import org.rddp.snapshot.SnapshotReader;
import org.rddp.snapshot.SnapshotWriter;

/** A daemon takes the place of another one, both in this process. */
@Timeout(60)
class DaemonReplacementTest {
  private static final int NOBODY = 65534;
  private static final int OWN = (int) ProcessHandle.current().pid();
  private static final String ADDRESS_ONE = "10.0.0.1";

  /** A number that nothing else in a frame has. */
  private static final long MARK = 0x6d61_726b_0000_0000L;

  private static final int REMOTE_WRITE = Access.bits(Access.REMOTE_WRITE);

  @TempDir private Path directory;
  private final ByteArrayOutputStream log = new ByteArrayOutputStream();
  private final List<Daemon> daemons = new ArrayList<>();
  private Path control;
  private Daemon old;

  @BeforeEach
  void start() throws Exception {
    control = directory.resolve("rddpd.sock");
    old = Daemon.start(configuration(ADDRESS_ONE), ports(), out());
    daemons.add(old);
  }

  @AfterEach
  void end() {
    daemons.forEach(Daemon::close);
    assertThat(directory).isEmptyDirectory();
  }

  private PrintStream out() {
    return new PrintStream(log, true, StandardCharsets.UTF_8);
  }

  private static Ports ports() {
    return new LoopedPorts(4096, 0, 1, 1500);
  }

  private Configuration configuration(String addressOfOne) throws ConfigurationException {
    return configuration("one", addressOfOne);
  }

  private Configuration configuration(String one, String addressOfOne)
      throws ConfigurationException {
    return ConfigurationFile.parse("test", text(one, addressOfOne));
  }

  private String text(String one, String addressOfOne) {
    return """
    [control]
    socket = "%s"
    [[interface]]
    name = "%s"
    device = "ring:x"
    address = ["%s/24"]
    [[interface]]
    name = "two"
    device = "ring:x"
    address = ["10.0.0.2/24"]
    """
        .formatted(control, one, addressOfOne);
  }

  private Daemon replace(String addressOfOne) throws Exception {
    return replace(configuration(addressOfOne));
  }

  private Daemon replace(Configuration next) throws Exception {
    ArrivingDaemon arriving = new ArrivingDaemon(next, DaemonReplacementTest::ports, out());
    new Successor(control, arriving).takeOver();
    daemons.add(arriving.daemon());
    return arriving.daemon();
  }

  private Rddp connect(String name) {
    return Rddp.connect(control, RddpOptions.defaults().withInterfaceName(name));
  }

  /** Two programs connect, send a message, and end. */
  private void exchange() {
    try (Rddp here = connect("one");
        Rddp there = connect("two");
        Listener listener = there.listen(7471)) {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(ConnectedPrograms.TIMEOUT).accept());
      Connection out =
          here.connect(ConnectedPrograms.TWO, PrivateData.NONE, ConnectedPrograms.TIMEOUT);
      Connection in = accepted.join();
      MemoryRegion source = here.allocate(64);
      MemoryRegion sink = there.allocate(64, Access.LOCAL_WRITE);
      assertThat(in.postReceive(1, sink, 0, 64)).isTrue();
      assertThat(out.postSend(1, source, 0, 64)).isTrue();
      assertThat(ConnectedPrograms.completions(there, 1)).containsExactly("receive 1 SUCCESS 64");
    }
  }

  private static long established(Daemon daemon) {
    return daemon.engines().stream().mapToLong(each -> each.tcp().counters().established).sum();
  }

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
  void shouldMapLargeMemoryBeforeTheOldEnginesStop() throws Exception {
    int octets = 8 << 20;
    List<Integer> mapped = new ArrayList<>();
    Rddp ending = connect("one");
    try (Rddp here = connect("one");
        Rddp there = connect("two");
        Listener listener = there.listen(7471)) {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(ConnectedPrograms.TIMEOUT).accept());
      Connection out =
          here.connect(ConnectedPrograms.TWO, PrivateData.NONE, ConnectedPrograms.TIMEOUT);
      Connection in = accepted.join();
      MemoryRegion source = here.allocate(octets);
      MemoryRegion sink = there.allocate(octets, Access.LOCAL_WRITE);
      assertThat(ending.allocate(octets).length()).isEqualTo(octets);
      source.segment().fill((byte) 1);
      sink.segment().fill((byte) 2);
      ArrivingDaemon arriving =
          new ArrivingDaemon(configuration(ADDRESS_ONE), DaemonReplacementTest::ports, out()) {
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
      assertThat(in.postReceive(1, sink, 0, octets)).isTrue();
      assertThat(out.postSend(1, source, 0, octets)).isTrue();
      assertThat(ConnectedPrograms.completions(there, 1))
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
        new ArrivingDaemon(configuration(ADDRESS_ONE), DaemonReplacementTest::ports, out());
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

  private ProgramStream stream(StreamSession session, int port) throws IOException {
    InetSocketAddress to = new InetSocketAddress(TestDaemon.ADDRESS_TWO, port);
    return session.connect(to, InetAddress.getByName(ADDRESS_ONE), 0, ConnectedPrograms.TIMEOUT);
  }

  private static String read(ProgramStream stream, int octets) throws IOException {
    byte[] read = new byte[octets];
    for (int at = 0; at < octets; ) {
      int more = stream.read(read, at, octets - at);
      assertThat(more).isPositive();
      at += more;
    }
    return new String(read, StandardCharsets.US_ASCII);
  }

  private static byte[] octets(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** One stream is accepted, and the next one in another daemon; a third comes later. */
  @Test
  void shouldGoOnWithStreamsThatWaitAtTheirListener() throws Exception {
    try (StreamSession here = StreamSession.open(control, "here");
        StreamSession there = StreamSession.open(control, "there");
        ProgramListener listener = there.listen(new InetSocketAddress("0.0.0.0", 80), 8, 0)) {
      ProgramStream first = stream(here, 80);
      ProgramStream second = stream(here, 80);
      first.write(octets("one"));
      second.write(octets("two"));
      first.awaitConnected();
      second.awaitConnected();
      ProgramStream accepted = listener.accept(ConnectedPrograms.TIMEOUT);
      replace(ADDRESS_ONE);
      ProgramStream next = listener.accept(ConnectedPrograms.TIMEOUT);
      assertThat(List.of(read(accepted, 3), read(next, 3))).containsExactlyInAnyOrder("one", "two");
      replace(ADDRESS_ONE);
      ProgramStream third = stream(here, 80);
      replace(ADDRESS_ONE);
      third.write(octets("three"));
      ProgramStream last = listener.accept(ConnectedPrograms.TIMEOUT);
      assertThat(read(last, 5)).isEqualTo("three");
      for (ProgramStream each : List.of(first, second, third, accepted, next, last)) {
        each.close();
      }
    }
  }

  /** The socket of a listener takes 64. */
  @Test
  void shouldGoOnWithMoreStreamsThanAListenersSocketTakes() throws Exception {
    try (StreamSession here = StreamSession.open(control, "here");
        StreamSession there = StreamSession.open(control, "there");
        ProgramListener listener = there.listen(new InetSocketAddress("0.0.0.0", 80), 100, 0)) {
      List<ProgramStream> streams = new ArrayList<>();
      for (int i = 0; i < 80; i++) {
        streams.add(stream(here, 80));
      }
      for (ProgramStream each : List.copyOf(streams)) {
        each.awaitConnected();
      }
      replace(ADDRESS_ONE);
      for (int i = 0; i < 80; i++) {
        streams.add(listener.accept(ConnectedPrograms.TIMEOUT));
      }
      assertThat(streams).doesNotContainNull();
      streams.forEach(ProgramStream::close);
    }
  }

  /** A half-closed one, one that is being established, one of a session that has ended. */
  @Test
  void shouldGoOnWithStreamsInOtherStates() throws Exception {
    try (StreamSession here = StreamSession.open(control, "here");
        StreamSession there = StreamSession.open(control, "there");
        StreamWaiter waiter = here.openWaiter()) {
      ProgramListener listener = there.listen(new InetSocketAddress("0.0.0.0", 80), 8, 0);
      ProgramStream out = stream(here, 80);
      ProgramStream in = listener.accept(ConnectedPrograms.TIMEOUT);
      out.endSending();
      assertThat(in.read(new byte[1], 0, 1)).isEqualTo(-1);
      ProgramStream connecting =
          here.connect(new InetSocketAddress("10.0.0.77", 80), null, 0, ConnectedPrograms.TIMEOUT);
      assertThat(out.tell(waiter, 7)).isTrue();
      listener.close();
      there.closeControl();
      replace(ADDRESS_ONE);
      assertThat(connecting.isDecided()).isFalse();
      connecting.close();
      assertThat(waiter.beginSleep()).isTrue();
      in.write(octets("still here"));
      PollSet poll = new PollSet();
      poll.add(waiter.descriptor());
      poll.await(ConnectedPrograms.TIMEOUT.toNanos());
      waiter.endSleep();
      List<Integer> told = new ArrayList<>();
      waiter.take(told::add);
      assertThat(told).containsExactly(7);
      assertThat(read(out, 10)).isEqualTo("still here");
      replace(ADDRESS_ONE);
      in.endSending();
      assertThat(out.read(new byte[1], 0, 1)).isEqualTo(-1);
      in.close();
      out.close();
      replace(ADDRESS_ONE);
    }
  }

  @Test
  void shouldGoOnWithBridges() throws Exception {
    try (StreamSession here = StreamSession.open(control, "here");
        StreamSession there = StreamSession.open(control, "there");
        ProgramListener listener = there.listen(new InetSocketAddress("0.0.0.0", 80), 8, 0)) {
      ProgramStream out = stream(here, 80);
      ProgramStream in = listener.accept(ConnectedPrograms.TIMEOUT);
      out.write(octets("before"));
      replace(ADDRESS_ONE);
      try (PairedSocket first = in.bridge()) {
        replace(ADDRESS_ONE);
        try (PairedSocket again = in.bridge()) {
          assertThat(PairedSocket.cookie(again.descriptor()))
              .isEqualTo(PairedSocket.cookie(first.descriptor()));
        }
        in.close();
        out.write(octets(" and after"));
        replace(ADDRESS_ONE);
        assertThat(receive(first, 16)).isEqualTo("before and after");
      }
      assertThat(out.read(new byte[1], 0, 1)).isEqualTo(-1);
      out.close();
    }
  }

  private static String receive(PairedSocket socket, int octets) throws IOException {
    StringBuilder read = new StringBuilder();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment octet = arena.allocate(1);
      PollSet poll = new PollSet();
      while (read.length() < octets) {
        poll.clear();
        poll.add(socket.descriptor());
        poll.await(ConnectedPrograms.TIMEOUT.toNanos());
        assertThat(socket.receive(octet.address(), 1)).isEqualTo(1);
        read.append((char) octet.get(ValueLayout.JAVA_BYTE, 0));
      }
    }
    return read.toString();
  }

  /** A former library seals its memory, whatever the daemon has done. */
  @Test
  void shouldRefuseWhileAFormerLibraryHasOctetStreams() throws Exception {
    ControlSocket program = ControlSocket.connect(control);
    SocketsWelcome welcome =
        (SocketsWelcome) answer(program, new ProgramMessage.SocketsHello(1, 11, "former"));
    try (SharedMemory doorbells = SharedMemory.map(welcome.doorbells())) {
      doorbells.seal();
      answer(program, new ProgramMessage.ShareMemory(2, ProgramMessage.ShareMemory.RINGS));
      assertRefused("former (pid", program);
    } finally {
      welcome.wake().close();
    }
    replace(ADDRESS_ONE);
  }

  private static DaemonMessage answer(ControlSocket program, ProgramMessage request)
      throws IOException {
    assertThat(program.send(request)).isTrue();
    PollSet poll = new PollSet();
    poll.add(program.descriptor());
    poll.await(ConnectedPrograms.TIMEOUT.toNanos());
    return program.receiveFromDaemon();
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
    ArrivingDaemon next = new ArrivingDaemon(configuration, DaemonReplacementTest::ports, out());
    next.prepare();
    DepartingDaemon departing = old.departing();
    departing.stop(OWN);
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
  void shouldRefuseIfNoOtherProcessCanMapTheMemoryOfStreams() throws Exception {
    old.close();
    old = WithoutImmutable.call(() -> Daemon.start(configuration(ADDRESS_ONE), ports(), out()));
    daemons.add(old);
    try (SteadyStream stream = new SteadyStream(control, ADDRESS_ONE, ConnectedPrograms.TWO)) {
      stream.awaitOctets(100_000);
      assertThatThrownBy(() -> replace(ADDRESS_ONE))
          .hasMessageContaining("here (pid ")
          .hasMessageContaining("no other process can map");
      stream.awaitOctets(100_000);
    }
  }

  @Test
  void shouldGoOnWithStreamsInTheOldDaemonIfTheNewOneFails() throws Exception {
    try (SteadyStream stream = new SteadyStream(control, ADDRESS_ONE, ConnectedPrograms.TWO)) {
      stream.awaitOctets(100_000);
      for (int i = 0; i < 3; i++) {
        ArrivingDaemon tried =
            new ArrivingDaemon(configuration(ADDRESS_ONE), DaemonReplacementTest::ports, out());
        new Successor(control, tried).check();
        stream.awaitOctets(100_000);
      }
      try (SteadyStream later =
          new SteadyStream(
              control, TestDaemon.ADDRESS_TWO, new InetSocketAddress(ADDRESS_ONE, 81))) {
        replace(ADDRESS_ONE);
        later.awaitOctets(100_000);
        stream.awaitOctets(100_000);
      }
    }
  }

  @Test
  void shouldGoOnWithOctetStreams() throws Exception {
    try (SteadyStream stream = new SteadyStream(control, ADDRESS_ONE, ConnectedPrograms.TWO)) {
      for (int i = 0; i < 4; i++) {
        stream.awaitOctets(100_000);
        replace(ADDRESS_ONE);
      }
      stream.awaitOctets(100_000);
    }
    exchange();
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
  void shouldGoOnInTheOldDaemonIfTheNewOneFails() throws Exception {
    try (SteadyExchange exchange =
        new SteadyExchange(connect("one"), connect("two"), ConnectedPrograms.TWO)) {
      exchange.awaitMessages(100);
      Configuration configuration = configuration(ADDRESS_ONE);
      new Successor(control, new ArrivingDaemon(configuration, DaemonReplacementTest::ports, out()))
          .check();
      exchange.awaitMessages(100);
      ArrivingDaemon failing =
          new ArrivingDaemon(configuration, DaemonReplacementTest::ports, out()) {
            @Override
            public void adopt(SnapshotReader snapshot, List<Descriptor> descriptors)
                throws ReplacementException {
              super.adopt(snapshot, descriptors);
              throw new ReplacementException("it fails");
            }
          };
      assertThatThrownBy(() -> new Successor(control, failing).takeOver())
          .hasMessageContaining("it fails");
      exchange.awaitMessages(100);
      replace(ADDRESS_ONE);
      exchange.awaitMessages(100);
    }
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

  /** A program that captures or traces sees what each daemon does, once. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldGoOnCapturingAndTracing(boolean traces) throws Exception {
    try (Rddp here = connect("one");
        Rddp there = connect("two");
        Rddp viewer = connect("one")) {
      Listener listener = there.listen(7471);
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(ConnectedPrograms.TIMEOUT).accept());
      Connection out =
          here.connect(ConnectedPrograms.TWO, PrivateData.NONE, ConnectedPrograms.TIMEOUT);
      Connection in = accepted.join();
      MemoryRegion source = here.allocate(64);
      MemoryRegion sink = there.allocate(64, Access.LOCAL_WRITE);
      List<Long> seen = new ArrayList<>();
      for (int round = 0; round < 2; round++) {
        seen.clear();
        try (Capture capture =
            traces
                ? viewer.startTrace(1 << 18, out.id(), OWN)
                : viewer.startCapture(1 << 18, 128, false)) {
          for (int i = 0; i < 4; i++) {
            source.segment().set(ValueLayout.JAVA_LONG_UNALIGNED, 0, MARK + i);
            assertThat(in.postReceive(i, sink, 0, 64)).isTrue();
            assertThat(out.postSend(MARK + i, source, 0, 8)).isTrue();
            ConnectedPrograms.completions(there, 1);
            ConnectedPrograms.completions(here, 1);
            capture.poll((time, length, octets) -> addMark(traces, octets, seen), i);
            replace(ADDRESS_ONE);
          }
          viewer.stopCapture();
          capture.poll((time, length, octets) -> addMark(traces, octets, seen), 10_000);
          assertThat(capture.lost()).isZero();
        }
        assertThat(seen).containsExactly(MARK, MARK + 1, MARK + 2, MARK + 3);
      }
    }
  }

  /** Adds a mark that a frame has at its end, or that names a request in the event of a trace. */
  private static void addMark(boolean traces, MemorySegment octets, List<Long> seen) {
    TraceEvent event = new TraceEvent();
    event.wrap(octets);
    if (traces && event.kind() == TraceEvent.REQUEST_TAKEN) {
      seen.add(event.number(0));
    }
    for (long at = 54; !traces && at <= octets.byteSize() - 8; at++) {
      long found = octets.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
      if (found >= MARK && found < MARK + 4) {
        seen.add(found);
      }
    }
  }

  /** Another connection has the number of one whose trace has not been stopped. */
  @Test
  void shouldGoOnWithATraceOfAConnectionThatHasEnded() throws Exception {
    try (Rddp viewer = connect("one")) {
      Capture capture;
      try (Rddp here = connect("one");
          Rddp there = connect("two");
          Listener listener = there.listen(7471)) {
        CompletableFuture<Connection> accepted =
            CompletableFuture.supplyAsync(() -> listener.await(ConnectedPrograms.TIMEOUT).accept());
        Connection out =
            here.connect(ConnectedPrograms.TWO, PrivateData.NONE, ConnectedPrograms.TIMEOUT);
        accepted.join();
        capture = viewer.startTrace(1 << 18, out.id(), 0);
      }
      try (SteadyExchange later =
          new SteadyExchange(connect("one"), connect("two"), ConnectedPrograms.TWO)) {
        assertThat(capture.poll((time, length, octets) -> {}, 10_000)).isPositive();
        replace(ADDRESS_ONE);
        later.awaitMessages(100);
        assertThat(capture.poll((time, length, octets) -> {}, 10_000)).isZero();
      }
      viewer.stopCapture();
      capture.close();
      replace(ADDRESS_ONE);
    }
  }

  /** What {@code rddp ipsec mirror} does; nobody else gets IKE's datagrams meanwhile. */
  @Test
  void shouldGoOnExchangingKeys() throws Exception {
    old.close();
    Configuration secured =
        ConfigurationFile.parse(
            "test",
            text("one", ADDRESS_ONE)
                .replace("device =", "ipsec = { default = \"require\" }\ndevice ="));
    old = Daemon.start(secured, ports(), out());
    daemons.add(old);
    InetAddress one = InetAddress.getByName(ADDRESS_ONE);
    InetAddress two = InetAddress.getByName(TestDaemon.ADDRESS_TWO);
    BlockingQueue<Integer> told = new LinkedBlockingQueue<>();
    try (Rddp other = connect("one");
        Rddp there = connect("two")) {
      try (Rddp here = connect("one")) {
        here.securityAssociations().exchangeKeys(marks(told));
        there.securityAssociations().exchangeKeys(marks(told));
        for (int i = 0; i < 3; i++) {
          replace(secured);
          here.securityAssociations().send(one, two, datagram(i));
          assertThat(told.poll(60, TimeUnit.SECONDS)).isEqualTo(i);
          there.securityAssociations().send(two, one, datagram(-i));
          assertThat(told.poll(60, TimeUnit.SECONDS)).isEqualTo(-i);
          assertThatThrownBy(() -> other.securityAssociations().exchangeKeys(marks(told)))
              .hasMessageContaining("another program");
        }
      }
      other.securityAssociations().exchangeKeys(marks(told));
    }
  }

  private static byte[] datagram(int mark) {
    short ike = 500;
    return ByteBuffer.allocate(40)
        .putShort(ike)
        .putShort(ike)
        .putShort((short) 40)
        .putInt(10, mark)
        .array();
  }

  private static KeyExchangeHandler marks(BlockingQueue<Integer> told) {
    return new KeyExchangeHandler() {
      @Override
      public void onDatagram(InetAddress local, InetAddress remote, byte[] datagram) {
        told.add(ByteBuffer.wrap(datagram).getInt(10));
      }

      @Override
      public void onNeed(InetSocketAddress local, InetSocketAddress remote) {
        // The test makes no connection.
      }
    };
  }

  @Test
  void shouldNameProgramsWhoseSessionsCannotGoOver() throws Exception {
    try (Rddp program = connect("one")) {
      try (SharedMemory own = SharedMemory.create("test", 4096)) {
        assertRefused(
            "has memory that no other process can map",
            program.register(own.descriptor().number(), Access.LOCAL_WRITE));
      }
      replace(ADDRESS_ONE);
      program.allocate(64).close();
    }
    try (RawProgram program = new RawProgram(control)) {
      program.begin("one", ControlMessage.KNOWS_SUCCESSORS - 1);
      assertRefused("ends its session with this process", program);
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

  private void assertRefused(String why, AutoCloseable held) throws Exception {
    assertThatThrownBy(() -> replace(ADDRESS_ONE))
        .isInstanceOf(ReplacementException.class)
        .hasMessageContaining("pid " + ProcessHandle.current().pid())
        .hasMessageContaining(why);
    held.close();
  }

  @Test
  void shouldGoOnCountingForProgramsThatReadCounters() throws Exception {
    exchange();
    long sent = established(old);
    try (Rddp program = connect("one");
        CounterReader reader = program.openCounters()) {
      DepartingDaemon departing = old.departing();
      departing.stop(OWN);
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

  @Test
  void shouldRefuseAnotherConfiguration() throws Exception {
    assertThatThrownBy(() -> replace("10.0.0.3"))
        .isInstanceOf(ReplacementException.class)
        .hasMessageContaining(
            "one has the address 10.0.0.1/24 in the daemon that runs, and 10.0.0.3/24 in the"
                + " configuration of the new one");
    exchange();
  }

  /** It would cut all connections off. */
  @Test
  void shouldRefuseAnotherVlan() throws Exception {
    String tagged =
        text("one", ADDRESS_ONE).replace("device = \"ring:x\"", "device = \"ring:x\"\nvlan = 7");
    assertThatThrownBy(() -> replace(ConfigurationFile.parse("test", tagged)))
        .isInstanceOf(ReplacementException.class)
        .hasMessageContaining("one has the vlan 0 in the daemon that runs, and 7 in");
    exchange();
  }

  @Test
  void shouldRefuseAnotherNameOfAnInterface() throws Exception {
    Configuration renamed = configuration("other", ADDRESS_ONE);
    assertThatThrownBy(() -> replace(renamed))
        .isInstanceOf(ReplacementException.class)
        .hasMessageContaining(
            "an interface has the name one in the daemon that runs, and other in");
    exchange();
  }

  @Test
  void shouldRefuseAnotherUser() throws Exception {
    Path path = directory.resolve("rddpd.sock.next");
    assertThat(Files.getPosixFilePermissions(path))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertThatThrownBy(() -> OtherUser.call(NOBODY, () -> replace(ADDRESS_ONE)))
        .hasMessageContaining("only the user of the daemon that runs can replace it");
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-rw-rw-"));
    assertThatThrownBy(() -> OtherUser.call(NOBODY, () -> replace(ADDRESS_ONE)))
        .hasMessageContaining("only the user of the daemon that runs can replace it");
    exchange();
  }

  @Test
  void shouldStopWhileAReplacementIsUnderWay() throws Exception {
    CompletableFuture<Void> prepared = new CompletableFuture<>();
    CountDownLatch over = new CountDownLatch(1);
    ArrivingDaemon arriving =
        new ArrivingDaemon(
            configuration(ADDRESS_ONE),
            () -> {
              prepared.complete(null);
              awaitQuietly(over);
              return ports();
            },
            out());
    CompletableFuture<Void> successor =
        CompletableFuture.runAsync(() -> {
          try {
            new Successor(control, arriving).takeOver();
          } catch (ReplacementException e) {
            throw new CompletionException(e);
          }
        });
    prepared.join();
    old.close();
    over.countDown();
    assertThatThrownBy(successor::join).hasRootCauseInstanceOf(IOException.class);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Programs watch the process that listens; in this test a thread's user stands for it. */
  @Test
  void shouldBeTheProcessThatProgramsSee() throws Exception {
    ArrivingDaemon arriving =
        new ArrivingDaemon(configuration(ADDRESS_ONE), DaemonReplacementTest::ports, out()) {
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

  /** It waits at the control socket, which stays open. */
  @Test
  void shouldServeAProgramThatConnectsMeanwhile() throws Exception {
    DepartingDaemon departing = old.departing();
    departing.stop(OWN);
    CompletableFuture<Rddp> program = CompletableFuture.supplyAsync(() -> connect("one"));
    departing.resume();
    try (Rddp session = program.join()) {
      session.allocate(64).close();
    }
    List<CompletableFuture<Rddp>> later = new ArrayList<>();
    ArrivingDaemon arriving =
        new ArrivingDaemon(configuration(ADDRESS_ONE), DaemonReplacementTest::ports, out()) {
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
