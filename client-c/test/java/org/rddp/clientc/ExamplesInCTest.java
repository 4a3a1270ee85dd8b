package org.rddp.clientc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.client.types.Access.LOCAL_WRITE;
import static org.rddp.client.types.Access.REMOTE_WRITE;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.Connection;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpException;
import org.rddp.client.types.PrivateData;
import org.rddp.daemon.DaemonProcess;
import org.rddp.daemon.ProgramInC;
import org.rddp.daemon.TestDaemon;

/** Runs every example in C between two interfaces of a daemon: servers at two, clients at one. */
@Timeout(60)
class ExamplesInCTest {
  private static final int MOST_LINES = 160;
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final List<ProgramInC> programs = new ArrayList<>();

  @TempDir private Path directory;

  @AfterEach
  void end() {
    programs.forEach(ProgramInC::close);
  }

  private ProgramInC start(Path socket, String name, String... arguments) throws IOException {
    ProgramInC program =
        ProgramInC.start(
            name, Map.of("RDDP_SOCKET", socket.toString()), Arrays.asList(arguments));
    programs.add(program);
    return program;
  }

  private ProgramInC start(TestDaemon daemon, String name, String... arguments)
      throws IOException {
    return start(daemon.socket(), name, arguments);
  }

  private static String port(ProgramInC server) throws IOException {
    String line = server.line();
    assertThat(line).matches("port [0-9]+");
    return line.substring("port ".length());
  }

  @Test
  void shouldBeShort() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("examples"))) {
      List<Path> sources = files.toList();
      assertThat(sources).hasSizeGreaterThan(8);
      for (Path source : sources) {
        assertThat(Files.readAllLines(source)).as(source.toString()).hasSizeLessThan(MOST_LINES);
      }
    }
  }

  /** Also beside functions of the program that have the names of the library's own. */
  @ParameterizedTest
  @ValueSource(strings = {"hello", "hello-beside"})
  void shouldWriteATextAndHaveItSentBack(String program) throws Exception {
    try (TestDaemon daemon = new TestDaemon();
        Rddp session = daemon.connect("two");
        MemoryRegion memory = session.allocate(8192, LOCAL_WRITE, REMOTE_WRITE);
        Listener listener = session.listen(0)) {
      String port = String.valueOf(listener.address().getPort());
      ProgramInC hello = start(daemon, program, TestDaemon.ADDRESS_TWO, port, "grüß Gott");
      IncomingConnection incoming = listener.await(PATIENCE);
      ByteBuffer where = ByteBuffer.allocate(20).putInt(memory.stag()).putLong(memory.baseTo());
      assertThat(incoming.connection().postReceive(0, memory, 4096, 4096)).isTrue();
      try (Connection peer =
          incoming.accept(PrivateData.of(where.putLong(memory.length()).array()))) {
        long[] octets = new long[1];
        while (octets[0] == 0) {
          if (session.poll(completion -> octets[0] = completion.octets(), 1) == 0) {
            session.await(PATIENCE);
          }
        }
        peer.blocking().send(memory, 4096, octets[0], PATIENCE);
      }
      assertThat(hello.finish()).containsExactly("grüß Gott");
      assertThat(memory.segment().getString(0)).isEqualTo("grüß Gott");
    }
  }

  @Test
  void shouldAnswerManyClientsFromOneQueueOfReceives() throws Exception {
    try (TestDaemon daemon = new TestDaemon()) {
      String port = port(start(daemon, "request_reply", "serve", "two", "0"));
      List<ProgramInC> clients = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        clients.add(
            start(daemon, "request_reply", "ask", "one", TestDaemon.ADDRESS_TWO, port, "a", "b"));
      }
      for (ProgramInC client : clients) {
        assertThat(client.finish()).containsExactly("A", "B");
      }
    }
  }

  /** Some give up between the moment in which the server hears of them and its answer. */
  @Test
  void shouldServeOthersWhenClientsGiveUp() throws Exception {
    try (TestDaemon daemon = new TestDaemon();
        Rddp session = daemon.connect("one")) {
      String port = port(start(daemon, "request_reply", "serve", "two", "0"));
      InetSocketAddress address =
          new InetSocketAddress(TestDaemon.ADDRESS_TWO, Integer.parseInt(port));
      for (int i = 0; i < 100; i++) {
        Duration patience = Duration.ofMillis(1 + i % 20);
        try (Connection _ = session.connect(address, PrivateData.NONE, patience)) {
          // It was in time.
        } catch (RddpException givenUp) {
          // It was not.
        }
      }
      ProgramInC client =
          start(daemon, "request_reply", "ask", "one", TestDaemon.ADDRESS_TWO, port, "a");
      assertThat(client.finish()).containsExactly("A");
    }
  }

  @Test
  void shouldDrawEachNumberOnce() throws Exception {
    try (TestDaemon daemon = new TestDaemon()) {
      String port = port(start(daemon, "atomic_counter", "own", "two", "0"));
      List<ProgramInC> clients = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        clients.add(
            start(daemon, "atomic_counter", "draw", "one", TestDaemon.ADDRESS_TWO, port, "100"));
      }
      List<String> drawn = new ArrayList<>();
      for (ProgramInC client : clients) {
        drawn.addAll(client.finish());
      }
      assertThat(drawn)
          .containsExactlyInAnyOrderElementsOf(
              IntStream.range(0, 200).mapToObj(Integer::toString).toList());
    }
  }

  @Test
  void shouldReadWholeValuesWhileTheyAreChanged() throws Exception {
    try (TestDaemon daemon = new TestDaemon()) {
      ProgramInC store = start(daemon, "key_value_store", "serve", "two", "0");
      String port = port(store);
      List<String> values = List.of("a".repeat(200), "b".repeat(120));
      String changes = "5 " + values.getFirst() + "\n5 " + values.getLast() + "\n";
      Thread thread =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      while (!Thread.currentThread().isInterrupted()) {
                        store.write(changes);
                      }
                    } catch (IOException ended) {
                      // The store was closed.
                    }
                  });
      List<String> command =
          new ArrayList<>(List.of("get", "one", TestDaemon.ADDRESS_TWO, port, "4"));
      command.addAll(Collections.nCopies(200, "5"));
      Set<String> read = new HashSet<>();
      while (!read.containsAll(values)) {
        List<String> lines =
            start(daemon, "key_value_store", command.toArray(String[]::new)).finish();
        assertThat(lines).hasSize(201).first().isEqualTo("");
        read.addAll(lines.subList(1, lines.size()));
      }
      thread.interrupt();
      thread.join();
      // The first may have come before the first change.
      assertThat(read).isSubsetOf(values.getFirst(), values.getLast(), "");
    }
  }

  @Test
  void shouldPublishToEverySubscriberInOrder() throws Exception {
    int texts = 200; // three times the subscribers' slots
    try (TestDaemon daemon = new TestDaemon()) {
      ProgramInC publisher = start(daemon, "publisher", "two", "0", "2");
      String port = port(publisher);
      List<ProgramInC> subscribers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        subscribers.add(
            start(
                daemon, "subscriber", "one", TestDaemon.ADDRESS_TWO, port, String.valueOf(texts)));
      }
      List<String> published = IntStream.range(0, texts).mapToObj(i -> "text € " + i).toList();
      publisher.write(String.join("\n", published) + "\n");
      publisher.closeInput();
      for (ProgramInC subscriber : subscribers) {
        assertThat(subscriber.finish()).isEqualTo(published);
      }
      assertThat(publisher.finish()).isEmpty();
    }
  }

  @Test
  void shouldCopyAFile() throws Exception {
    Path source = directory.resolve("source");
    Path sink = directory.resolve("sink");
    byte[] content = new byte[3 * (1 << 20) + 12_345];
    new Random(1).nextBytes(content);
    Files.write(source, content);
    try (TestDaemon daemon = new TestDaemon()) {
      ProgramInC receiver = start(daemon, "file_copy", "receive", "two", "0", sink.toString());
      ProgramInC sender =
          start(
              daemon,
              "file_copy",
              "send",
              "one",
              TestDaemon.ADDRESS_TWO,
              port(receiver),
              source.toString());
      assertThat(sender.finish())
          .containsExactly(
              "1048576 of 3158073",
              "2097152 of 3158073",
              "3145728 of 3158073",
              "3158073 of 3158073");
      assertThat(receiver.finish()).isEmpty();
    }
    assertThat(Files.readAllBytes(sink)).isEqualTo(content);
  }

  @Test
  void shouldTimeEachRoundTripOfWrites() throws Exception {
    try (TestDaemon daemon = new TestDaemon()) {
      ProgramInC server = start(daemon, "ping_pong", "serve", "two", "0");
      ProgramInC client =
          start(daemon, "ping_pong", "play", "one", TestDaemon.ADDRESS_TWO, port(server), "200");
      String time = " [0-9]+[.][0-9] us";
      assertThat(client.finish())
          .singleElement()
          .asString()
          .matches("200 rounds: p50%1$s, p99%1$s, p99.9%1$s, max%1$s".formatted(time));
      assertThat(server.finish()).isEmpty();
    }
  }

  @Test
  void shouldGoOnCountingWhenTheDaemonIsKilled() throws Exception {
    DaemonProcess daemon = DaemonProcess.start(directory);
    try {
      Path socket = DaemonProcess.socket(directory);
      ProgramInC owner = start(socket, "survivor", "own", "two", "0");
      String port = port(owner);
      ProgramInC client =
          start(socket, "survivor", "draw", "one", TestDaemon.ADDRESS_TWO, port, "100000");
      List<Long> drawn = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        drawn.add(Long.valueOf(client.line()));
      }
      daemon.kill();
      daemon = DaemonProcess.start(directory);
      // The same port with the next daemon.
      assertThat(port(owner)).isEqualTo(port);
      for (int i = 0; i < 100; i++) {
        drawn.add(Long.valueOf(client.line()));
      }
      assertThat(drawn).startsWith(0L, 1L, 2L).isSorted().doesNotHaveDuplicates();
    } finally {
      daemon.close();
    }
  }
}
