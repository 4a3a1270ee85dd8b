package org.rddp.daemon.replacement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.snapshot.Snapshot;
import org.rddp.snapshot.SnapshotException;
import org.rddp.snapshot.SnapshotWriter;

/** Two daemons of one process, and what ends of the connection that do not keep to it can do. */
@Timeout(60)
class ReplacementTest {
  private static final long SOON = TimeUnit.SECONDS.toNanos(20);

  @TempDir private Path directory;
  private final AtomicInteger port = new AtomicInteger();
  private final BlockingQueue<String> log = new LinkedBlockingQueue<>();
  private Path control;
  private Failing old;
  private Failing next;
  private Replacements replacements;

  /** Fails in one of its calls. */
  private static final class Failing extends Counting {
    private String where = "";
    private Throwable failure;
    private Runnable action = () -> {};

    Failing(AtomicInteger port) {
      super(port);
    }

    void failIn(String call, Throwable with) {
      where = call;
      failure = with;
    }

    void runIn(String call, Runnable wanted) {
      where = call;
      failure = null;
      action = wanted;
    }

    @Override
    void onCall(String name) throws ReplacementException {
      super.onCall(name);
      if (name.equals(where)) {
        where = "";
        switch (failure) {
          case null -> action.run();
          case ReplacementException refused -> throw refused;
          case RuntimeException wrong -> throw wrong;
          case Error wrong -> throw wrong;
          default -> throw new AssertionError(failure);
        }
      }
    }
  }

  @BeforeEach
  void start() throws IOException {
    control = directory.resolve("rddpd.sock");
    old = new Failing(port);
    old.number = 42;
    old.run();
    next = new Failing(port);
    replacements = Replacements.start(control, old, log::add);
  }

  @AfterEach
  void end() throws IOException {
    replacements.close();
    assertThat(port.get()).isEqualTo(1);
  }

  private void takeOver() throws ReplacementException {
    new Successor(control, next).takeOver();
  }

  private void shouldGoOn() throws Exception {
    shouldGoOn("");
  }

  private void shouldGoOn(String why) throws Exception {
    assertThat(log.take()).startsWith("another daemon has not got").contains(why);
    assertThat(old.runs).isTrue();
    assertThat(next.runs).isFalse();
    next = new Failing(port);
    takeOver();
    assertThat(next.runs).isTrue();
    assertThat(next.number).isEqualTo(42);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 250, 601})
  void shouldGiveStateAndDescriptorsToTheSuccessor(int count) throws Exception {
    try (SharedMemory memory = SharedMemory.create("test", 4096)) {
      old.with(count, memory.descriptor());
      takeOver();
      assertThat(next.descriptors).hasSize(count);
      for (Descriptor each : next.descriptors) {
        assertThat(each.file()).isEqualTo(memory.descriptor().file());
        each.close();
      }
    }
    assertThat(log.take()).isEqualTo("another daemon has taken this one's place");
    assertThat(old.calls)
        .containsExactly("admit", "rehearse", "memories", "stop", "write", "leave");
    assertThat(next.calls).containsExactly("prepare", "map", "take", "adopt", "begin", "settle");
    assertThat(next.number).isEqualTo(42);
    assertThat(old.runs).isFalse();
    assertThat(next.runs).isTrue();
  }

  /** Its threads use what is closed. */
  @Test
  void shouldWaitForAReplacementIfItIsClosedByAnInterruptedThread() throws Exception {
    CountDownLatch stopping = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    next.failIn("adopt", new ReplacementException("it fails"));
    old.runIn(
        "stop",
        () -> {
          stopping.countDown();
          awaitQuietly(over);
        });
    CompletableFuture<Void> asking =
        CompletableFuture.runAsync(
            () -> assertThatThrownBy(() -> takeOver()).isInstanceOf(IOException.class));
    stopping.await();
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    Thread closing =
        new Thread(() -> {
          Thread.currentThread().interrupt();
          try {
            replacements.close();
          } catch (IOException | RuntimeException e) {
            interrupted.completeExceptionally(e);
          }
          interrupted.complete(Thread.interrupted());
        });
    closing.start();
    while (closing.isAlive() && closing.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    assertThat(interrupted.isDone()).isFalse();
    over.countDown();
    assertThat(interrupted.join()).isTrue();
    assertThat(log.poll()).startsWith("another daemon has not got");
    asking.join();
    replacements = Replacements.start(control, old, log::add);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldGoOnAfterATrial() throws Exception {
    new Successor(control, next).check();
    assertThat(log.take()).contains("could have it");
    assertThat(old.calls)
        .containsExactly("admit", "rehearse", "memories", "stop", "write", "resume");
    assertThat(next.calls).containsExactly("prepare", "map", "take", "adopt", "release", "discard");
    assertThat(old.runs).isTrue();
    next = new Failing(port);
    takeOver();
  }

  @Test
  void shouldRefuseBeforeAnybodyPrepares() throws Exception {
    old.failIn("admit", new ReplacementException("other interfaces"));
    assertThatThrownBy(this::takeOver).hasMessage("other interfaces");
    assertThat(old.calls).containsExactly("admit");
    assertThat(next.calls).containsExactly("release", "discard");
    shouldGoOn("other interfaces");
  }

  @Test
  void shouldGoOnIfItCannotStop() throws Exception {
    old.failIn("stop", new ReplacementException("an engine is stuck"));
    assertThatThrownBy(this::takeOver).hasMessage("an engine is stuck");
    assertThat(next.calls).containsExactly("prepare", "map", "release", "discard");
    shouldGoOn("an engine is stuck");
  }

  @Test
  void shouldSayWhyIfItHasNoMemory() throws Exception {
    old.failIn("write", new OutOfMemoryError("Java heap space"));
    assertThatThrownBy(this::takeOver)
        .isInstanceOf(ReplacementException.class)
        .hasMessage("Java heap space");
    shouldGoOn("Java heap space");
  }

  @Test
  void shouldGoOnIfItsStateCannotBeWritten() throws Exception {
    old.failIn("write", new SnapshotException("there are octet streams"));
    assertThatThrownBy(this::takeOver).hasMessageContaining("there are octet streams");
    assertThat(old.calls)
        .containsExactly("admit", "rehearse", "memories", "stop", "write", "resume");
    shouldGoOn("there are octet streams");
  }

  @ParameterizedTest
  @ValueSource(strings = {"prepare", "take", "adopt"})
  void shouldGoOnIfTheSuccessorRefuses(String call) throws Exception {
    next.failIn(call, new ReplacementException("eth0 is not mine"));
    assertThatThrownBy(this::takeOver).hasMessageContaining("eth0 is not mine");
    assertThat(next.calls.getLast()).isEqualTo("discard");
    shouldGoOn("eth0 is not mine");
  }

  /** As by SIGTERM. */
  @ParameterizedTest
  @ValueSource(strings = {"prepare", "map", "take", "adopt"})
  void shouldGoOnIfTheSuccessorIsStopped(String call) throws Exception {
    Successor successor = new Successor(control, next);
    next.runIn(call, successor::stop);
    assertThatThrownBy(successor::takeOver).isInstanceOf(ReplacementException.class);
    assertThat(next.calls.getLast()).isEqualTo("discard");
    shouldGoOn();
  }

  @Test
  void shouldTakeThePlaceIfItIsStoppedAfterwards() throws Exception {
    Successor successor = new Successor(control, next);
    next.runIn("begin", successor::stop);
    successor.takeOver();
    assertThat(next.runs).isTrue();
    assertThat(log.take()).isEqualTo("another daemon has taken this one's place");
  }

  @Test
  void shouldLogWhyInOneLine() throws Exception {
    next.failIn("prepare", new ReplacementException("eth0 is not there\neth1 is not there"));
    assertThatThrownBy(this::takeOver).hasMessageContaining("\neth1");
    shouldGoOn("eth0 is not there; eth1 is not there");
  }

  @Test
  void shouldGoOnIfTheSuccessorFails() throws Exception {
    next.failIn("adopt", new IllegalStateException("an error"));
    assertThatThrownBy(this::takeOver).isInstanceOf(IllegalStateException.class);
    assertThat(next.calls.getLast()).isEqualTo("discard");
    shouldGoOn();
  }

  @Test
  void shouldRefuseASuccessorWithAnotherFormat() throws Exception {
    try (ReplacementChannel channel = connect()) {
      channel.send(Message.of(Message.Kind.ASK, Snapshot.FORMAT + 1, 0), SOON);
      assertThatThrownBy(() -> channel.receive(Message.Kind.GRANTED, SOON))
          .isInstanceOf(ReplacementException.class)
          .hasMessage(
              "the daemon that runs writes snapshots of format %d, and the new one reads format %d",
              Snapshot.FORMAT, Snapshot.FORMAT + 1);
    }
    assertThat(old.calls).isEmpty();
    shouldGoOn();
  }

  private static Message ask() {
    return new Message(Message.Kind.ASK, Snapshot.FORMAT, 0, "one", List.of());
  }

  private ReplacementChannel connect() throws ReplacementException {
    return ReplacementChannel.connect(ReplacementSocket.pathFor(control));
  }

  /** The successor's process ends, after it has said so much. */
  @ParameterizedTest
  @EnumSource(
      value = Message.Kind.class,
      names = {"ASK", "NEXT", "PREPARED", "STATE"})
  void shouldGoOnIfTheSuccessorEnds(Message.Kind last) throws Exception {
    old.with(1, Descriptor.duplicate(0));
    try (ReplacementChannel channel = connect()) {
      channel.send(ask(), SOON);
      channel.receive(Message.Kind.GRANTED, SOON);
      if (last != Message.Kind.ASK) {
        channel.send(Message.of(Message.Kind.NEXT), SOON);
        channel.receive(Message.Kind.DESCRIPTORS, SOON);
      }
      if (last == Message.Kind.PREPARED || last == Message.Kind.STATE) {
        channel.send(Message.of(Message.Kind.PREPARED), SOON);
        channel.receive(Message.Kind.STOPPED, SOON);
        channel.receive(Message.Kind.STATE, SOON).descriptors().getFirst().close();
      }
      if (last == Message.Kind.STATE) {
        channel.receive(Message.Kind.DESCRIPTORS, SOON).descriptors().forEach(Descriptor::close);
      }
    }
    shouldGoOn();
    next.descriptors.forEach(Descriptor::close);
  }

  /** The process of the daemon that runs ends, after it has said so much. */
  @ParameterizedTest
  @EnumSource(
      value = Message.Kind.class,
      names = {"GRANTED", "STATE"})
  void shouldGiveUpIfThePredecessorEnds(Message.Kind last) throws Exception {
    Path other = directory.resolve("other.sock");
    try (ReplacementSocket socket = ReplacementSocket.bind(other)) {
      Thread process =
          Thread.ofPlatform()
              .start(() -> {
                try (ReplacementChannel channel = socket.accept()) {
                  channel.receive(Message.Kind.ASK, SOON);
                  channel.send(Message.of(Message.Kind.GRANTED), SOON);
                  channel.receive(Message.Kind.NEXT, SOON);
                  channel.send(Message.of(Message.Kind.DESCRIPTORS), SOON);
                  channel.receive(Message.Kind.PREPARED, SOON);
                  channel.send(Message.of(Message.Kind.STOPPED, "devices"), SOON);
                  if (last == Message.Kind.STATE) {
                    byte[] octets = written();
                    int length = octets.length;
                    try (Descriptor memory = SnapshotMemory.of(octets)) {
                      channel.send(
                          new Message(Message.Kind.STATE, length, 0, "", List.of(memory)), SOON);
                    }
                    channel.receive(Message.Kind.ADOPTED, SOON);
                  }
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              });
      assertThatThrownBy(() -> new Successor(other, next).takeOver())
          .isInstanceOf(ReplacementException.class)
          .hasMessageContaining("has ended");
      process.join();
    }
    assertThat(next.calls).doesNotContain("begin").endsWith("discard");
  }

  /** GO comes in time, when the wait has just ended, or too late. */
  @Test
  void shouldReceiveEachMessageThatTheOtherEndCouldSend() throws Exception {
    Path other = directory.resolve("other.sock");
    try (ReplacementSocket socket = ReplacementSocket.bind(other)) {
      for (int race = 0; race < 2000; race++) {
        try (ReplacementChannel here =
                ReplacementChannel.connect(ReplacementSocket.pathFor(other));
            ReplacementChannel there = socket.accept()) {
          CompletableFuture<Boolean> sends =
              CompletableFuture.supplyAsync(
                  () -> succeeds(() -> there.send(Message.of(Message.Kind.GO), 0)));
          for (int i = race % 200; i > 0; i--) {
            Thread.onSpinWait();
          }
          boolean has = succeeds(() -> here.receiveOrRefuse(Message.Kind.GO, 0));
          assertThat(sends.join()).isEqualTo(has);
        }
      }
    }
  }

  @Test
  void shouldNotBeSentToWhenItHasStoppedWaiting() throws Exception {
    Path other = directory.resolve("other.sock");
    try (ReplacementSocket socket = ReplacementSocket.bind(other);
        ReplacementChannel here = ReplacementChannel.connect(ReplacementSocket.pathFor(other));
        ReplacementChannel there = socket.accept()) {
      assertThatThrownBy(() -> here.receiveOrRefuse(Message.Kind.GO, 0))
          .hasMessageContaining("has not answered");
      assertThatThrownBy(() -> there.send(Message.of(Message.Kind.GO), SOON))
          .isInstanceOf(EOFException.class);
    }
  }

  /** The kernel reports the reset first. */
  @Test
  void shouldReceiveWhatAKilledEndHasSent() throws Exception {
    Path other = directory.resolve("other.sock");
    try (ReplacementSocket socket = ReplacementSocket.bind(other);
        ReplacementChannel here = ReplacementChannel.connect(ReplacementSocket.pathFor(other))) {
      try (ReplacementChannel there = socket.accept()) {
        here.send(Message.of(Message.Kind.ADOPTED), SOON);
        there.send(Message.of(Message.Kind.GO), SOON);
      }
      here.receiveOrRefuse(Message.Kind.GO, 0);
    }
  }

  /** An action on a channel. */
  private interface Action {
    void run() throws IOException;
  }

  private static boolean succeeds(Action action) {
    try {
      action.run();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private byte[] written() throws ReplacementException {
    SnapshotWriter writer = new SnapshotWriter();
    old.write(writer);
    return writer.finish();
  }

  @Test
  void shouldTellASecondSuccessorWhoTheFirstIs() throws Exception {
    try (ReplacementChannel first = connect()) {
      first.send(ask(), SOON);
      first.receive(Message.Kind.GRANTED, SOON);
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(this::takeOver)
            .hasMessage(
                "another daemon, pid %d, is taking its place", ProcessHandle.current().pid());
        next = new Failing(port);
      }
    }
    shouldGoOn("has ended");
  }

  @Test
  void shouldGoOnAfterNonsense() throws Exception {
    try (ReplacementChannel channel = connect()) {
      channel.send(Message.of(Message.Kind.ADOPTED), SOON);
      assertThatThrownBy(() -> channel.receive(Message.Kind.GO, SOON))
          .hasMessageContaining("says ADOPTED where ASK was due");
    }
    shouldGoOn();
  }

  @Test
  void shouldRefuseMessagesThatSayTheyAreLonger() {
    byte[] octets = Message.of(Message.Kind.ASK).encode();
    ByteBuffer.wrap(octets).putInt(octets.length - Integer.BYTES, Integer.MAX_VALUE);
    assertThatThrownBy(() -> Message.decode(octets, List.of()))
        .isInstanceOf(ReplacementException.class)
        .hasMessageContaining("a wrong message");
  }

  @Test
  void shouldCloseDescriptorsThatASuccessorSends() throws Exception {
    PairedSocket[] pair = PairedSocket.ofMessages("test");
    try (ReplacementChannel channel = connect()) {
      channel.send(
          new Message(Message.Kind.ASK, Snapshot.FORMAT, 0, "one", List.of(pair[1].descriptor())),
          SOON);
      pair[1].close();
      assertThatThrownBy(() -> channel.receive(Message.Kind.GRANTED, SOON))
          .hasMessageContaining("has sent descriptors with ASK");
      assertThat(pair[0].isPeerClosed()).isTrue();
    }
    pair[0].close();
    shouldGoOn("has sent descriptors with ASK");
  }

  @Test
  void shouldNotWaitForAnEndThatSaysNothing() throws Exception {
    try (ReplacementChannel channel = connect()) {
      assertThatThrownBy(() -> channel.receive(Message.Kind.GRANTED, 1_000_000))
          .isInstanceOf(ReplacementException.class)
          .hasMessageContaining(
              "has not answered within 1 ms: it is stopped, or gets no processor");
    }
    assertThat(log.take()).contains("has ended");
  }

  @Test
  void shouldListenForItsUserOnly() throws Exception {
    Path path = ReplacementSocket.pathFor(control);
    assertThat(Files.getPosixFilePermissions(path))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
  }

  @Test
  void shouldSayWhenNobodyListens() {
    assertThatThrownBy(() -> new Successor(directory.resolve("none"), next).takeOver())
        .isInstanceOf(ReplacementException.class)
        .hasMessageContaining("no daemon that can be replaced runs at this control socket")
        .hasMessageContaining("leave out --replace");
    assertThat(next.calls).containsExactly("discard");
  }

  @Test
  void shouldTakeThePlaceOfAKilledDaemonsSocket() throws Exception {
    Path left = directory.resolve("left.sock");
    ReplacementSocket.bind(left).leave();
    ReplacementSocket.bind(left).close();
    assertThat(ReplacementSocket.pathFor(left)).doesNotExist();
  }
}
