package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;

import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RefusedException;
import org.rddp.client.ScatterList;
import org.rddp.client.SharedReceiveQueue;
import org.rddp.client.types.Access;
import org.rddp.client.types.ListSubject;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;
import org.rddp.client.types.SendFlags;
import org.rddp.ipc.ring.ConnectionId;

/** Shared receive queues between two programs. */
@Timeout(60)
class SharedReceiveQueuesTest {
  private static final int SIZE = 16;
  private static final int HELD = 1 << 16;

  private final TestDaemon daemon = new TestDaemon();
  private final Rddp here = daemon.connect("one");
  private final Rddp there = daemon.connect("two");
  private final MemoryRegion source = here.allocate(4096, Access.LOCAL_WRITE);
  private final MemoryRegion sink = there.allocate(4096, Access.LOCAL_WRITE);
  private final SharedReceiveQueue queue = there.createSharedReceiveQueue(SIZE);
  private final List<Listener> listeners = new ArrayList<>();

  @AfterEach
  void close() {
    here.close();
    there.close();
    daemon.close();
  }

  /** Opens connections whose accepting ends use the shared queue. */
  private List<Connection[]> connect(int number, int held) {
    ConnectionOptions options =
        ConnectionOptions.DEFAULTS.withReceiveQueue(queue).withHeldOctets(held);
    Listener listener = there.listen(new InetSocketAddress(0), 8, options);
    listeners.add(listener);
    List<Connection[]> made = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
      InetSocketAddress address = new InetSocketAddress("10.0.0.2", listener.address().getPort());
      Connection out = here.connect(address, PrivateData.NONE, TIMEOUT);
      made.add(new Connection[] {out, accepted.join()});
    }
    return made;
  }

  private void post(int... ids) {
    for (int id : ids) {
      assertThat(queue.postReceive(id, sink, 64L * id, 64)).isTrue();
    }
  }

  private void send(Connection out, int value) {
    source.segment().set(ValueLayout.JAVA_INT, 4L * value, value);
    assertThat(out.postSend(value, source, 4L * value, 4)).isTrue();
  }

  /** The next completed receives: id, connection, status and the message's number. */
  private List<String> received(int number) {
    List<String> lines = new ArrayList<>();
    TestDaemon.await(
        () -> {
          there.poll(
              completion -> {
                assertThat(completion.receiveQueue()).isNotZero();
                long at = 64 * completion.id();
                lines.add(
                    "%d on %08x %s %d"
                        .formatted(
                            completion.id(),
                            completion.connectionId(),
                            completion.status(),
                            sink.segment().get(ValueLayout.JAVA_INT, at)));
              },
              number - lines.size());
          return lines.size() == number;
        },
        number + " receives have ended");
    return lines;
  }

  private static String line(int id, Connection in, String status, int value) {
    return "%d on %08x %s %d".formatted(id, in.id(), status, value);
  }

  @Test
  void shouldServeMessagesOfAllConnections() {
    List<Connection[]> pairs = connect(3, 0);
    post(0, 1, 2, 3);
    assertThat(queue.outstanding()).isEqualTo(4);
    send(pairs.get(2)[0], 7);
    assertThat(received(1)).containsExactly(line(0, pairs.get(2)[1], "SUCCESS", 7));
    send(pairs.get(0)[0], 8);
    assertThat(received(1)).containsExactly(line(1, pairs.get(0)[1], "SUCCESS", 8));
    send(pairs.get(2)[0], 9);
    assertThat(received(1)).containsExactly(line(2, pairs.get(2)[1], "SUCCESS", 9));
    assertThat(queue.outstanding()).isEqualTo(1);
    assertThat(pairs.get(2)[1].receivesOutstanding()).isZero();
  }

  @Test
  void shouldPlaceIntoScatterLists() {
    List<Connection[]> pairs = connect(1, 0);
    ScatterList list = new ScatterList().add(sink, 0, 2).add(sink, 100, 50);
    assertThat(queue.postReceive(0, list)).isTrue();
    source.segment().set(ValueLayout.JAVA_INT, 0, 0x0102_0304);
    assertThat(pairs.get(0)[0].postSend(1, source, 0, 4)).isTrue();
    received(1);
    assertThat(sink.segment().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo((byte) 4);
    assertThat(sink.segment().get(ValueLayout.JAVA_BYTE, 101)).isEqualTo((byte) 1);
    assertThat(sink.segment().get(ValueLayout.JAVA_BYTE, 2)).isZero();
  }

  @Test
  void shouldNameTheEndedConnectionWhosePlaceAnotherHasTaken() {
    Connection[] pair = connect(1, 0).get(0);
    post(0);
    send(pair[0], 7);
    pair[0].disconnect();
    TestDaemon.await(pair[1]::isPeerClosed, "the message and the end have come");
    pair[1].abort();
    assertThat(pair[1].awaitClosed(TIMEOUT)).isTrue();
    int place = ConnectionId.index(pair[1].id());
    while (ConnectionId.index(connect(1, 0).get(0)[1].id()) != place) {
      assertThat(there.list(ListSubject.CONNECTIONS)).hasSizeLessThan(8);
    }
    List<Connection> named = new ArrayList<>();
    TestDaemon.await(
        () -> there.poll(completion -> named.add(completion.connection()), 1) == 1,
        "the receive has completed");
    assertThat(named).containsExactly(pair[1]);
  }

  @Test
  @Tag("DDP-7.1-02")
  void shouldEndAConnectionWithoutAReceive() {
    List<Connection[]> pairs = connect(2, 0);
    send(pairs.get(0)[0], 1);
    assertThat(pairs.get(0)[1].awaitClosed(TIMEOUT)).isTrue();
    assertThat(pairs.get(0)[1].closeReason()).isEqualTo(Reason.DDP_ERROR);
    post(0);
    send(pairs.get(1)[0], 2);
    assertThat(received(1)).containsExactly(line(0, pairs.get(1)[1], "SUCCESS", 2));
  }

  @Test
  void shouldServeWaitingConnectionsRoundRobin() {
    List<Connection[]> pairs = connect(3, HELD);
    for (int message = 0; message < 3; message++) {
      for (int i = 0; i < 3; i++) {
        send(pairs.get(i)[0], 10 * message + i);
      }
    }
    TestDaemon.await(
        () -> daemon.daemon().engines().get(1).ddp().receiveCounters().segmentsHeld == 9,
        "all messages are held");
    post(0, 1, 2, 3, 4, 5, 6, 7, 8);
    List<String> lines = received(9);
    for (int i = 0; i < 3; i++) {
      String connection = "%08x".formatted(pairs.get(i)[1].id());
      for (int turn = 0; turn < 3; turn++) {
        assertThat(lines.subList(3 * turn, 3 * turn + 3))
            .as("one for each connection")
            .filteredOn(line -> line.contains(connection))
            .hasSize(1);
      }
    }
  }

  @Test
  void shouldKeepItsReceivesWhenConnectionsEnd() {
    List<Connection[]> pairs = connect(2, 0);
    post(0, 1);
    pairs.get(0)[1].abort();
    assertThat(pairs.get(0)[1].awaitClosed(TIMEOUT)).isTrue();
    send(pairs.get(1)[0], 5);
    assertThat(received(1)).containsExactly(line(0, pairs.get(1)[1], "SUCCESS", 5));
    assertThat(queue.outstanding()).isEqualTo(1);
  }

  @Test
  @Tag("RDMAP-8.1.2-08")
  @Tag("DDP-8.3.2-06")
  void shouldWakeTheProgramAtTheLimit() {
    List<Connection[]> pairs = connect(1, 0);
    post(0, 1, 2);
    queue.arm(2);
    send(pairs.get(0)[0], 1);
    received(1);
    assertThat(queue.isLimitReached()).isFalse();
    send(pairs.get(0)[0], 2);
    received(1);
    TestDaemon.await(
        () -> {
          there.await(Duration.ofMillis(10));
          return queue.isLimitReached();
        },
        "the limit is told");
    queue.arm(1);
    assertThat(queue.isLimitReached()).as("one is left").isFalse();
    queue.arm(5);
    TestDaemon.await(queue::isLimitReached, "it is so already");
  }

  @Test
  void shouldNotCloseWhileInUse() {
    List<Connection[]> pairs = connect(1, 0);
    post(0, 1);
    assertRefused(queue::close, Reason.STATE, "2 connections or listeners");
    listeners.getFirst().close();
    assertRefused(queue::close, Reason.STATE, "1 connections or listeners");
    pairs.get(0)[0].disconnect();
    pairs.get(0)[1].close();
    queue.close();
    assertThat(received(2)).containsExactly("0 on 00000000 FLUSHED 0", "1 on 00000000 FLUSHED 0");
    assertThat(queue.outstanding()).isZero();
    assertThatThrownBy(() -> post(2)).hasMessageContaining("closed");
    queue.close();
  }

  @Test
  @Tag("RDMAP-8.1.2-05")
  void shouldRejectInvalidRequests() {
    List<Connection[]> pairs = connect(1, 0);
    assertThatThrownBy(() -> pairs.get(0)[1].postReceive(1, sink, 0, 64))
        .hasMessageContaining("post them there");
    assertThatThrownBy(() -> queue.postReceive(1, source, 0, 64))
        .hasMessageContaining("another session");
    assertThatThrownBy(() -> queue.postReceive(1, there.allocate(64), 0, 64))
        .hasMessageContaining("LOCAL_WRITE");
    assertThatThrownBy(() ->
            here.connect(
                ConnectedPrograms.TWO,
                PrivateData.NONE,
                TIMEOUT,
                ConnectionOptions.DEFAULTS.withReceiveQueue(queue)))
        .hasMessageContaining("another session");
    assertThatThrownBy(() -> ConnectionOptions.plainDdp(1).withReceiveQueue(queue))
        .hasMessageContaining("RDMAP");
    for (int i = 0; i < SIZE; i++) {
      post(i);
    }
    assertThat(queue.postReceive(99, sink, 0, 64)).isFalse();
    assertRefused(() -> there.createSharedReceiveQueue(0), Reason.INVALID, "0 receives");
    int most = there.limits().completions();
    assertRefused(() -> there.createSharedReceiveQueue(most), Reason.LIMIT, "shared queues");
    there.createSharedReceiveQueue(most - SIZE).close();
    there.createSharedReceiveQueue(most - SIZE).close();
  }

  /** A Write with immediate data, in pieces, consumes a receive. */
  @Test
  void shouldReceiveImmediateData() {
    List<Connection[]> pairs = connect(1, 0);
    MemoryRegion target = there.allocate(64, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    source.segment().fill((byte) 3);
    post(0);
    ScatterList list = new ScatterList().add(source, 0, 5).add(source, 100, 2);
    assertThat(
            pairs.get(0)[0].postWriteImmediate(
                1, list, target.stag(), target.baseTo(), 77, SendFlags.SIGNALLED))
        .isTrue();
    long[] number = new long[1];
    TestDaemon.await(
        () -> there.poll(completion -> number[0] = completion.immediate(), 1) == 1, "it has come");
    assertThat(number[0]).isEqualTo(77);
    assertThat(target.segment().asSlice(0, 8).toArray(ValueLayout.JAVA_BYTE))
        .containsExactly(3, 3, 3, 3, 3, 3, 3, 0);
  }

  private static void assertRefused(ThrowingCallable call, Reason reason, String text) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            RefusedException.class, e -> assertThat(e.reason()).isEqualTo(reason))
        .hasMessageContaining(text);
  }
}
