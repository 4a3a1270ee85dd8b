package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;
import static org.rddp.daemon.ConnectedPrograms.completions;

import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.client.BlockingOperations;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.RequestFailedException;
import org.rddp.client.RequestTimeoutException;
import org.rddp.client.types.Access;
import org.rddp.client.types.CompletionStatus;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.SendFlags;
import org.rddp.ipc.linux.ThreadScheduling;
import org.rddp.ipc.linux.TimeSlice;
import org.rddp.ipc.ring.ConnectionId;

/** What a program learns of requests that fail, and of those that cannot be posted. */
@Timeout(60)
class PostingTest {
  private final ConnectedPrograms programs = new ConnectedPrograms();
  private final Connection out = programs.out;
  private final Connection in = programs.in;
  private final MemoryRegion near = programs.here.allocate(4096, Access.LOCAL_WRITE);
  private final MemoryRegion far =
      programs.there.allocate(
          4096, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ, Access.REMOTE_ATOMIC);
  private final BlockingOperations blocking = out.blocking();

  @AfterEach
  void close() {
    programs.close();
  }

  @Test
  void shouldReturnFromBlockingCallsWhenTheRequestHasSucceeded() {
    near.segment().set(ValueLayout.JAVA_LONG, 0, 40);
    blocking.write(near, 0, 8, far.stag(), 64, TIMEOUT);
    blocking.read(near, 8, 8, far.stag(), 64, TIMEOUT);
    assertThat(near.segment().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(40);
    assertThat(blocking.fetchAdd(near, 16, far.stag(), 64, 2, TIMEOUT)).isEqualTo(40);
    assertThat(blocking.compareSwap(near, 16, far.stag(), 64, 42, 7, TIMEOUT)).isEqualTo(42);
    assertThat(far.segment().get(ValueLayout.JAVA_LONG, 64)).isEqualTo(7);
    assertThat(in.postReceive(1, far, 128, 64)).isTrue();
    blocking.send(near, 0, 8, TIMEOUT);
    assertThat(completions(programs.there, 1)).containsExactly("receive 1 SUCCESS 8");
    assertThat(out.sendsOutstanding()).as("the send, for which nobody waits").isEqualTo(1);
    assertThat(programs.here.poll(completion -> {}, 1)).as("nothing is left to poll").isZero();
  }

  @Test
  void shouldSendMoreShortMessagesByBlockingCallsThanTheQueueHolds() {
    int sends = 3 * programs.here.limits().sendQueue();
    for (int i = 0; i < sends; i++) {
      near.segment().set(ValueLayout.JAVA_INT, 0, i);
      assertThat(in.postReceive(i, far, 0, 64)).isTrue();
      blocking.send(near, 0, 4, TIMEOUT);
      assertThat(completions(programs.there, 1)).containsExactly("receive " + i + " SUCCESS 4");
      assertThat(far.segment().get(ValueLayout.JAVA_INT, 0)).isEqualTo(i);
    }
    assertThat(out.sendsOutstanding()).isLessThan(programs.here.limits().sendQueue() / 2);
    assertThat(programs.here.poll(completion -> {}, 1)).as("nothing is left to poll").isZero();
  }

  @Test
  void shouldPassNoCompletionOfShortBlockingCallsThatFail() {
    blocking.write(near, 0, 8, far.stag() + 0x100, 0, TIMEOUT);
    assertThat(out.awaitClosed(TIMEOUT)).isTrue();
    assertThat(out.postWrite(7, near, 0, 8, far.stag(), 0)).isTrue();
    assertThat(completions(programs.here, 1)).containsExactly("write 7 FLUSHED 0");
    assertThat(out.sendsOutstanding()).isZero();
    assertThatThrownBy(() -> blocking.send(near, 0, 8, TIMEOUT))
        .isInstanceOf(RequestFailedException.class)
        .hasMessageContaining("TERMINATED");
  }

  @Test
  void shouldSendWhatABlockingCallHasLeftBehindBeforeItDisconnects() {
    assertThat(in.postReceive(1, far, 0, 64)).isTrue();
    blocking.send(near, 0, 9, TIMEOUT);
    out.disconnect();
    assertThat(completions(programs.there, 1)).containsExactly("receive 1 SUCCESS 9");
  }

  /** Linux tells the length of slices from 6.12 on. */
  @Test
  void shouldWaitInShortTimeSlices() throws Exception {
    assumeThat(ThreadScheduling.isFiltered()).isFalse();
    FutureTask<long[]> slices =
        new FutureTask<>(() -> {
          long before = TimeSlice.current();
          blocking.read(near, 0, 8, far.stag(), 0, TIMEOUT);
          return new long[] {before, TimeSlice.current()};
        });
    Thread.ofPlatform().start(slices);
    long before = slices.get()[0];
    assertThat(slices.get()[1]).isEqualTo(before == 0 ? 0 : TimeSlice.SHORTEST);
  }

  @Test
  void shouldYieldInShortTimeSlices() throws Exception {
    assumeThat(ThreadScheduling.isFiltered()).isFalse();
    FutureTask<long[]> slices =
        new FutureTask<>(() -> {
          long before = TimeSlice.current();
          programs.here.yieldProcessor();
          return new long[] {before, TimeSlice.current()};
        });
    Thread.ofPlatform().start(slices);
    long before = slices.get()[0];
    assertThat(slices.get()[1]).isEqualTo(before == 0 ? 0 : TimeSlice.SHORTEST);
  }

  @Test
  void shouldNotYieldThroughASessionThatIsClosed() {
    programs.here.close();
    assertThatThrownBy(programs.here::yieldProcessor).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldCheckTheMemoryOfShortBlockingCalls() {
    assertThatThrownBy(() -> blocking.send(near, 4090, 8, TIMEOUT))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void shouldReturnFromABlockingReceiveWithTheLengthOfTheMessage() {
    assertThat(out.postReceive(1, near, 0, 64)).isTrue();
    CompletableFuture<Long> received =
        CompletableFuture.supplyAsync(() -> in.blocking().receive(far, 0, 64, TIMEOUT));
    TestDaemon.await(() -> in.receivesOutstanding() == 1, "the receive is posted");
    assertThat(out.postSend(2, near, 128, 3)).isTrue();
    assertThat(received.join()).isEqualTo(3);
    in.blocking().send(far, 0, 5, TIMEOUT);
    in.blocking().send(far, 0, 6, Duration.ZERO.plus(TIMEOUT));
    assertThat(completions(programs.here, 2))
        .as("the sender's own completions")
        .containsExactlyInAnyOrder("send 2 SUCCESS 3", "receive 1 SUCCESS 5");
  }

  @Test
  void shouldKeepOtherCompletionsForThePoll() {
    assertThat(out.postWrite(1, near, 0, 8, far.stag(), 0)).isTrue();
    assertThat(out.postReceive(2, near, 0, 64)).isTrue();
    blocking.write(near, 0, 8, far.stag(), 0, TIMEOUT);
    in.blocking().send(far, 0, 4, TIMEOUT);
    blocking.read(near, 0, 8, far.stag(), 0, TIMEOUT);
    assertThat(completions(programs.here, 2))
        .containsExactlyInAnyOrder("write 1 SUCCESS 8", "receive 2 SUCCESS 4");
    assertThat(out.sendsOutstanding()).isZero();
  }

  @Test
  void shouldThrowWhenABlockingRequestFails() {
    assertThatThrownBy(() -> blocking.read(near, 0, 64, far.stag(), 4095, TIMEOUT))
        .isInstanceOfSatisfying(
            RequestFailedException.class,
            e -> assertThat(e.status()).isEqualTo(CompletionStatus.REMOTE_ACCESS_ERROR))
        .hasMessageContaining("a read on connection")
        .hasMessageContaining("REMOTE_ACCESS_ERROR");
    assertThat(out.awaitClosed(TIMEOUT)).isTrue();
    assertThatThrownBy(() -> blocking.write(near, 0, 8, far.stag(), 0, TIMEOUT))
        .isInstanceOfSatisfying(
            RequestFailedException.class,
            e -> assertThat(e.status()).isEqualTo(CompletionStatus.FLUSHED))
        .hasMessageContaining("TERMINATED");
  }

  @Test
  void shouldThrowAtTheTimeoutAndDropTheLateCompletion() {
    assertThatThrownBy(() -> in.blocking().receive(far, 0, 64, Duration.ofMillis(1)))
        .isInstanceOf(RequestTimeoutException.class)
        .hasMessageContaining("a receive on connection");
    assertThat(in.receivesOutstanding()).isEqualTo(1);
    assertThat(in.postReceive(2, far, 64, 64)).isTrue();
    blocking.send(near, 0, 3, TIMEOUT);
    blocking.send(near, 0, 4, TIMEOUT);
    assertThat(completions(programs.there, 1)).containsExactly("receive 2 SUCCESS 4");
    assertThat(in.receivesOutstanding()).isZero();
  }

  @Test
  void shouldThrowAtTheTimeoutWhenNothingIsPolledAndTheQueueIsFull() {
    int most = programs.here.limits().sendQueue();
    for (int i = 0; i < most; i++) {
      assertThat(out.postWrite(i, near, 0, 8, far.stag(), 0)).isTrue();
    }
    assertThatThrownBy(() -> blocking.write(near, 0, 8, far.stag(), 0, Duration.ofMillis(1)))
        .isInstanceOf(RequestTimeoutException.class)
        .hasMessageContaining("no room for a write")
        .hasMessageContaining(most + " sends");
    assertThat(completions(programs.here, most)).hasSize(most);
    blocking.write(near, 0, 8, far.stag(), 0, TIMEOUT);
  }

  @Test
  void shouldFlushPostsAfterEitherEndHasClosed() {
    in.abort();
    assertThat(out.awaitClosed(TIMEOUT)).isTrue();
    assertThat(in.awaitClosed(TIMEOUT)).isTrue();
    out.close();
    try (SecondConnection second = new SecondConnection(programs)) {
      assertThat(second.in().id()).isNotEqualTo(in.id());
      for (Connection closed : new Connection[] {out, in}) {
        MemoryRegion memory = closed == out ? near : far;
        assertThat(closed.postReceive(1, memory, 0, 8)).isTrue();
        assertThat(closed.postSend(2, memory, 0, 8, 0)).isTrue();
        TestDaemon.await(
            () -> {
              closed
                  .session()
                  .poll(
                      completion -> {
                        assertThat(completion.status()).isEqualTo(CompletionStatus.FLUSHED);
                        assertThat(completion.connection()).isSameAs(closed);
                      },
                      2);
              return closed.receivesOutstanding() + closed.sendsOutstanding() == 0;
            },
            "both posts are flushed");
      }
    }
  }

  @Test
  void shouldSayThatAQueueOfUnsignalledRequestsStaysFull() {
    int most = programs.here.limits().sendQueue();
    for (int i = 0; i < most; i++) {
      assertThat(out.postWrite(i, near, 0, 8, far.stag(), 0, 0)).isTrue();
    }
    assertThatThrownBy(() -> out.postWrite(0, near, 0, 8, far.stag(), 0))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the send queue is full of unsignalled requests")
        .hasMessageContaining("SendFlags.SIGNALLED");
  }

  @Test
  void shouldReturnFalseWhileASignalledRequestIsToMakeRoom() {
    int most = programs.here.limits().sendQueue();
    for (int i = 0; i < most; i++) {
      int flags = i == 1 ? SendFlags.SIGNALLED : 0;
      assertThat(out.postWrite(i, near, 0, 8, far.stag(), 0, flags)).isTrue();
    }
    assertThat(out.postWrite(0, near, 0, 8, far.stag(), 0)).isFalse();
    assertThat(completions(programs.here, 1)).containsExactly("write 1 SUCCESS 8");
    assertThat(out.postWrite(most, near, 0, 8, far.stag(), 0)).isTrue();
  }

  @Test
  void shouldForbidPostsToAConnectionThatIsDrained() {
    assertThat(in.postReceive(1, far, 0, 8)).isTrue();
    out.disconnect();
    assertThatThrownBy(
            () -> in.closeAndDrain(completion -> assertThat(in.postReceive(2, far, 0, 8)).isTrue()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closeAndDrain");
  }

  /** Opens connections until one has the place of {@link #in}, which has ended. */
  private Connection replaceIn() {
    Listener listener = programs.there.listen(ConnectedPrograms.PORT + 1);
    InetSocketAddress address = new InetSocketAddress("10.0.0.2", ConnectedPrograms.PORT + 1);
    while (true) {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
      Connection peer =
          programs.here.connect(address, PrivateData.NONE, TIMEOUT, ConnectionOptions.DEFAULTS);
      Connection next = accepted.join();
      assertThat(peer.isOpen()).isTrue();
      if (ConnectionId.index(next.id()) == ConnectionId.index(in.id())) {
        return next;
      }
    }
  }

  @Test
  void shouldNameTheEndedConnectionWhosePlaceAnotherHasTaken() {
    out.abort();
    assertThat(in.awaitClosed(TIMEOUT)).isTrue();
    Connection next = replaceIn();

    assertThat(in.postSend(1, far, 0, 8)).isTrue();
    assertThat(in.postReceive(2, far, 0, 8)).isTrue();
    assertThat(next.postReceive(3, far, 0, 8)).isTrue();

    List<Connection> named = new ArrayList<>();
    TestDaemon.await(
        () -> {
          programs.there.poll(completion -> named.add(completion.connection()), 2);
          return named.size() == 2;
        },
        "both requests are flushed");
    assertThat(named).containsExactly(in, in);
    assertThat(in.sendsOutstanding()).isZero();
    assertThat(in.receivesOutstanding()).isZero();
    assertThat(next.receivesOutstanding()).isEqualTo(1);
  }
}
