package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.client.CompletionQueue;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionFailedException;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.Listener;
import org.rddp.client.LostRequest;
import org.rddp.client.LostSession;
import org.rddp.client.MemoryRegion;
import org.rddp.client.MemoryWindow;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.client.Reconnect;
import org.rddp.client.RegionOptions;
import org.rddp.client.RegionPiece;
import org.rddp.client.SessionLostException;
import org.rddp.client.SharedReceiveQueue;
import org.rddp.client.types.Access;
import org.rddp.client.types.ListSubject;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SendFlags;
import org.rddp.ipc.linux.SharedMemory;

/** Programs that outlive their daemon, which is killed or stopped and started again. */
@Timeout(120)
class ReconnectTest {
  private static final int PORT = 7471;
  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final InetSocketAddress TWO = new InetSocketAddress("10.0.0.2", PORT);

  @TempDir private Path directory;
  private DaemonProcess daemon;
  private Program writer;
  private Program sink;

  /** A program that records what it is told. */
  private static final class Program implements Reconnect, AutoCloseable {
    final List<LostSession> losses = new ArrayList<>();
    final Rddp session;
    final Duration timeout;
    volatile boolean restored;

    Program(Path directory, String interfaceName, Duration timeout) {
      this.timeout = timeout;
      session =
          Rddp.connect(
              DaemonProcess.socket(directory),
              RddpOptions.defaults().withInterfaceName(interfaceName).withReconnect(this));
    }

    @Override
    public void onLost(LostSession lost) {
      losses.add(lost);
    }

    @Override
    public void onRestored(Rddp same) {
      assertThat(same).isSameAs(session);
      restored = true;
    }

    @Override
    public Duration timeout() {
      return timeout;
    }

    void awaitRestored() {
      while (!restored) {
        assertThat(session.await(TIMEOUT)).isTrue();
        assertThat(session.poll(done -> {}, 16)).isZero();
      }
    }

    @Override
    public void close() {
      session.close();
    }
  }

  @BeforeEach
  void start() throws IOException {
    daemon = DaemonProcess.start(directory);
  }

  /** The number of the file that is mapped at an address. */
  private static String file(MemorySegment memory) throws IOException {
    String address = Long.toHexString(memory.address());
    return Files.readAllLines(Path.of("/proc/self/maps")).stream()
        .filter(line -> line.startsWith(address))
        .map(line -> line.split(" +", -1)[4])
        .findFirst()
        .orElseThrow();
  }

  /** Immutable memory is given to the next daemon as it is, other memory is copied. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldCopyOnlyMemoryThatIsNotImmutable(boolean allowed) throws Exception {
    if (!allowed) {
      daemon.kill();
      daemon = DaemonProcess.startWithoutImmutable(directory);
    }
    open(TIMEOUT);
    boolean immutable = allowed && SharedMemory.canBeImmutable();
    MemoryRegion region = sink.session.allocate(3 << 20, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    region.segment().fill((byte) 9);
    String file = file(region.segment());
    another();
    assertThat(file(region.segment()).equals(file)).isEqualTo(immutable);
    MemoryRegion source = writer.session.allocate(64);
    source.segment().fill((byte) 7);
    Connection[] ends = connect(sink.session.listen(PORT));
    assertThat(ends[0].postWrite(1, source, 0, 64, region.stag(), region.baseTo())).isTrue();
    assertThat(ends[0].postImmediate(2, 0, SendFlags.SIGNALLED)).isTrue();
    assertThat(ends[1].postReceive(3, region, 64, 8)).isTrue();
    complete(sink.session, 1);
    assertThat(region.segment().get(ValueLayout.JAVA_BYTE, 63)).isEqualTo((byte) 7);
    assertThat(region.segment().get(ValueLayout.JAVA_BYTE, 64)).isEqualTo((byte) 9);
  }

  private void open(Duration timeout) {
    writer = new Program(directory, "one", timeout);
    sink = new Program(directory, "two", timeout);
  }

  @AfterEach
  void stop() {
    writer.close();
    sink.close();
    daemon.close();
  }

  private void another() throws Exception {
    daemon.kill();
    daemon = DaemonProcess.start(directory);
    writer.awaitRestored();
    sink.awaitRestored();
  }

  private Connection[] connect(Listener listener) {
    CompletableFuture<Connection> accepted =
        CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
    Connection connection = writer.session.connect(TWO, PrivateData.NONE, TIMEOUT);
    return new Connection[] {connection, accepted.join()};
  }

  /** Polls until so many requests have completed, with success. */
  private static void complete(Rddp session, int count) {
    int[] left = {count};
    while (left[0] > 0) {
      assertThat(session.await(TIMEOUT)).isTrue();
      session.poll(
          done -> {
            assertThat(done.isSuccess()).as(done.toString()).isTrue();
            left[0]--;
          },
          16);
    }
  }

  @Test
  void shouldKeepMemoryAndListenersWhenTheDaemonIsKilled() throws Exception {
    open(TIMEOUT);
    MemoryRegion large = sink.session.allocate(3 << 20, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    MemoryRegion small = sink.session.allocate(100, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    MemoryRegion other = sink.session.allocate(5000, Access.LOCAL_WRITE);
    MemoryRegion source = writer.session.allocate(1 << 20, Access.LOCAL_WRITE);
    MemorySegment before = large.segment();
    source.segment().fill((byte) 7);
    small.segment().fill((byte) 3);
    Listener listener = sink.session.listen(PORT);
    Connection[] old = connect(listener);
    assertThat(old[1].postReceive(3, other, 0, 8)).isTrue();
    assertThat(old[0].postWrite(1, source, 0, 1 << 20, large.stag(), 1 << 20)).isTrue();
    assertThat(old[0].postImmediate(2, 0, SendFlags.SIGNALLED)).isTrue();
    complete(sink.session, 1);
    complete(writer.session, 2);
    long pid = sink.session.daemonPid();
    CompletableFuture<Void> reader =
        CompletableFuture.runAsync(() -> {
          while (!sink.restored) {
            assertThat(before.get(ValueLayout.JAVA_BYTE, 1 << 20)).isEqualTo((byte) 7);
          }
        });

    another();

    reader.join();
    assertThat(sink.losses).hasSize(1);
    assertThat(sink.losses.getFirst().connections()).containsExactly(old[1]);
    assertThat(writer.losses.getFirst().connections()).containsExactly(old[0]);
    assertThat(sink.losses.getFirst().requests()).isEmpty();
    assertThat(writer.losses.getFirst().requests()).isEmpty();
    assertThat(sink.session.daemonPid()).isNotEqualTo(pid).isEqualTo(daemon.pid());
    assertThat(large.segment()).isSameAs(before);
    assertThat(before.asSlice(1 << 20, 1 << 20).mismatch(source.segment())).isEqualTo(-1);
    assertThat(small.segment().get(ValueLayout.JAVA_BYTE, 99)).isEqualTo((byte) 3);

    assertThat(old[0].closeReason()).isEqualTo(Reason.STOPPING);
    assertThatThrownBy(() -> old[0].postReceive(1, source, 0, 1))
        .isInstanceOf(IllegalStateException.class);
    old[0].close();
    assertThat(sink.session.list(ListSubject.LISTENERS))
        .singleElement()
        .asString()
        .contains("\"address\":\"::\"");
    Connection[] next = connect(listener);
    assertThat(next[0].postWrite(1, source, 0, 100, large.stag(), large.baseTo())).isTrue();
    assertThat(next[0].postWrite(2, source, 0, 50, small.stag(), small.baseTo())).isTrue();
    assertThat(next[0].postImmediate(3, 0, SendFlags.SIGNALLED)).isTrue();
    assertThat(next[1].postReceive(4, other, 0, 8)).isTrue();
    complete(sink.session, 1);
    assertThat(before.get(ValueLayout.JAVA_BYTE, 99)).isEqualTo((byte) 7);
    assertThat(small.segment().get(ValueLayout.JAVA_BYTE, 49)).isEqualTo((byte) 7);
    assertThat(small.segment().get(ValueLayout.JAVA_BYTE, 50)).isEqualTo((byte) 3);
  }

  @Test
  void shouldListTheRequestsThatAreLost() throws Exception {
    open(TIMEOUT);
    MemoryRegion memory = sink.session.allocate(4096, Access.LOCAL_WRITE);
    MemoryRegion source = writer.session.allocate(4096);
    SharedReceiveQueue queue = sink.session.createSharedReceiveQueue(4);
    Connection[] ends = connect(sink.session.listen(PORT));
    for (int id = 11; id <= 14; id++) {
      assertThat(ends[1].postReceive(id, memory, 0, 64)).isTrue();
      assertThat(queue.postReceive(100 + id, memory, 0, 64)).isTrue();
    }
    assertThat(ends[0].postSend(21, source, 0, 8, SendFlags.SIGNALLED)).isTrue();
    complete(sink.session, 1);
    complete(writer.session, 1);
    assertThat(ends[0].postSend(22, source, 0, 8, 0)).isTrue();
    complete(sink.session, 1);

    another();

    assertThat(writer.losses.getFirst().requests())
        .containsExactly(new LostRequest(ends[0], null, false, 22));
    assertThat(sink.losses.getFirst().requests())
        .containsExactly(
            new LostRequest(ends[1], null, true, 13),
            new LostRequest(ends[1], null, true, 14),
            new LostRequest(null, queue, true, 111),
            new LostRequest(null, queue, true, 112),
            new LostRequest(null, queue, true, 113),
            new LostRequest(null, queue, true, 114));
    assertThat(queue.outstanding()).isZero();
    assertThat(queue.postReceive(1, memory, 0, 64)).isTrue();
  }

  @Test
  void shouldPassTheCompletionsThatTheDaemonHasLeftBeforeTheLoss() throws Exception {
    open(TIMEOUT);
    MemoryRegion memory = sink.session.allocate(4096, Access.LOCAL_WRITE);
    MemoryRegion source = writer.session.allocate(4096);
    Connection[] ends = connect(sink.session.listen(PORT));
    assertThat(ends[1].postReceive(1, memory, 0, 64)).isTrue();
    assertThat(ends[0].postSend(2, source, 0, 8)).isTrue();
    complete(writer.session, 1);
    TestDaemon.await(() -> counter("two.completions") == 1, "the receive has completed");
    daemon.kill();
    TestDaemon.await(() -> ends[1].closeReason() != null, "the loss is known");

    complete(sink.session, 1);

    assertThat(sink.losses).isEmpty();
    assertThat(sink.session.poll(done -> {}, 1)).isZero();
    assertThat(sink.losses.getFirst().requests()).isEmpty();
  }

  @Test
  void shouldPassTheCompletionsOfEveryQueueBeforeTheLoss() throws Exception {
    open(TIMEOUT);
    MemoryRegion memory = sink.session.allocate(4096, Access.LOCAL_WRITE);
    MemoryRegion source = writer.session.allocate(4096);
    List<CompletionQueue> queues =
        List.of(sink.session.createCompletionQueue(), sink.session.createCompletionQueue());
    for (int i = 0; i < queues.size(); i++) {
      ConnectionOptions options = ConnectionOptions.DEFAULTS.withCompletionQueue(queues.get(i));
      Connection[] ends;
      try (Listener listener = sink.session.listen(TWO, 16, options)) {
        ends = connect(listener);
      }
      assertThat(ends[1].postReceive(i, memory, 0, 64)).isTrue();
      assertThat(ends[0].postSend(2, source, 0, 8)).isTrue();
      complete(writer.session, 1);
    }
    TestDaemon.await(() -> counter("two.completions") == 2, "both receives have completed");
    daemon.kill();
    daemon = DaemonProcess.start(directory);

    // The session polls before its queues, which still have completions of the lost daemon.
    assertThat(sink.session.poll(done -> {}, 16)).isZero();
    assertThat(queues.get(1).poll(done -> assertThat(done.id()).isEqualTo(1), 16)).isOne();
    assertThat(sink.session.poll(done -> {}, 16)).isZero();
    assertThat(sink.losses).isEmpty();
    assertThat(queues.get(0).poll(done -> assertThat(done.isSuccess()).isTrue(), 16)).isOne();
    sink.awaitRestored();

    assertThat(sink.losses.getFirst().requests()).isEmpty();
  }

  @Test
  void shouldEndABlockingCallWithItsDaemon() throws Exception {
    open(TIMEOUT);
    MemoryRegion memory = sink.session.allocate(4096, Access.LOCAL_WRITE);
    Connection[] ends = connect(sink.session.listen(PORT));
    CompletableFuture<Long> received =
        CompletableFuture.supplyAsync(
            () -> ends[1].blocking().receive(memory, 0, 64, Duration.ofMinutes(1)));
    TestDaemon.await(() -> counter("two.requests") == 1, "the call waits");
    daemon.kill();

    assertThatThrownBy(received::join).hasCauseInstanceOf(SessionLostException.class);

    assertThat(sink.losses).isEmpty();
    daemon = DaemonProcess.start(directory);
    sink.awaitRestored();
    assertThat(sink.losses).hasSize(1);
  }

  private long counter(String name) {
    try {
      return TestDaemon.counters(writer.session).get(name);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldFreeWhatWasRestoredAndEndRegionsThatNoOtherDaemonCanHave() throws Exception {
    open(TIMEOUT);
    MemoryRegion large = sink.session.allocate(3 << 20, Access.LOCAL_WRITE);
    MemoryRegion small = sink.session.allocate(100);
    MemoryRegion other = sink.session.allocate(100);
    MemoryRegion part = large.register(4096, 10);
    Connection[] ends = connect(sink.session.listen(PORT));
    MemoryRegion ofConnection = large.register(ends[1], 0, 10, Access.REMOTE_READ);
    SharedMemory own = SharedMemory.create("own", 8192);
    MemoryRegion brought = sink.session.register(own.descriptor().number());
    brought.segment().fill((byte) 5);
    RegionPiece page = new RegionPiece(large, 8192, 4096);
    MemoryRegion pieces =
        sink.session.registerPieces(
            List.of(page, RegionPiece.of(large)), RegionOptions.of(Access.LOCAL_WRITE));
    MemoryRegion alsoBrought =
        sink.session.registerPieces(
            List.of(page, RegionPiece.of(brought)), RegionOptions.of(Access.LOCAL_WRITE));

    another();

    TestDaemon.await(() -> counter("two.stags") == 5, "the regions are registered");
    assertThat(small.stag()).isNotEqualTo(other.stag());
    assertThat(sink.losses.getFirst().regions()).containsOnly(ofConnection, brought, alsoBrought);
    assertThat(brought.segment().get(ValueLayout.JAVA_BYTE, 8191)).isEqualTo((byte) 5);
    assertThatThrownBy(() -> brought.register(0, 1)).hasMessageContaining("ended with its daemon");
    assertThatThrownBy(() -> large.register(ends[1], 0, 10))
        .isInstanceOf(ConnectionFailedException.class);
    for (MemoryRegion region :
        List.of(alsoBrought, pieces, ofConnection, brought, part, large, small, other)) {
      region.close();
    }
    own.close();
    TestDaemon.await(() -> counter("two.stags") == 0, "the regions are deregistered");
    TestDaemon.await(() -> counter("memory_bytes") == 0, "the memory is freed");
    sink.session.allocate(100).close();
  }

  @Test
  void shouldBindWindowsAgainAfterASecondRestartThatIsOrderly() throws Exception {
    open(TIMEOUT);
    MemoryRegion memory = sink.session.allocate(4096, Access.LOCAL_WRITE, Access.MW_BIND);
    MemoryRegion source = writer.session.allocate(4096, Access.LOCAL_WRITE);
    MemoryWindow window = sink.session.allocateWindow();
    Listener listener = sink.session.listen(PORT);
    memory.segment().set(ValueLayout.JAVA_LONG, 8, 99);
    another();
    sink.restored = false;
    writer.restored = false;
    daemon.stop();
    daemon = DaemonProcess.start(directory);
    writer.awaitRestored();
    sink.awaitRestored();

    Connection[] ends = connect(listener);
    assertThat(
            ends[1]
                .localOperations()
                .postBind(1, window, memory, 8, 8, Access.bits(Access.REMOTE_READ), 0))
        .isTrue();
    complete(sink.session, 1);
    assertThat(sink.losses).hasSize(2);
    assertThat(ends[0].postRead(2, source, 0, 8, window.stag(), 0)).isTrue();
    complete(writer.session, 1);
    assertThat(source.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(99);
  }

  @Test
  void shouldGiveUpWhenNoDaemonComesInTime() throws Exception {
    open(Duration.ZERO);
    daemon.kill();

    assertThatThrownBy(
            () -> {
              while (true) {
                sink.session.await(TIMEOUT);
                sink.session.poll(done -> {}, 1);
              }
            })
        .isInstanceOf(SessionLostException.class)
        .hasMessageContaining("has not been restored")
        .hasMessageContaining("start the daemon");
    assertThatThrownBy(() -> sink.session.poll(done -> {}, 1))
        .isInstanceOf(SessionLostException.class);
    assertThat(sink.losses).hasSize(1);
  }
}
