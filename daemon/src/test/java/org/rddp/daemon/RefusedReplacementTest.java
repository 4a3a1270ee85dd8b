package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationFile;
import org.rddp.daemon.replacement.ReplacementException;
import org.rddp.daemon.replacement.Successor;
import org.rddp.ipc.control.ControlMessage;
import org.rddp.ipc.control.ControlSocket;
import org.rddp.ipc.control.DaemonMessage.SocketsWelcome;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.snapshot.SnapshotReader;

/** A daemon goes on if another one cannot take its place. */
@Timeout(60)
class RefusedReplacementTest extends ReplacedDaemonsFixture {
  private static final int NOBODY = 65534;

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
            new ArrivingDaemon(configuration(ADDRESS_ONE), ReplacedDaemonsFixture::ports, out());
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
  void shouldGoOnInTheOldDaemonIfTheNewOneFails() throws Exception {
    try (SteadyExchange exchange =
        new SteadyExchange(connect("one"), connect("two"), ConnectedPrograms.TWO)) {
      exchange.awaitMessages(100);
      Configuration configuration = configuration(ADDRESS_ONE);
      new Successor(
              control, new ArrivingDaemon(configuration, ReplacedDaemonsFixture::ports, out()))
          .check();
      exchange.awaitMessages(100);
      ArrivingDaemon failing =
          new ArrivingDaemon(configuration, ReplacedDaemonsFixture::ports, out()) {
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

  /** Such as a daemon without memory: nobody else would serve its programs. */
  @Test
  void shouldGoOnAfterAnErrorWhenItsEnginesHaveStopped() throws Exception {
    old.close();
    Ports looped = ports();
    InvocationHandler failing =
        (proxy, method, arguments) -> {
          if (method.getName().equals("release")) {
            throw new OutOfMemoryError("there is no memory");
          }
          return method.invoke(looped, arguments);
        };
    Ports own =
        (Ports)
            Proxy.newProxyInstance(
                Ports.class.getClassLoader(), new Class<?>[] {Ports.class}, failing);
    old = Daemon.start(configuration(ADDRESS_ONE), own, out());
    daemons.add(old);
    assertThatThrownBy(() -> replace(ADDRESS_ONE))
        .isInstanceOf(ReplacementException.class)
        .hasMessageContaining("there is no memory");
    exchange();
  }

  @Test
  void shouldWaitForADeviceThatIsNotFreeYet() throws Exception {
    AtomicInteger refusals = new AtomicInteger();
    Ports busy =
        new JoinedPorts(ports()) {
          @Override
          public void take(Map<String, Long> macAddresses) throws IOException {
            if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
              throw new IOException("it is busy");
            }
          }
        };
    replace(configuration(ADDRESS_ONE), () -> busy);
    try (SteadyExchange exchange =
        new SteadyExchange(connect("one"), connect("two"), ConnectedPrograms.TWO)) {
      exchange.awaitMessages(100);
      refusals.set(3);
      new Successor(
              control,
              new ArrivingDaemon(configuration(ADDRESS_ONE), ReplacedDaemonsFixture::ports, out()))
          .check();
      assertThat(refusals).hasValue(0);
      exchange.awaitMessages(100);
    }
    assertThat(log.toString(StandardCharsets.UTF_8))
        .containsOnlyOnce("a device is not free yet, and the engines wait for it: it is busy");
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

  private void assertRefused(String why, AutoCloseable held) throws Exception {
    assertThatThrownBy(() -> replace(ADDRESS_ONE))
        .isInstanceOf(ReplacementException.class)
        .hasMessageContaining("pid " + ProcessHandle.current().pid())
        .hasMessageContaining(why);
    held.close();
  }

  /** Their connections would be cut off. The new daemon has done nothing yet. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "name = \"one\" | name = \"other\" | which the new daemon has not",
        "10.0.0.1/24 | 10.0.0.3/24 | which has the address 10.0.0.1/24 in the daemon that runs, and 10.0.0.3/24 in",
        "device = \"ring:x\" | device = \"ring:x\"\\nvlan = 7 | which has the vlan 0 in the daemon that runs, and 7 in",
        "device = \"ring:x\" | device = \"ring:x\"\\nqueue-pair-port = 9 | has the queue-pair-port 4794 in the daemon that runs, and 9 in",
        "device = \"ring:x\" | device = \"ring:x\"\\nipsec = { default = \"require\" } | has the security policy none in the daemon that runs, and require with 0 rules"
      })
  void shouldRefuseOtherInterfacesThatAProgramUses(String term, String other, String why)
      throws Exception {
    String text =
        text("one", ADDRESS_ONE).replaceFirst(Pattern.quote(term), other.replace("\\n", "\n"));
    Configuration changed = ConfigurationFile.parse("test", text);
    ArrivingDaemon arriving =
        new ArrivingDaemon(
            changed,
            () -> {
              throw new AssertionError("it prepares");
            },
            out());
    try (Rddp program = connect("one")) {
      assertThatThrownBy(() -> new Successor(control, arriving).takeOver())
          .isInstanceOf(ReplacementException.class)
          .hasMessageContaining("pid " + ProcessHandle.current().pid())
          .hasMessageContaining("has a session on the interface one, ")
          .hasMessageContaining(why);
      program.allocate(64).close();
    }
    exchange();
  }

  @Test
  void shouldRefuseOtherInterfacesWhileProgramsHaveOctetStreams() throws Exception {
    Configuration renamed = configuration("other", ADDRESS_ONE);
    try (SteadyStream stream =
        new SteadyStream(control, TestDaemon.ADDRESS_TWO, new InetSocketAddress(ADDRESS_ONE, 80))) {
      assertThatThrownBy(() -> replace(renamed))
          .isInstanceOf(ReplacementException.class)
          .hasMessageContaining("has octet streams, so interfaces must stay the same: ")
          .hasMessageContaining(
              "interface[1] has the name one in the daemon that runs, and other in the new one");
      stream.awaitOctets(100_000);
    }
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
        .hasMessageContaining("can replace it, uid 0, and this process has uid " + NOBODY);
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
}
