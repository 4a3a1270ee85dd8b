package org.rddp.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionFailedException;
import org.rddp.client.ConnectionRejectedException;
import org.rddp.client.Rddp;
import org.rddp.client.RemoteHost;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.daemon.TestDaemon;

/** The file server with several clients at a time, over a whole daemon. */
@Timeout(120)
class FileServerTest {
  private static final int PORT = 7472;
  private static final long WINDOW = 64 << 10;
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final InetSocketAddress SERVER =
      new InetSocketAddress(TestDaemon.ADDRESS_TWO, PORT);

  @TempDir private Path served;
  @TempDir private Path folder;
  private final TestDaemon daemon = new TestDaemon();
  private final Rddp here = daemon.connect("one");
  private final Rddp there = daemon.connect("two");
  private final Queue<String> log = new ConcurrentLinkedQueue<>();
  private final Thread server =
      new Thread(() -> new FileServer(there, served, WINDOW, log::add).serve(PORT, false), "serve");

  @BeforeEach
  void serve() {
    server.start();
  }

  @AfterEach
  void close() throws InterruptedException {
    server.interrupt();
    server.join();
    here.close();
    there.close();
    daemon.close();
  }

  /** Retries until the server listens. */
  private Connection connect() {
    while (true) {
      try {
        return here.connect(SERVER, PrivateData.NONE, TIMEOUT);
      } catch (ConnectionRejectedException e) {
        throw e;
      } catch (ConnectionFailedException e) {
        assertThat(e.reason()).isEqualTo(Reason.REFUSED);
      }
    }
  }

  private String putAndGet(int number) {
    byte[] contents = new byte[300_000 + number];
    new Random(number).nextBytes(contents);
    Path original = folder.resolve("original" + number);
    Path copy = folder.resolve("copy" + number);
    try (Rddp session = daemon.connect("one")) {
      Files.write(original, contents);
      FileClient client =
          new FileClient(session, RemoteHost.of(SERVER), WINDOW, octets -> done -> {});
      String put = client.put(original, "kept" + number);
      assertThat(client.get("kept" + number, copy)).isEqualTo(put);
      assertThat(copy).hasBinaryContent(contents);
      return put;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldServeOthersWhileAClientIsSlow() throws Exception {
    try (MessageChannel silent = new MessageChannel(here, connect(), TIMEOUT);
        MessageChannel slow = new MessageChannel(here, connect(), TIMEOUT)) {
      slow.send(new TransferMessage.Put("slow", 0).encode());
      TransferMessage accepted = TransferMessage.decode(slow.receive());

      List<CompletableFuture<String>> others = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        int number = i;
        others.add(CompletableFuture.supplyAsync(() -> putAndGet(number)));
      }
      for (CompletableFuture<String> other : others) {
        assertThat(other.get()).hasSize(64);
      }

      assertThat(accepted).isInstanceOf(TransferMessage.Accepted.class);
      assertThat(served.resolve("slow")).doesNotExist();
      String empty = HexFormat.of().formatHex(TransferWindow.digest().digest());
      slow.send(new TransferMessage.End(empty).encode());
      assertThat(TransferMessage.decode(slow.receive()))
          .isEqualTo(new TransferMessage.Result(true, empty));
      assertThat(served.resolve("slow")).isEmptyFile();
      silent.flush();
    }
  }

  @Test
  void shouldNotReplaceAnEmptyFolder() throws IOException {
    Files.createDirectory(served.resolve("taken"));
    Path original = Files.writeString(folder.resolve("original"), "hello");
    connect().close();
    FileClient client = new FileClient(here, RemoteHost.of(SERVER), WINDOW, octets -> done -> {});
    assertThatThrownBy(() -> client.put(original, "taken"))
        .hasMessageContaining("'taken' is a directory at the server");
    assertThat(served.resolve("taken")).isEmptyDirectory();
    assertThatThrownBy(() -> client.get("original", folder)).hasMessageContaining("is a directory");
  }

  @Test
  void shouldRejectClientsBeyondTheSessionsLimits() {
    for (int i = 0; i < 64; i++) {
      assertThat(connect().isOpen()).isTrue();
    }

    assertThatThrownBy(this::connect)
        .isInstanceOfSatisfying(
            ConnectionRejectedException.class,
            e ->
                assertThat(new String(e.privateData().toByteArray(), StandardCharsets.UTF_8))
                    .isEqualTo("the server has 64 clients, the most it serves"));
  }
}
