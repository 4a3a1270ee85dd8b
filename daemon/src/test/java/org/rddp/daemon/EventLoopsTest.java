package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionFailedException;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpException;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.PollSet;

/** Programs that wait for several things, or that must not block. */
@Timeout(60)
class EventLoopsTest {
  /** Whether a thread of the child process was told of the other one. */
  private static volatile boolean noticed;

  private final TestDaemon daemon = new TestDaemon();
  private final Rddp here = daemon.connect("one");
  private final Rddp there = daemon.connect("two");
  private final MemoryRegion near = here.allocate(64, Access.LOCAL_WRITE);
  private final MemoryRegion far = there.allocate(64, Access.LOCAL_WRITE);
  private final Listener listener = there.listen(0);
  private final InetSocketAddress address =
      new InetSocketAddress(TestDaemon.ADDRESS_TWO, listener.address().getPort());

  @AfterEach
  void close() {
    here.close();
    there.close();
    daemon.close();
  }

  private CompletableFuture<Connection> connectAsync() {
    return here.connectAsync(address, PrivateData.NONE, TIMEOUT, ConnectionOptions.DEFAULTS)
        .toCompletableFuture();
  }

  private static boolean isReadable(int descriptor, long nanos) throws Exception {
    PollSet poll = new PollSet();
    poll.add(Descriptor.of(descriptor));
    return poll.await(nanos) > 0;
  }

  private static void awaitReadable(int descriptor) throws Exception {
    assertThat(isReadable(descriptor, TIMEOUT.toNanos())).isTrue();
  }

  @Test
  void shouldSignalCompletionsAndEventsByADescriptor() throws Exception {
    int descriptor = there.eventDescriptor();
    there.arm();
    assertThat(isReadable(descriptor, 0)).isFalse();
    CompletableFuture<Connection> out = connectAsync();
    awaitReadable(descriptor);
    there.arm();
    IncomingConnection incoming = listener.poll();
    assertThat(incoming).isNotNull();
    Connection in =
        incoming.acceptAsync(PrivateData.NONE).toCompletableFuture().get(10, TimeUnit.SECONDS);
    assertThat(in.postReceive(1, far, 0, 64)).isTrue();
    TestDaemon.await(
        () -> {
          there.arm();
          try {
            return !isReadable(descriptor, 0);
          } catch (Exception e) {
            throw new AssertionError(e);
          }
        },
        "events have been taken");
    assertThat(out.join().postSend(2, near, 0, 8)).isTrue();
    awaitReadable(descriptor);
    there.arm();
    assertThat(isReadable(descriptor, 0)).as("the completion is still there").isTrue();
    assertThat(completions(there, 1)).containsExactly("receive 1 SUCCESS 8");
  }

  @Test
  void shouldConnectAcceptAndCloseWithoutBlocking() throws Exception {
    CompletableFuture<Connection> out = connectAsync();
    Connection in =
        listener
            .await(TIMEOUT)
            .acceptAsync(PrivateData.NONE)
            .toCompletableFuture()
            .get(10, TimeUnit.SECONDS);
    assertThat(out.get(10, TimeUnit.SECONDS).isOpen()).isTrue();
    CompletableFuture<Void> ended = out.join().closeAsync().toCompletableFuture();
    in.closeAsync().toCompletableFuture().get(10, TimeUnit.SECONDS);
    ended.get(10, TimeUnit.SECONDS);
    assertThat(out.join().closeReason()).isEqualTo(Reason.LOCAL_CLOSE);
    assertThat(out.join().closeAsync().toCompletableFuture().get(10, TimeUnit.SECONDS)).isNull();
  }

  @Test
  void shouldFailWithoutBlockingAsTheBlockingCallsDo() throws Exception {
    listener.close();
    assertThatThrownBy(() -> connectAsync().join())
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOfSatisfying(
            ConnectionFailedException.class, e -> assertThat(e.reason()).isEqualTo(Reason.REFUSED));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldEndAWaitWhenTheThreadIsInterrupted(boolean virtual) throws Exception {
    CountDownLatch waits = new CountDownLatch(1);
    FutureTask<Boolean> interrupted =
        new FutureTask<>(() -> {
          waits.countDown();
          try {
            while (here.await(TIMEOUT)) {}
            return false;
          } catch (RddpException e) {
            return Thread.currentThread().isInterrupted();
          }
        });
    Thread thread =
        virtual ? Thread.ofVirtual().start(interrupted) : Thread.ofPlatform().start(interrupted);
    waits.await();
    thread.interrupt();
    assertThat(interrupted.get()).isTrue();
  }

  @Test
  void shouldNotPinVirtualThreads() throws Exception {
    // More waiting threads than a scheduler has carriers, and one that wakes them all.
    int threads = 4 * Runtime.getRuntime().availableProcessors();
    Rddp[] sessions = new Rddp[threads];
    FutureTask<?>[] waits = new FutureTask<?>[threads];
    for (int i = 0; i < threads; i++) {
      sessions[i] = daemon.connect("one");
      Rddp session = sessions[i];
      waits[i] = new FutureTask<>(() -> session.await(TIMEOUT.multipliedBy(2)));
      Thread.ofVirtual().start(waits[i]);
    }
    FutureTask<String> other = new FutureTask<>(() -> "ran");
    Thread.ofVirtual().start(other);
    assertThat(other.get(10, TimeUnit.SECONDS)).isEqualTo("ran");
    for (int i = 0; i < threads; i++) {
      sessions[i].close();
      FutureTask<?> wait = waits[i];
      assertThatThrownBy(wait::get).hasMessageContaining("the session is closed");
    }
  }

  @Test
  void shouldNoticeTwoThreadsInOneSession() throws Exception {
    Process program = ChildJvm.start(EventLoopsTest.class, daemon.socket().toString());
    assertThat(ChildJvm.firstLine(program)).contains(" uses a session in which thread ");
    program.waitFor();
  }

  /** A program with two threads in its session; its argument is the daemon's socket. */
  public static void main(String[] arguments) throws InterruptedException {
    System.setProperty("rddp.client.check-threads", "true");
    try (Rddp session = Rddp.connect(Path.of(arguments[0]))) {
      Thread other = new Thread(() -> useUntilNoticed(session), "other");
      other.start();
      useUntilNoticed(session);
      other.join();
    }
  }

  private static void useUntilNoticed(Rddp session) {
    try {
      while (!noticed) {
        session.poll(completion -> {}, 1);
        session.await(Duration.ofMillis(1));
      }
    } catch (IllegalStateException e) {
      noticed = true;
      System.out.println(e.getMessage());
    }
  }
}
