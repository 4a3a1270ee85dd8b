package org.rddp.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.Rddp;
import org.rddp.client.RddpException;
import org.rddp.client.types.PrivateData;
import org.rddp.daemon.TestDaemon;

/** Runs every example between two interfaces of a daemon. */
@Timeout(60)
class ExamplesTest {
  private static final Duration STEP = Duration.ofMillis(100);
  private static final int MOST_LINES = 120;

  private final TestDaemon daemon = new TestDaemon();
  private final Rddp here = daemon.connect("one");
  private final Rddp there = daemon.connect("two");
  private final AtomicBoolean over = new AtomicBoolean();

  @TempDir private Path directory;

  @AfterEach
  void close() {
    here.close();
    there.close();
    daemon.close();
  }

  private static InetSocketAddress at(int port) {
    return new InetSocketAddress(TestDaemon.ADDRESS_TWO, port);
  }

  /** Repeats a step of a server until the test is over. */
  private CompletableFuture<Void> serve(Runnable step) {
    return repeat(() -> !over.get(), step);
  }

  private static CompletableFuture<Void> repeat(BooleanSupplier condition, Runnable step) {
    return CompletableFuture.runAsync(
        () -> {
          while (condition.getAsBoolean()) {
            step.run();
          }
        },
        // On two cores the common pool has one thread.
        steps -> Thread.ofPlatform().daemon().start(steps));
  }

  @Test
  void shouldBeShort() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      List<Path> sources = files.filter(file -> file.toString().endsWith(".java")).toList();
      assertThat(sources).hasSizeGreaterThan(5);
      for (Path source : sources) {
        assertThat(Files.readAllLines(source)).as(source.toString()).hasSizeLessThan(MOST_LINES);
      }
    }
  }

  @Test
  void shouldDrawEachNumberOnce() {
    AtomicCounter.Owner owner = new AtomicCounter.Owner(there, 0);
    CompletableFuture<Void> server = serve(() -> owner.accept(STEP));
    try (AtomicCounter.Client one = new AtomicCounter.Client(here, at(owner.port()));
        Rddp other = daemon.connect("one");
        AtomicCounter.Client two = new AtomicCounter.Client(other, at(owner.port()))) {
      assertThat(List.of(one.next(), two.next(), two.next(), one.next()))
          .containsExactly(0L, 1L, 2L, 3L);
    }
    over.set(true);
    server.join();
    owner.close();
  }

  @Test
  void shouldReadWholeValuesWhileTheyAreChanged() {
    try (KeyValueStore.Server store = new KeyValueStore.Server(there, 0, 16)) {
      CompletableFuture<Void> server = serve(() -> store.accept(STEP));
      try (KeyValueStore.Reader reader = new KeyValueStore.Reader(here, at(store.port()))) {
        assertThat(reader.get(3)).isEmpty();
        store.put(3, "größer");
        assertThat(reader.get(3)).isEqualTo("größer");
        List<String> values = List.of("a".repeat(200), "b".repeat(120));
        store.put(5, values.getFirst());
        int[] turn = {0};
        AtomicBoolean putting = new AtomicBoolean(true);
        CompletableFuture<Void> writer =
            repeat(
                putting::get,
                () -> {
                  store.put(5, values.get(turn[0]++ % 2));
                  LockSupport.parkNanos(10_000);
                });
        for (int i = 0; i < 200; i++) {
          assertThat(values).contains(reader.get(5));
        }
        putting.set(false);
        writer.join();
        assertThat(reader.get(4)).isEmpty();
      }
      over.set(true);
      server.join();
    }
  }

  @Test
  void shouldPublishToEverySubscriberInOrder() {
    int texts = 200; // three times the subscribers' slots
    try (Publisher publisher = new Publisher(there, 0);
        Rddp second = daemon.connect("one")) {
      List<List<String>> received = List.of(new ArrayList<>(), new ArrayList<>());
      List<CompletableFuture<Void>> subscribers = new ArrayList<>();
      for (Rddp session : List.of(here, second)) {
        List<String> list = received.get(subscribers.size());
        subscribers.add(
            CompletableFuture.runAsync(
                () -> Subscriber.subscribe(session, at(publisher.port()), texts, list::add)));
      }
      TestDaemon.await(() -> publisher.serve() == 2, "both have subscribed");
      List<String> published = IntStream.range(0, texts).mapToObj(i -> "text € " + i).toList();
      for (String text : published) {
        TestDaemon.await(() -> publisher.serve() == 2 && publisher.hasRoom(), "there is room");
        assertThat(publisher.publish(text)).isEqualTo(2);
      }
      TestDaemon.await(
          () -> {
            publisher.serve();
            return subscribers.stream().allMatch(CompletableFuture::isDone);
          },
          "both have all texts");
      subscribers.forEach(CompletableFuture::join);
      assertThat(received).containsExactly(published, published);
    }
  }

  @Test
  void shouldCopyAFile() throws Exception {
    Path source = directory.resolve("source");
    Path sink = directory.resolve("sink");
    byte[] content = new byte[3 * (1 << 20) + 12_345];
    new Random(1).nextBytes(content);
    Files.write(source, content);
    List<Long> progress = new ArrayList<>();
    try (Listener listener = FileCopy.listen(there, 0)) {
      CompletableFuture<Long> received =
          CompletableFuture.supplyAsync(() -> {
            try {
              return FileCopy.receive(there, listener, sink);
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          });
      FileCopy.send(here, at(listener.address().getPort()), source, progress::add);
      assertThat(received.get()).isEqualTo(content.length);
    }
    assertThat(Files.readAllBytes(sink)).isEqualTo(content);
    assertThat(progress).containsExactly(1L << 20, 2L << 20, 3L << 20, (long) content.length);
  }

  @Test
  void shouldTimeEachRoundTripOfWrites() {
    try (Listener listener = there.listen(0)) {
      CompletableFuture<Void> server =
          CompletableFuture.runAsync(
              () -> PingPong.serve(there, listener), Thread.ofPlatform().daemon()::start);
      Histogram times = PingPong.play(here, at(listener.address().getPort()), 200);
      assertThat(times.getTotalCount()).isEqualTo(200);
      assertThat(times.getMinValue()).isPositive();
      server.join();
    }
  }

  @Test
  void shouldAnswerManyClientsFromOneQueueOfReceives() {
    try (RequestReply.Server server = new RequestReply.Server(there, 0, 4)) {
      CompletableFuture<Void> serving = serve(() -> server.serve(STEP));
      for (int i = 0; i < 12; i++) {
        assertThat(RequestReply.ask(here, at(server.port()), "grün " + i)).isEqualTo("GRÜN " + i);
      }
      over.set(true);
      serving.join();
    }
  }

  /** Some give up between the moment in which the server hears of them and its answer. */
  @Test
  void shouldServeOthersWhenClientsGiveUp() {
    try (RequestReply.Server server = new RequestReply.Server(there, 0, 4)) {
      CompletableFuture<Void> serving = serve(() -> server.serve(STEP));
      for (int i = 0; i < 100; i++) {
        Duration patience = Duration.ofMillis(1 + i % 20);
        try (Connection _ = here.connect(at(server.port()), PrivateData.NONE, patience)) {
          // It was in time.
        } catch (RddpException givenUp) {
          // It was not.
        }
      }
      assertThat(RequestReply.ask(here, at(server.port()), "a")).isEqualTo("A");
      over.set(true);
      serving.join();
    }
  }
}
