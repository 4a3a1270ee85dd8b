package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.rddp.ipc.control.ProgramMessage.StreamListen.REUSE_PORT;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.RefusedException;
import org.rddp.client.streams.ProgramListener;
import org.rddp.client.streams.ProgramStream;
import org.rddp.client.streams.StreamException;
import org.rddp.client.streams.StreamSession;
import org.rddp.client.types.Reason;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.PollSet;

/** Octet streams of daemons that are configured otherwise, fail or end. */
@Timeout(60)
class OctetStreamEndsTest {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final int PORT = 7000;
  private static final int NOBODY = 65534;
  private static final InetSocketAddress SERVER =
      new InetSocketAddress(TestDaemon.ADDRESS_TWO, PORT);

  private static ProgramStream connect(StreamSession session) throws IOException {
    return session.connect(SERVER, InetAddress.getByName(TestDaemon.ADDRESS_ONE), 0, TIMEOUT);
  }

  private static int errno(ThrowingCallable call) {
    Throwable thrown = catchThrowable(call);
    assertThat(thrown).isInstanceOf(StreamException.class);
    return ((StreamException) thrown).errno();
  }

  private static void exchange(ProgramStream from, ProgramStream to) throws IOException {
    from.write(new byte[] {42});
    byte[] read = new byte[1];
    assertThat(to.read(read, 0, 1)).isEqualTo(1);
    assertThat(read[0]).isEqualTo((byte) 42);
  }

  @Test
  void shouldBridgeBetweenLongAddresses() throws Exception {
    String one = "fd00:1111:2222:3333:4444:5555:6666:7777";
    String two = "fd00:1111:2222:3333:8888:9999:aaaa:bbbb";
    try (TestDaemon daemon = TestDaemon.withAddresses(one, two, 64);
        StreamSession session = StreamSession.open(daemon.socket(), "test");
        ProgramListener listener = session.listen(new InetSocketAddress(two, PORT), 8, 0)) {
      ProgramStream client =
          session.connect(new InetSocketAddress(two, PORT), InetAddress.getByName(one), 0, TIMEOUT);
      ProgramStream server = listener.accept(TIMEOUT);
      exchange(client, server);
      PairedSocket bridge = client.bridge();
      server.write(new byte[] {7});
      PollSet poll = new PollSet();
      poll.add(bridge.descriptor());
      assertThat(poll.await(TIMEOUT.toNanos())).isOne();
      MemorySegment octet = Arena.ofAuto().allocate(1);
      assertThat(bridge.receive(octet.address(), 1)).isEqualTo(1);
      assertThat(octet.get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 7);
      bridge.close();
      client.close();
      assertThat(server.read(new byte[1], 0, 1)).isEqualTo(-1);
      server.close();
    }
  }

  @Test
  void shouldSayAndRememberThatAHostHasNoRddp() throws Exception {
    try (TestDaemon daemon = TestDaemon.withoutStreamsAtTwo();
        StreamSession session = StreamSession.open(daemon.socket(), "test")) {
      ProgramStream stream = connect(session);
      assertThat(errno(stream::awaitConnected)).isEqualTo(Errno.EHOSTDOWN);
      stream.close();
      Throwable again = catchThrowable(() -> connect(session));
      assertThat(((RefusedException) again).reason()).isEqualTo(Reason.UNREACHABLE);
    }
  }

  @Test
  void shouldFailAndNotSpeakInClearWhereEspIsRequired() throws Exception {
    try (TestDaemon daemon = TestDaemon.withIpsec();
        StreamSession session = StreamSession.open(daemon.socket(), "test")) {
      ProgramStream stream =
          session.connect(
              SERVER, InetAddress.getByName(TestDaemon.ADDRESS_ONE), 0, Duration.ofMillis(300));
      assertThat(errno(stream::awaitConnected)).isEqualTo(Errno.ETIMEDOUT);
      stream.close();
    }
  }

  @Test
  void shouldServeOneListenerOnSeveralEngines() throws Exception {
    try (TestDaemon daemon = TestDaemon.withEngines(3);
        StreamSession session = StreamSession.open(daemon.socket(), "test");
        ProgramListener listener = session.listen(new InetSocketAddress("0.0.0.0", PORT), 64, 0)) {
      List<ProgramStream> clients = new ArrayList<>();
      List<ProgramStream> servers = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        clients.add(connect(session));
      }
      Set<Integer> ports = new HashSet<>();
      for (int i = 0; i < 30; i++) {
        servers.add(listener.accept(TIMEOUT));
        ports.add(servers.getLast().ends().remotePort());
      }
      assertThat(ports).hasSize(30);
      for (ProgramStream server : servers) {
        ProgramStream client =
            clients.stream()
                .filter(each -> each.ends().localPort() == server.ends().remotePort())
                .findFirst()
                .orElseThrow();
        exchange(client, server);
        exchange(server, client);
      }
      for (int i = 0; i < 30; i++) {
        clients.get(i).close();
      }
      for (ProgramStream server : servers) {
        assertThat(server.read(new byte[1], 0, 1)).isEqualTo(-1);
        server.close();
      }
    }
  }

  @Test
  void shouldResetStreamsOfAnEngineThatBeginsAnewAndServeOthers() throws Exception {
    try (TestDaemon daemon = new TestDaemon();
        StreamSession session = StreamSession.open(daemon.socket(), "test");
        ProgramListener listener = session.listen(new InetSocketAddress("0.0.0.0", PORT), 64, 0)) {
      ProgramStream client = connect(session);
      ProgramStream server = listener.accept(TIMEOUT);
      exchange(client, server);
      daemon.breakQueue(1, 100);
      assertThat(errno(() -> client.read(new byte[1], 0, 1))).isEqualTo(Errno.ECONNRESET);
      assertThat(errno(() -> server.read(new byte[1], 0, 1))).isEqualTo(Errno.ECONNRESET);
      client.close();
      server.close();
      ProgramStream next = connect(session);
      ProgramStream accepted = listener.accept(TIMEOUT);
      exchange(next, accepted);
      next.close();
      accepted.close();
    }
  }

  @Test
  void shouldResetStreamsWhenTheDaemonEnds() throws Exception {
    TestDaemon daemon = new TestDaemon();
    try (StreamSession session = StreamSession.open(daemon.socket(), "test");
        ProgramListener listener = session.listen(new InetSocketAddress("0.0.0.0", PORT), 64, 0)) {
      ProgramStream client = connect(session);
      ProgramStream server = listener.accept(TIMEOUT);
      exchange(client, server);
      daemon.close();
      assertThat(errno(() -> client.read(new byte[1], 0, 1))).isEqualTo(Errno.ECONNRESET);
      assertThat(errno(() -> server.read(new byte[1], 0, 1))).isEqualTo(Errno.ECONNRESET);
      assertThat(catchThrowable(() -> listener.accept(TIMEOUT))).isInstanceOf(EOFException.class);
      client.close();
      server.close();
    }
  }

  @Test
  void shouldKeepStreamsThatOthersHoldWhenTheSessionHasEnded() throws Exception {
    try (TestDaemon daemon = new TestDaemon();
        StreamSession here = StreamSession.open(daemon.socket(), "test");
        ProgramListener listener = here.listen(new InetSocketAddress("0.0.0.0", PORT), 64, 0)) {
      long mapped = mappedDoorbells();
      StreamSession there = StreamSession.open(daemon.socket(), "test");
      ProgramStream client = connect(there);
      ProgramStream server = listener.accept(TIMEOUT);
      exchange(client, server);
      there.closeControl();
      exchange(server, client);
      exchange(client, server);
      client.close();
      assertThat(server.read(new byte[1], 0, 1)).isEqualTo(-1);
      server.close();
      there.close();
      TestDaemon.await(
          () -> mappedDoorbells() <= mapped, "the ended session's doorbells are unmapped");
      assertThat(daemon.log()).doesNotContain("internal error");
    }
  }

  private static long mappedDoorbells() {
    try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
      return maps.filter(line -> line.contains("rddp-doorbells")).count();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldKeepAGroupOfListenersToOneUser() throws Exception {
    try (TestDaemon daemon = TestDaemon.withKeys("", "mode = \"0666\"")) {
      Files.setPosixFilePermissions(
          daemon.socket().getParent(), PosixFilePermissions.fromString("rwxr-xr-x"));
      InetSocketAddress at = new InetSocketAddress("0.0.0.0", PORT);
      try (StreamSession root = StreamSession.open(daemon.socket(), "test");
          StreamSession nobody =
              OtherUser.call(NOBODY, () -> StreamSession.open(daemon.socket(), "test"))) {
        try (ProgramListener listener = nobody.listen(at, 8, REUSE_PORT)) {
          assertThat(listener.port()).isEqualTo(PORT);
          Throwable refused = catchThrowable(() -> root.listen(at, 8, REUSE_PORT));
          assertThat(((RefusedException) refused).reason()).isEqualTo(Reason.ADDRESS_IN_USE);
        }
      }
    }
  }
}
