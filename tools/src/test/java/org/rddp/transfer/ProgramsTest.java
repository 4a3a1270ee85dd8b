package org.rddp.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionFailedException;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RemoteHost;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.daemon.TestDaemon;
import org.rddp.demo.Poller;
import org.rddp.demo.VerifiedTransfer;
import org.rddp.rig.AdvertisedBuffer;

/** The programs that the commands run, over a whole daemon. */
@Timeout(60)
class ProgramsTest {
  private static final int PORT = 7471;
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final InetSocketAddress TWO = new InetSocketAddress("10.0.0.2", PORT);
  private static final long WINDOW = 64 << 10;

  @TempDir private Path folder;
  private final List<String> said = new ArrayList<>();
  private TestDaemon daemon;
  private Rddp here;
  private Rddp there;

  @BeforeEach
  void open() {
    daemon = new TestDaemon();
    here = daemon.connect("one");
    there = daemon.connect("two");
  }

  @AfterEach
  void close() {
    here.close();
    there.close();
    daemon.close();
  }

  private static LongConsumer quiet(long octets) {
    return done -> {};
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 1000, 65536, 1_000_003})
  void shouldPutAndGetAFile(int octets) throws Exception {
    Path served = Files.createDirectory(folder.resolve("served"));
    Path original = folder.resolve("original");
    byte[] contents = new byte[octets];
    new Random(octets).nextBytes(contents);
    Files.write(original, contents);
    FileServer server = new FileServer(there, served, WINDOW, said::add);
    FileClient client = new FileClient(here, RemoteHost.of(TWO), WINDOW, ProgramsTest::quiet);

    CompletableFuture<Void> first = CompletableFuture.runAsync(() -> server.serve(PORT, true));
    String put = connectWhenListening(() -> client.put(original, "kept"));
    first.join();
    CompletableFuture<Void> second = CompletableFuture.runAsync(() -> server.serve(PORT, true));
    String got = connectWhenListening(() -> client.get("kept", folder.resolve("copy")));
    second.join();

    assertThat(served.resolve("kept")).hasBinaryContent(contents);
    assertThat(folder.resolve("copy")).hasBinaryContent(contents);
    assertThat(got).isEqualTo(put).hasSize(64);
    assertThat(served).isDirectoryNotContaining("glob:**.part");
  }

  @ParameterizedTest
  @ValueSource(longs = {4 << 10, WINDOW - 2, WINDOW, 1 << 20})
  void shouldPutAndGetWithDifferentWindows(long window) throws Exception {
    Path served = Files.createDirectory(folder.resolve("served"));
    Path original = folder.resolve("original");
    byte[] contents = new byte[300_001];
    new Random(window).nextBytes(contents);
    Files.write(original, contents);
    FileServer server = new FileServer(there, served, WINDOW, said::add);
    FileClient client = new FileClient(here, RemoteHost.of(TWO), window, ProgramsTest::quiet);

    CompletableFuture<Void> first = CompletableFuture.runAsync(() -> server.serve(PORT, true));
    connectWhenListening(() -> client.put(original, "kept"));
    first.join();
    CompletableFuture<Void> second = CompletableFuture.runAsync(() -> server.serve(PORT, true));
    connectWhenListening(() -> client.get("kept", folder.resolve("copy")));
    second.join();

    assertThat(folder.resolve("copy")).hasBinaryContent(contents);
  }

  private interface Attempt {
    String run() throws Exception;
  }

  /** Retries until the server's thread listens. */
  private static String connectWhenListening(Attempt attempt) throws Exception {
    while (true) {
      try {
        return attempt.run();
      } catch (ConnectionFailedException e) {
        assertThat(e).hasMessageContaining("REFUSED");
      }
    }
  }

  @Test
  void shouldRejectNamesOutsideOfTheDirectory() {
    FileServer server = new FileServer(there, folder, WINDOW, said::add);
    FileClient client = new FileClient(here, RemoteHost.of(TWO), WINDOW, ProgramsTest::quiet);
    CompletableFuture<Void> served = CompletableFuture.runAsync(() -> server.serve(PORT, true));

    assertThatThrownBy(
            () -> connectWhenListening(() -> client.get("../secret", folder.resolve("copy"))))
        .hasMessageContaining("not a plain file name");
    served.join();
    assertThat(folder.resolve("copy")).doesNotExist();
  }

  @Test
  void shouldEchoMessagesAndAdvertiseABuffer() throws Exception {
    Thread server = new Thread(() -> new EchoServer(there, 1 << 16, said::add).serve(PORT));
    server.start();
    Connection[] connection = new Connection[1];
    connectWhenListening(() -> {
      connection[0] = here.connect(TWO, PrivateData.NONE, TIMEOUT);
      return "";
    });
    AdvertisedBuffer buffer = AdvertisedBuffer.read(connection[0].privateData());
    MemoryRegion memory = here.allocate(1 << 17, Access.LOCAL_WRITE);
    Poller poller = new Poller(here, TIMEOUT);
    for (int length : new int[] {0, 1, 64, 5000, 1 << 16}) {
      memory.segment().asSlice(0, length).fill((byte) (length + 3));
      long expected = poller.received() + 1;
      assertThat(connection[0].postReceive(length, memory, 1 << 16, 1 << 16)).isTrue();
      assertThat(connection[0].postSend(length, memory, 0, length)).isTrue();
      poller.until(() -> poller.received() >= expected, "the echo");
      assertThat(
              memory
                  .segment()
                  .asSlice(1 << 16, length)
                  .mismatch(memory.segment().asSlice(0, length)))
          .isEqualTo(-1);
    }
    long written = poller.completed() + 1;
    assertThat(connection[0].postWrite(1, memory, 0, EchoServer.BUFFER, buffer.stag(), buffer.to()))
        .isTrue();
    poller.until(() -> poller.completed() == written, "the write");

    assertThat(connection[0].privateData().length()).isEqualTo(20);
    assertThat(buffer.length()).isEqualTo(65536);
    connection[0].close();
    server.interrupt();
    server.join();
  }

  @Test
  void shouldReadFromAnIdlePeer() {
    MemoryRegion source = there.allocate(1 << 17, Access.REMOTE_READ);
    source.segment().setString((1 << 17) - 5, "end.");
    Listener listener = there.listen(PORT);
    CompletableFuture<Connection> accepted =
        CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
    Connection connection = here.connect(TWO, PrivateData.NONE, TIMEOUT);
    Connection idle = accepted.join();
    MemoryRegion sink = here.allocate(1 << 17, Access.LOCAL_WRITE);
    Poller poller = new Poller(here, TIMEOUT);

    assertThat(connection.postRead(1, sink, 0, 1 << 17, source.stag(), source.baseTo())).isTrue();
    poller.until(() -> poller.completed() == 1, "the read");
    for (int i = 0; i < 40; i++) {
      assertThat(connection.postRead(i, sink, i, 1, source.stag(), source.baseTo() + (1 << 17) - 5))
          .isTrue();
    }
    poller.until(() -> poller.completed() == 41, "short reads, more than fit at a time");

    assertThat(sink.segment().getString((1 << 17) - 5)).isEqualTo("end.");
    assertThat(sink.segment().asSlice(0, 41).toArray(ValueLayout.JAVA_BYTE))
        .startsWith("e".repeat(40).getBytes(StandardCharsets.US_ASCII))
        .endsWith(0);
    idle.disconnect();
    connection.close();
    listener.close();
  }

  @Test
  void shouldRejectAReadIntoMemoryWithoutLocalWrite() {
    MemoryRegion source = here.allocate(64);
    Listener listener = there.listen(PORT);
    CompletableFuture<Connection> accepted =
        CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
    Connection connection = here.connect(TWO, PrivateData.NONE, TIMEOUT);
    Connection peer = accepted.join();

    assertThatThrownBy(() -> connection.postRead(1, source, 0, 1, 0, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("LOCAL_WRITE");
    peer.disconnect();
    connection.close();
    listener.close();
  }

  @Test
  void shouldVerifyABulkTransfer() throws Exception {
    CompletableFuture<String> problem = new CompletableFuture<>();
    CompletableFuture<Void> listening = new CompletableFuture<>();
    Thread sink =
        new Thread(() ->
            problem.complete(
                new VerifiedTransfer(there, 42, Duration.ZERO, TIMEOUT)
                    .receive(PORT, 3_000_001, () -> listening.complete(null))));
    sink.start();
    listening.join();
    long nanos =
        new VerifiedTransfer(here, 42, Duration.ZERO, TIMEOUT).send(RemoteHost.of(TWO), 3_000_001);

    assertThat(problem.get()).isNull();
    assertThat(nanos).isPositive();
  }

  @Test
  void shouldDetectAnotherPattern() throws Exception {
    CompletableFuture<String> problem = new CompletableFuture<>();
    CompletableFuture<Void> listening = new CompletableFuture<>();
    Thread sink =
        new Thread(() ->
            problem.complete(
                new VerifiedTransfer(there, 43, Duration.ZERO, TIMEOUT)
                    .receive(PORT, 100_000, () -> listening.complete(null))));
    sink.start();
    listening.join();
    new VerifiedTransfer(here, 42, Duration.ZERO, TIMEOUT).send(RemoteHost.of(TWO), 100_000);

    assertThat(problem.get()).isEqualTo("octet 0 of 100000 is wrong");
  }
}
