package org.rddp.ipc.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.rddp.client.types.CongestionChoice;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SecurityAssociation;
import org.rddp.client.types.SessionLimits;
import org.rddp.client.types.SessionSizes;
import org.rddp.client.types.StartupOptions;
import org.rddp.client.types.StartupOptions.Choice;
import org.rddp.client.types.StartupTerms;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.OpenDescriptors;
import org.rddp.ipc.linux.PeerCredentials;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SocketLock;
import org.rddp.ipc.linux.SystemCall;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.linux.UnixSocket;
import org.rddp.ipc.linux.WakeSocket;

@Timeout(60)
class ControlSocketTest {
  private static final Set<PosixFilePermission> MODE = PosixFilePermissions.fromString("rw-rw----");
  private static final PrivateData DATA = PrivateData.of(new byte[] {1, 2, 3});
  private static final String TEXT = "a µ text";
  private static final ConnectionSettings HOLDING =
      new ConnectionSettings(
          1 << 20,
          0,
          List.of(),
          0,
          new StartupOptions(16382, 0, 2, Choice.YES, Choice.NO),
          4095,
          true,
          true,
          14,
          63,
          CongestionChoice.NEW_RENO);
  private static final ConnectionSettings PLAIN =
      new ConnectionSettings(0, 17, List.of(1, 2, 1 << 24)).withAcknowledged(true);
  private static final StartupTerms TERMS = new StartupTerms(2, true, 0x3fff, -1, 4, 5);

  @TempDir private Path directory;
  private static final InterfaceEntry INTERFACE =
      new InterfaceEntry(
          "n".repeat(32),
          IpAddress.ipv4(1),
          24,
          IpAddress.NONE,
          1500,
          0xfedcba987654L,
          List.of(
              new InterfacePrefix(IpAddress.ipv6(0x20010db800000000L, 1), 64),
              new InterfacePrefix(IpAddress.ipv6(0xfe80L << 48, 2), 64)));

  private ControlListener listener;
  private ControlSocket program;
  private ControlSocket daemon;

  @BeforeEach
  void connect() throws IOException {
    listener = ControlListener.bind(path(), MODE);
    assertThat(listener.accept()).isNull();
    program = ControlSocket.connect(path());
    daemon = listener.accept();
  }

  @AfterEach
  void close() throws IOException {
    program.close();
    daemon.close();
    listener.close();
  }

  private Path path() {
    return directory.resolve("control.sock");
  }

  static Stream<ProgramMessage> programMessages() {
    return Stream.of(
        new ProgramMessage.Hello(
            1, ControlMessage.VERSION, "program", "eth0", new SessionSizes(2, 3, 4, 5, 6, 7)),
        new ProgramMessage.AllocateMemory(2, 1L << 40),
        new ProgramMessage.FreeMemory(3, 4, 5L << 33),
        new ProgramMessage.Register(
            4, 5, 6L << 34, 7L << 35, new RegionSettings(7, 8, 9L << 36, 10)),
        new ProgramMessage.RegisterPieces(
            4,
            new RegionSettings(7, 8, 9L << 36),
            Collections.nCopies(MemoryPiece.MOST, new MemoryPiece(5, 6L << 34, 7L << 35))),
        new ProgramMessage.Deregister(5, 0xdeadbeef),
        new ProgramMessage.Listen(6, IpAddress.ipv4(0x0a000001), 65535, 10, HOLDING),
        new ProgramMessage.CloseListener(7, 8),
        new ProgramMessage.Accept(8, 9, new AcceptSettings(10, 11, 12, 13), DATA),
        new ProgramMessage.Reject(9, 10, PrivateData.of(new byte[512])),
        new ProgramMessage.Connect(
            10, IpAddress.ipv4(1), new IpAddress(10, 2, 3, 4), 3, 4, PLAIN, DATA),
        new ProgramMessage.Disconnect(11, 12, true),
        new ProgramMessage.OpenCounters(12),
        new ProgramMessage.StartCapture(13, 1 << 20, 96, true),
        new ProgramMessage.StopCapture(14),
        new ProgramMessage.FindConnection(30, 0x100001, 4711),
        new ProgramMessage.StartTrace(31, 1 << 20, 0x100001, 4711),
        new ProgramMessage.AddAssociation(
            61,
            new SecurityAssociation(
                -2, "10.0.0.1", "::2", true, "x", false, 3, "::/64", true, 4, 5, 6L << 40, 7, 8, 9),
            10,
            new SecretOctets(new byte[] {1, -2, 3})),
        new ProgramMessage.DeleteAssociation(62, -2, "::2"),
        new ProgramMessage.BeginKeyExchange(63),
        new ProgramMessage.SendKeyDatagram(
            59, IpAddress.ipv4(1), IpAddress.ipv6(2, 3), new KeyDatagram(new byte[3840])),
        new ProgramMessage.CloseSession(15),
        new ProgramMessage.AllocateWindow(16, 2, 17),
        new ProgramMessage.FreeWindow(17, 18),
        new ProgramMessage.CreateReceiveQueue(18, 19, 20),
        new ProgramMessage.ArmReceiveQueue(19, 20, 21),
        new ProgramMessage.DestroyReceiveQueue(20, 21),
        new ProgramMessage.ShareMemory(21, ProgramMessage.ShareMemory.CAPTURE),
        new ProgramMessage.ListObjects(22, 1, 2, 3),
        new ProgramMessage.CreateNumber(25),
        new ProgramMessage.FreeNumber(26, 0xabcdef),
        new ProgramMessage.Expect(
            28, 0xabcdef, IpAddress.ipv4(1), 3, new IpAddress(10, 2, 3, 4), -1, 5, 6, PLAIN),
        new ProgramMessage.ExpectPsn(29, 0x100001, 0xabcdef, 4),
        new ProgramMessage.SocketsHello(49, 11, TEXT),
        new ProgramMessage.StreamConnect(51, IpAddress.ipv4(1), 2, IpAddress.NONE, 3, 4, 5),
        new ProgramMessage.StreamListen(53, IpAddress.ipv6(1, 2), 3, 4, 5, 6),
        new ProgramMessage.StreamListenEnd(55, 6),
        new ProgramMessage.StreamBacklog(58, 7, 8),
        new ProgramMessage.StreamWaiter(45),
        new ProgramMessage.ListInterfaces(24, 7, 3));
  }

  static Stream<DaemonMessage> daemonMessages() {
    return Stream.of(
        new DaemonMessage.Done(1),
        new DaemonMessage.Refused(2, Reason.LIMIT, 3, TEXT),
        new DaemonMessage.MemoryAllocated(3, 4, 5L << 40, 6L << 41, null),
        new DaemonMessage.MemoryAdopted(4, 5),
        new DaemonMessage.Registered(5, -6, 7L << 42),
        new DaemonMessage.Listening(6, 7, IpAddress.ipv4(8), 9),
        new DaemonMessage.Connecting(7, 8),
        new DaemonMessage.WindowAllocated(8, 9, 10),
        new DaemonMessage.ReceiveQueueCreated(9, 10),
        new DaemonMessage.ObjectsListed(10, 11, 12, "é".repeat(1920)),
        new DaemonMessage.NumberCreated(48, 0xabcdef),
        new DaemonMessage.ConnectionFound(
            60, IpAddress.ipv4(0x0a000001), 7471, IpAddress.ipv4(-2), 50_000),
        new DaemonMessage.ReceiveQueueLimit(11),
        new DaemonMessage.KeyDatagramReceived(
            IpAddress.ipv4(1), IpAddress.ipv6(2, 3), new KeyDatagram(new byte[3840])),
        new DaemonMessage.AssociationNeeded(IpAddress.ipv4(1), 2, IpAddress.ipv6(3, 4), 5),
        new DaemonMessage.ConnectionRequested(
            1, 2, IpAddress.ipv4(3), 4, IpAddress.ipv4(5), 6, TERMS, DATA),
        new DaemonMessage.Established(1, IpAddress.ipv4(2), 3, IpAddress.ipv4(4), 5, TERMS, DATA),
        new DaemonMessage.InterfacesListed(
            44, 3, Collections.nCopies(InterfaceEntry.MOST, INTERFACE)),
        new DaemonMessage.Rejected(1, TERMS, DATA),
        new DaemonMessage.Failed(1, Reason.TIMEOUT, 2, TEXT),
        new DaemonMessage.PeerClosed(1),
        new DaemonMessage.Closed(1, Reason.DDP_ERROR, 0x105, TEXT),
        new DaemonMessage.StreamFailed(1, Reason.DDP_ERROR, 0x201, "41ff", 18, TEXT));
  }

  @ParameterizedTest
  @MethodSource("programMessages")
  void shouldCarryEveryMessageOfAProgram(ProgramMessage message) throws IOException {
    assertThat(program.send(message)).isTrue();
    assertThat(daemon.receiveFromProgram()).isEqualTo(message);
    assertThat(daemon.receiveFromProgram()).isNull();
  }

  @ParameterizedTest
  @MethodSource("daemonMessages")
  void shouldCarryEveryMessageOfTheDaemon(DaemonMessage message) throws IOException {
    assertThat(daemon.send(message)).isTrue();
    assertThat(program.receiveFromDaemon()).isEqualTo(message);
    assertThat(program.receiveFromDaemon()).isNull();
  }

  @Test
  void shouldCoverEveryMessageType() {
    assertThat(programMessages().map(Object::getClass))
        .containsExactlyInAnyOrderElementsOf(
            kinds(
                ProgramMessage.class,
                ProgramMessage.AdoptMemory.class,
                ProgramMessage.StreamBridge.class));
    assertThat(daemonMessages().map(Object::getClass))
        .containsExactlyInAnyOrderElementsOf(
            kinds(
                DaemonMessage.class,
                DaemonMessage.Welcome.class,
                DaemonMessage.CountersOpened.class,
                DaemonMessage.CaptureStarted.class,
                DaemonMessage.SocketsWelcome.class,
                DaemonMessage.StreamConnecting.class,
                DaemonMessage.StreamListening.class,
                DaemonMessage.StreamBridged.class,
                DaemonMessage.StreamWaiting.class));
  }

  private static List<Class<?>> kinds(Class<?> direction, Class<?>... withDescriptors) {
    List<Class<?>> kinds = new ArrayList<>(List.of(direction.getPermittedSubclasses()));
    kinds.removeAll(List.of(withDescriptors));
    return kinds;
  }

  @Test
  void shouldKeepTheLayoutOfHello() {
    ProgramMessage hello = new ProgramMessage.Hello(7, 4, "me", "e0", SessionSizes.CONFIGURED);
    MessageBuffer buffer = MessageBuffer.forWriting();

    MessageCodec.of(hello).write(hello, buffer);

    assertThat(MessageCodec.of(hello).type()).isEqualTo(1);
    assertThat(buffer.toByteArray()).asHexString().startsWith("0000000400026D6500026530");
  }

  /** So that the program can be told which version the daemon has. */
  @Test
  void shouldReadTheHelloOfAnotherVersionWhateverFollowsTheName() throws IOException {
    SessionSizes sizes = new SessionSizes(1, 2, 3, 4, 5, 6);
    assertThat(program.send(new ProgramMessage.Hello(7, 4, "me", "e0", sizes))).isTrue();
    assertThat(daemon.receiveFromProgram())
        .isEqualTo(new ProgramMessage.Hello(7, 4, "me", "e0", SessionSizes.CONFIGURED));
  }

  @Test
  void shouldPassDescriptors() throws IOException {
    SessionLimits limits = new SessionLimits(1, 2, 3, 4, 5, 6, 7, 8L << 40);
    WakeSocket[] ends = WakeSocket.pair();
    try (SharedMemory memory = SharedMemory.create("passed", 4096);
        WakeSocket signal = ends[0];
        WakeSocket sent = ends[1]) {
      daemon.send(
          new DaemonMessage.Welcome(
              1, 2, limits, "eth0", IpAddress.ipv4(3), memory.descriptor(), sent.descriptor()));
      DaemonMessage.Welcome welcome = (DaemonMessage.Welcome) program.receiveFromDaemon();
      assertThat(welcome.limits()).isEqualTo(limits);
      assertThat(SharedMemory.map(welcome.rings()).length()).isEqualTo(4096);
      signal.signal();
      PollSet poll = new PollSet();
      poll.add(welcome.event());
      assertThat(poll.await(0)).isEqualTo(1);

      for (DaemonMessage message :
          List.of(
              new DaemonMessage.MemoryAllocated(2, 1, 2, 3, memory.descriptor()),
              new DaemonMessage.CountersOpened(3, memory.descriptor()),
              new DaemonMessage.CaptureStarted(4, memory.descriptor()))) {
        assertThat(daemon.send(message)).isTrue();
        assertThat(daemon.send(message)).as("before it is received").isFalse();
        assertThat(daemon.send(new DaemonMessage.Done(5))).as("without descriptor").isTrue();
        program.receiveFromDaemon().closeDescriptors();
        assertThat(program.receiveFromDaemon()).isEqualTo(new DaemonMessage.Done(5));
      }
      program.send(new ProgramMessage.AdoptMemory(5, memory.descriptor()));
      try (Descriptor adopted =
          ((ProgramMessage.AdoptMemory) daemon.receiveFromProgram()).descriptor()) {
        assertThat(adopted.number()).isPositive();
      }
      welcome.closeDescriptors();
    }
    assertThat(OpenDescriptors.naming("memfd:passed")).isEmpty();
  }

  /** A program frees a memory whose descriptor it has not received, or its session ends. */
  @Test
  void shouldReportThatAWaitingMessageNamesAClosedDescriptor() throws IOException {
    try (SharedMemory first = SharedMemory.create("test", 4096);
        SharedMemory second = SharedMemory.create("test", 4096)) {
      assertThat(daemon.send(new DaemonMessage.CountersOpened(1, first.descriptor()))).isTrue();
      DaemonMessage waiting = new DaemonMessage.CountersOpened(2, second.descriptor());
      assertThat(daemon.send(waiting)).isFalse();
      second.descriptor().close();
      assertThat(daemon.send(waiting)).as("still not received").isFalse();
      program.receiveFromDaemon().closeDescriptors();
      assertThatThrownBy(() -> daemon.send(waiting))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("freed before it could be sent");
      assertThat(daemon.send(new DaemonMessage.Done(3))).as("others go on").isTrue();
    }
  }

  @Test
  void shouldReportThePeersCredentials() {
    PeerCredentials peer = daemon.peer();
    assertThat(peer.pid()).isEqualTo((int) ProcessHandle.current().pid());
    assertThat(program.peer()).isEqualTo(peer);
    assertThat(daemon.peerProcess().number()).isPositive();
  }

  @Test
  void shouldDetectTheEndOfAProcessWhoseSocketIsStillOpen() throws Exception {
    Process child =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                SocketHolder.class.getName(),
                path().toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      assertThat(child.inputReader().readLine()).isEqualTo("ready");
      try (ControlSocket socket = listener.accept();
          Descriptor held =
              ((ProgramMessage.AdoptMemory) socket.receiveFromProgram()).descriptor()) {
        PollSet poll = new PollSet();
        int end = poll.add(socket.descriptor());
        int process = poll.add(socket.peerProcess());
        assertThat(poll.await(0)).isZero();

        child.destroyForcibly();
        assertThat(poll.await(-1)).isEqualTo(1);
        assertThat(poll.isReady(process)).isTrue();
        assertThat(poll.isReady(end)).isFalse();
        assertThat(held.isOpen()).isTrue();
      }
    } finally {
      child.destroyForcibly().waitFor();
    }
  }

  /** The kernel reports the reset first, and only once. */
  @Test
  void shouldReceiveWhatWasSentBeforeAnEndWasClosedThatHadNotReadAll() throws IOException {
    assertThat(daemon.send(new DaemonMessage.Done(1))).isTrue();
    program.send(new ProgramMessage.OpenCounters(2));
    program.send(new ProgramMessage.CloseSession(3));
    program.close();
    assertThat(daemon.receiveFromProgram()).isEqualTo(new ProgramMessage.OpenCounters(2));
    assertThat(daemon.receiveFromProgram()).isEqualTo(new ProgramMessage.CloseSession(3));
    assertThatThrownBy(daemon::receiveFromProgram).isInstanceOf(EOFException.class);
  }

  @Test
  void shouldReportEndOfFile() throws IOException {
    program.close();
    assertThatThrownBy(daemon::receiveFromProgram).isInstanceOf(EOFException.class);
    assertThatThrownBy(() -> daemon.send(new DaemonMessage.Done(1)))
        .isInstanceOf(SystemCallException.class);
    assertThatThrownBy(() -> program.send(new ProgramMessage.OpenCounters(1)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldNotBlockIfTheOtherEndDoesNotRead() throws IOException {
    DaemonMessage message = new DaemonMessage.Refused(1, Reason.LIMIT, 0, "x".repeat(1000));
    int sent = 0;
    while (sent < 100_000 && daemon.send(message)) {
      sent++;
    }
    assertThat(sent).isBetween(10, 99_999);
    assertThat(program.receiveFromDaemon()).isEqualTo(message);
  }

  @Test
  void shouldTruncateATextBetweenCharacters() throws IOException {
    daemon.send(new DaemonMessage.Refused(1, Reason.LIMIT, 0, "x" + "µ".repeat(1000)));
    assertThat(((DaemonMessage.Refused) program.receiveFromDaemon()).text())
        .isEqualTo("x" + "µ".repeat(511));
  }

  @Test
  void shouldNotReplaceTheSocketOfARunningDaemon() {
    assertThatThrownBy(() -> ControlListener.bind(path(), MODE))
        .isInstanceOf(FileAlreadyExistsException.class)
        .hasMessageContaining("listening");
    assertThat(path()).exists();
  }

  @Test
  void shouldReplaceTheSocketOfADeadDaemon() throws IOException {
    Path stale = directory.resolve("stale.sock");
    Descriptor dead = UnixSocket.open();
    UnixSocket.bind(dead, stale);
    dead.close();
    try (ControlListener successor = ControlListener.bind(stale, MODE)) {
      assertThat(Files.getPosixFilePermissions(stale)).isEqualTo(MODE);
      ControlSocket.connect(stale).close();
      assertThat(successor.accept()).isNotNull();
    }
    assertThat(stale).doesNotExist();
  }

  /** Between bind(2) and listen(2), the socket of a daemon that starts looks like a dead one's. */
  @Test
  void shouldLetOnlyOneDaemonStartOverAStaleSocket() throws Exception {
    for (int round = 0; round < 100; round++) {
      Path stale = directory.resolve("race.sock");
      try (Descriptor dead = UnixSocket.open()) {
        UnixSocket.bind(dead, stale);
      }
      CyclicBarrier start = new CyclicBarrier(2);
      Callable<ControlListener> daemonStart =
          () -> {
            start.await();
            try {
              return ControlListener.bind(stale, MODE);
            } catch (FileAlreadyExistsException e) {
              return null;
            }
          };
      FutureTask<ControlListener> other = new FutureTask<>(daemonStart);
      new Thread(other).start();
      ControlListener one = daemonStart.call();
      ControlListener two = other.get();
      assertThat(one == null).as("round " + round).isNotEqualTo(two == null);
      ControlListener winner = one == null ? two : one;
      ControlSocket.connect(stale).close();
      assertThat(winner.accept()).isNotNull();
      winner.close();
    }
  }

  /** Everyone who may read a directory can lock it. */
  @Test
  void shouldStartInADirectoryThatAnotherHasLocked() throws IOException {
    try (Arena arena = Arena.ofConfined();
        Descriptor other =
            Descriptor.of(
                SystemCall.bind("open", "i:li.i")
                    .call(arena.allocateFrom(directory.toString()).address(), 0, 0))) {
      SystemCall.bind("flock", "i:ii").call(other.number(), 2);
      try (ControlListener started = ControlListener.bind(directory.resolve("own.sock"), MODE)) {
        assertThat(started.descriptor().isOpen()).isTrue();
      }
    }
  }

  @Test
  void shouldLockAFileThatOnlyItsUserCanOpen() throws IOException {
    Path socket = directory.resolve("own.sock");
    Path file = SocketLock.fileOf(socket);
    try (SocketLock lock = SocketLock.take(socket, 0)) {
      assertThat(lock).isNotNull();
      assertThat(Files.getPosixFilePermissions(file))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
      assertThatThrownBy(() -> SocketLock.take(socket, 0)).isInstanceOf(SystemCallException.class);
    }
    assertThat(file).doesNotExist();
  }

  @Test
  void shouldNotFollowALinkInPlaceOfTheLock() throws IOException {
    Path socket = directory.resolve("own.sock");
    Path target = directory.resolve("target");
    Files.createSymbolicLink(SocketLock.fileOf(socket), target);
    assertThatThrownBy(() -> ControlListener.bind(socket, MODE))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining(SocketLock.fileOf(socket).toString());
    assertThat(target).doesNotExist();
  }

  @Test
  void shouldNotWaitForALockWhenInterrupted() throws IOException {
    Path socket = directory.resolve("own.sock");
    try (SocketLock lock = SocketLock.take(socket, 0)) {
      assertThat(lock).isNotNull();
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> SocketLock.take(socket, Long.MAX_VALUE))
          .isInstanceOf(SystemCallException.class);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void shouldNotWaitForAFullBacklogWhenInterrupted() throws IOException {
    Path full = directory.resolve("full.sock");
    try (Descriptor listening = UnixSocket.open();
        Descriptor first = UnixSocket.open()) {
      UnixSocket.bind(listening, full);
      UnixSocket.listen(listening, 0);
      UnixSocket.connect(first, full);
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> ControlSocket.connect(full, Long.MAX_VALUE))
          .isInstanceOf(SystemCallException.class);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void shouldSayWhichComponentOfThePathIsAFile() throws IOException {
    Path file = Files.writeString(directory.resolve("plain"), "");
    assertThatThrownBy(() -> ControlListener.bind(file.resolve("below/rddpd.sock"), MODE))
        .isInstanceOfSatisfying(
            FileAlreadyExistsException.class,
            e -> {
              assertThat(e.getFile()).isEqualTo(file.toString());
              assertThat(e.getReason()).startsWith("it is not a directory");
            });
  }

  @Test
  void shouldCreateTheSocketsDirectory() throws IOException {
    Path path = directory.resolve("a/b/rddpd.sock");
    try (ControlListener created = ControlListener.bind(path, MODE)) {
      ControlSocket.connect(path).close();
      assertThat(created.accept()).isNotNull();
    }
  }

  @Test
  void shouldNotRemoveAFileThatIsNotASocket() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "precious");
    assertThatThrownBy(() -> ControlListener.bind(file, MODE))
        .isInstanceOf(FileAlreadyExistsException.class)
        .hasMessageContaining("not a socket");
    assertThat(file).hasContent("precious");
  }

  @Test
  void shouldRejectAPathThatIsTooLong() {
    Path path = directory.resolve("x".repeat(108));
    assertThatThrownBy(() -> ControlListener.bind(path, MODE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("107");
  }

  @Test
  void shouldLimitPrivateDataTo512Octets() {
    byte[] octets = new byte[513];
    Arrays.fill(octets, (byte) 1);
    assertThatThrownBy(() -> PrivateData.of(octets)).isInstanceOf(IllegalArgumentException.class);
    assertThat(PrivateData.of(Arrays.copyOf(octets, 512)).length()).isEqualTo(512);
    assertThat(List.of(PrivateData.NONE)).containsExactly(PrivateData.of(new byte[0]));
  }
}
