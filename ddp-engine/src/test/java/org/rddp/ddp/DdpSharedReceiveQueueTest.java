package org.rddp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.ddp.DdpFixture.octets;
import static org.rddp.ddp.DdpFixture.untagged;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.rddp.ddp.memory.AddressPieces;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.receiving.DdpSharedReceiveQueue;
import org.rddp.ddp.receiving.QueueSettings;

/** Buffers that several streams take theirs from. */
class DdpSharedReceiveQueueTest {
  private static final int LAST = 0x41;
  private static final int MORE = 0x01;
  private static final int LENGTH = 100;
  private static final int DEPTH = 16;

  private int limits;
  private final DdpSharedReceiveQueue shared =
      new DdpSharedReceiveQueue(DEPTH, null, () -> limits++);
  private final GuardedMemory memory = new GuardedMemory(DEPTH * LENGTH);

  private void post(int... ids) {
    for (int id : ids) {
      assertThat(
              shared.post(
                  new StreamRequest(id).memory(memory.address() + (long) id * LENGTH, LENGTH)))
          .isTrue();
    }
  }

  private DdpFixture stream() {
    return DdpFixture.receiving(QueueSettings.shared(shared));
  }

  private DdpFixture holding() {
    return DdpFixture.holding(4096, QueueSettings.shared(shared));
  }

  private static String received(int msn, int id, int octets) {
    return "untagged 4300000000 qn 0 msn %d id %d octets %d".formatted(msn, id, octets);
  }

  private void assertPlaced(int id, int octets, int value) {
    byte[] there = memory.octets();
    for (int i = 0; i < LENGTH; i++) {
      assertThat(there[id * LENGTH + i])
          .isEqualTo(i < octets ? (byte) value : GuardedMemory.POISON);
    }
  }

  @Test
  void shouldGiveItsBuffersToTheMessagesOfAnyStream() {
    post(0, 1, 2);
    DdpFixture one = stream();
    DdpFixture two = stream();
    assertThat(two.receive(untagged(LAST, 0, 1, 0, octets(10, 2))))
        .containsExactly(received(1, 0, 10));
    assertThat(one.receive(untagged(LAST, 0, 1, 0, octets(20, 1))))
        .containsExactly(received(1, 1, 20));
    assertThat(two.receive(untagged(LAST, 0, 2, 0, ""))).containsExactly(received(2, 2, 0));
    assertPlaced(0, 10, 2);
    assertPlaced(1, 20, 1);
    assertPlaced(2, 0, 0);
    assertThat(shared.size()).isZero();
  }

  @Test
  void shouldLeaveAMessageItsBufferUntilItIsWhole() {
    post(0, 1, 2);
    DdpFixture one = stream();
    DdpFixture two = stream();
    assertThat(one.receive(untagged(MORE, 0, 1, 0, octets(50, 1)))).isEmpty();
    assertThat(two.receive(untagged(LAST, 0, 1, 0, octets(5, 2))))
        .containsExactly(received(1, 1, 5));
    assertThat(one.receive(untagged(LAST, 0, 1, 50, octets(50, 1))))
        .containsExactly(received(1, 0, 100));
    assertPlaced(0, 100, 1);
    assertThat(shared.size()).isEqualTo(1);
  }

  /** A peer that begins messages and ends none holds one buffer, not all. */
  @Test
  @Tag("RDMAP-8.1.2-08")
  @Tag("DDP-8.3.2-06")
  void shouldGiveAStreamNoSecondBufferForMessagesThatItHasBegun() {
    post(0, 1, 2);
    DdpFixture one = stream();
    assertThat(one.receive(untagged(MORE, 0, 1, 0, "01"), untagged(MORE, 0, 2, 0, "02")))
        .containsExactly("receive flushed qn 0 id 0", "error NO_BUFFER");
    assertThat(shared.size()).isEqualTo(2);
  }

  @Test
  @Tag("DDP-7.1-02")
  void shouldMakeAMessageWithoutABufferAnError() {
    DdpFixture one = stream();
    assertThat(one.receive(untagged(LAST, 0, 1, 0, "01"))).containsExactly("error NO_BUFFER");
    post(0);
    assertThat(shared.size()).isEqualTo(1);
  }

  @Test
  void shouldTakeNoBufferForWhatIsRefusedBefore() {
    post(0);
    DdpFixture one = stream();
    assertThat(one.receive(untagged(LAST, 1, 1, 0, "01"))).containsExactly("error INVALID_QN");
    DdpFixture two = stream();
    assertThat(two.receive(untagged(LAST, 0, 2, 0, "01"))).containsExactly("error NO_BUFFER");
    DdpFixture three = stream();
    assertThat(three.receive(untagged(LAST, 0, 0, 0, "01"))).containsExactly("error MSN_RANGE");
    assertThat(shared.size()).isEqualTo(1);
  }

  @Test
  void shouldKeepItsBuffersWhenAStreamEnds() {
    post(0, 1);
    DdpFixture one = stream();
    one.receive(untagged(MORE, 0, 1, 0, "01"));
    one.stream.abort();
    assertThat(one.ulp.events()).containsExactly("receive flushed qn 0 id 0", "closed ABORTED");
    DdpFixture two = stream();
    assertThat(two.receive(untagged(LAST, 0, 1, 0, "01"))).containsExactly(received(1, 1, 1));
  }

  @Test
  void shouldTakeNoBuffersOnTheStreamItself() {
    DdpFixture one = stream();
    assertThat(one.stream.postReceive(0, new StreamRequest(1).memory(memory.address(), LENGTH)))
        .isFalse();
    AddressPieces list = new AddressPieces();
    list.clear();
    list.add(memory.address(), 1);
    assertThat(one.stream.postReceive(0, new StreamRequest(1).memory(list))).isFalse();
    assertThat(one.stream.queues().buffered(0).lacksBuffer()).isTrue();
    post(0);
    assertThat(one.stream.queues().buffered(0).lacksBuffer()).isFalse();
  }

  @Test
  void shouldPlaceInPieces() {
    AddressPieces list = new AddressPieces();
    list.clear();
    list.add(memory.address(), 3);
    list.add(memory.address() + 50, 10);
    assertThat(shared.post(new StreamRequest(7).memory(list))).isTrue();
    list.clear();
    DdpFixture one = stream();
    assertThat(one.receive(untagged(LAST, 0, 1, 0, octets(5, 9))))
        .containsExactly(received(1, 7, 5));
    assertThat(memory.octets()).startsWith(9, 9, 9, GuardedMemory.POISON);
    assertThat(memory.octets()[50]).isEqualTo((byte) 9);
    assertThat(memory.octets()[52]).isEqualTo(GuardedMemory.POISON);
  }

  @Test
  void shouldHoldNoMoreThanItsDepth() {
    for (int i = 0; i < DEPTH; i++) {
      post(i);
    }
    assertThat(shared.post(new StreamRequest(99).memory(memory.address(), 1))).isFalse();
    for (int i = 0; i < DEPTH; i++) {
      assertThat(shared.withdraw()).isEqualTo(i);
    }
    assertThat(shared.withdraw()).isEqualTo(-1);
  }

  // ---- Streams that wait ----

  @Test
  @Tag("DDP-7.1-04")
  void shouldServeTheStreamsThatWaitOneAfterTheOther() {
    List<DdpFixture> streams = List.of(holding(), holding(), holding());
    for (DdpFixture stream : streams) {
      for (int msn = 1; msn <= 4; msn++) {
        assertThat(stream.receive(untagged(LAST, 0, msn, 0, "01"))).isEmpty();
      }
    }
    List<String> served = new ArrayList<>();
    for (int id = 0; id < 12; id++) {
      post(id);
      for (int i = 0; i < 3; i++) {
        for (String event : streams.get(i).ulp.events()) {
          served.add(i + ": " + event);
        }
      }
    }
    for (int id = 0; id < 12; id++) {
      assertThat(served.get(id)).isEqualTo(id % 3 + ": " + received(1 + id / 3, id, 1));
    }
    assertThat(shared.size()).isZero();
    post(12);
    assertThat(shared.size()).as("nobody waits any more").isEqualTo(1);
  }

  @Test
  void shouldNotServeAStreamThatHasEnded() {
    DdpFixture one = holding();
    DdpFixture two = holding();
    one.receive(untagged(LAST, 0, 1, 0, "01"));
    two.receive(untagged(LAST, 0, 1, 0, "02"));
    one.stream.abort();
    post(0, 1);
    assertThat(one.ulp.events()).containsExactly("closed ABORTED");
    assertThat(two.ulp.events()).containsExactly(received(1, 0, 1));
    assertThat(shared.size()).isEqualTo(1);
  }

  /**
   * The user posts more buffers when a message is taken, and they go to the next waiting stream.
   */
  @Test
  void shouldServeWhatIsPostedWhileItServes() {
    DdpFixture one = holding();
    DdpFixture two = holding();
    one.receive(untagged(LAST, 0, 1, 0, "01"), untagged(LAST, 0, 2, 0, "01"));
    two.receive(untagged(LAST, 0, 1, 0, "02"));
    int[] next = {1};
    one.ulp.onUntagged =
        () -> {
          if (next[0] < 3) {
            post(next[0]++);
          }
        };
    two.ulp.onUntagged = one.ulp.onUntagged;
    post(0);
    List<String> all = new ArrayList<>(one.ulp.events());
    all.addAll(two.ulp.events());
    assertThat(all).hasSize(3);
    assertThat(shared.size()).isZero();
  }

  @Test
  void shouldServeInTurnThoughManyArePostedAtOnce() {
    DdpFixture one = holding();
    DdpFixture two = holding();
    for (int msn = 1; msn <= 3; msn++) {
      one.receive(untagged(LAST, 0, msn, 0, "01"));
      two.receive(untagged(LAST, 0, msn, 0, "02"));
    }
    int[] next = {1};
    one.ulp.onAdmitUntagged =
        () -> {
          if (next[0] < 6) {
            post(next[0]++);
          }
        };
    two.ulp.onAdmitUntagged = one.ulp.onAdmitUntagged;
    post(0);
    assertThat(one.ulp.events())
        .containsExactly(received(1, 0, 1), received(2, 2, 1), received(3, 4, 1));
    assertThat(two.ulp.events())
        .containsExactly(received(1, 1, 1), received(2, 3, 1), received(3, 5, 1));
  }

  /** The user posts while segments placed early take effect. */
  @Test
  @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void shouldServeAStreamThatIsTakingAlready() {
    DdpFixture one = holding();
    assertThat(one.receive(untagged(LAST, 0, 1, 0, "01"))).isEmpty();
    one.ulp.onAdmitUntagged =
        () -> {
          one.ulp.onAdmitUntagged = () -> {};
          post(0);
        };
    one.stream.onDelivered(1L << 40);
    assertThat(one.ulp.events()).containsExactly(received(1, 0, 1));
    post(1);
    assertThat(shared.size()).isEqualTo(1);
  }

  // ---- The limit ----

  @Test
  @Tag("RDMAP-8.1.2-08")
  @Tag("DDP-8.3.2-06")
  void shouldTellOnceThatFewBuffersAreLeft() {
    post(0, 1, 2);
    shared.arm(2);
    DdpFixture one = stream();
    one.receive(untagged(LAST, 0, 1, 0, "01"));
    assertThat(limits).as("two are left").isZero();
    one.receive(untagged(LAST, 0, 2, 0, "01"));
    assertThat(limits).as("one is left").isEqualTo(1);
    one.receive(untagged(LAST, 0, 3, 0, "01"));
    assertThat(limits).as("not armed again").isEqualTo(1);
    shared.arm(1);
    assertThat(limits).as("none are left").isEqualTo(2);
    shared.arm(0);
    assertThat(limits).isEqualTo(2);
  }
}
