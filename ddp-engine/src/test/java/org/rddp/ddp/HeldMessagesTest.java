package org.rddp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.ddp.DdpFixture.octets;
import static org.rddp.ddp.DdpFixture.tagged;
import static org.rddp.ddp.DdpFixture.untagged;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.receiving.HeldMemory;
import org.rddp.ddp.receiving.HeldSegments;
import org.rddp.mpa.Ulpdu;
import org.rddp.mpa.UlpduHandler;
import org.rddp.wire.Memory;

/** Messages that find no buffer wait for one where the stream's settings say so. */
class HeldMessagesTest {
  private static final int LAST = 0x41;
  private static final int MORE = 0x01;
  private static final int BOUND = 4096;

  /** Keeps the memory of ULPDUs. */
  private static final List<MemorySegment> SCRATCH = new ArrayList<>();

  private final DdpFixture ddp = DdpFixture.holding(BOUND, 4, 4);
  private final GuardedMemory memory = new GuardedMemory(2000);

  private static HeldSegments held(int bound) {
    return new HeldSegments(bound, new HeldMemory(Arena.ofAuto().allocate(1 << 17, 8)), null);
  }

  private void post(int qn, long id) {
    assertThat(
            ddp.stream.postReceive(
                qn, new StreamRequest(id).memory(memory.address(), memory.length())))
        .isTrue();
  }

  @Test
  @Tag("DDP-7.1-04")
  @Tag("DDP-A-03")
  void shouldWaitForABufferWithTheWindowShut() {
    long consumed = ddp.tcp.consumed();
    assertThat(ddp.receive(untagged(MORE, 0, 1, 0, octets(100, 1)))).isEmpty();
    assertThat(ddp.receive(untagged(LAST, 0, 1, 100, octets(50, 2)))).isEmpty();
    assertThat(ddp.tcp.consumed()).isEqualTo(consumed);
    memory.assertUntouched();
    post(0, 11);
    assertThat(ddp.ulp.events()).containsExactly("untagged 4300000000 qn 0 msn 1 id 11 octets 150");
    assertThat(ddp.tcp.consumed()).isEqualTo(consumed + 2 * 24 + 150 + 2);
    assertThat(ddp.receive(untagged(MORE, 0, 2, 0, "01"))).isEmpty();
    assertThat(ddp.engine.receiveCounters().segmentsHeld).isEqualTo(3);
  }

  @Test
  @Tag("DDP-5.3-06")
  void shouldKeepTheOrderOfAllThatComesBehind() {
    int stag =
        ddp.engine
            .taggedBuffers()
            .register(ddp.domain, null, memory.address(), 100, 0, AccessRights.REMOTE_WRITE);
    post(1, 21);
    assertThat(
            ddp.receive(
                untagged(LAST, 0, 1, 0, "01"),
                tagged(0xc1, stag, 0, "02"),
                untagged(LAST, 1, 1, 0, "03"),
                untagged(LAST, 0, 2, 0, "04")))
        .isEmpty();
    post(0, 11);
    assertThat(ddp.ulp.events())
        .containsExactly(
            "untagged 4300000000 qn 0 msn 1 id 11 octets 1",
            "tagged 40 stag %08x to 0 octets 1".formatted(stag),
            "untagged 4300000000 qn 1 msn 1 id 21 octets 1");
    post(0, 12);
    assertThat(ddp.ulp.events()).containsExactly("untagged 4300000000 qn 0 msn 2 id 12 octets 1");
  }

  @Test
  @Tag("DDP-7.1-05")
  void shouldKeepNoMoreThanItsBound() {
    int kept = 1 + BOUND / (18 + 1000);
    for (int i = 0; i < kept; i++) {
      assertThat(ddp.receive(untagged(MORE, 0, 1, 1000 * i, octets(1000, 1)))).isEmpty();
    }
    assertThat(ddp.receive(untagged(LAST, 0, 1, 1000 * kept, octets(1000, 1))))
        .containsExactly("error NO_BUFFER");
    assertThat(ddp.stream.postReceive(0, new StreamRequest(11).memory(memory.address(), 10)))
        .isFalse();
    memory.assertUntouched();
  }

  /** FPDUs add 6 octets at least, so a window of {@code BOUND} octets holds no more. */
  @Test
  void shouldKeepAllThatAWindowOfItsBoundHolds() {
    int segments = BOUND / (18 + 6);
    for (int i = 1; i <= segments; i++) {
      assertThat(ddp.receive(untagged(MORE, 0, 1, 0, ""))).isEmpty();
    }
    assertThat(ddp.engine.receiveCounters().segmentsHeld).isEqualTo(segments);
  }

  /** The window was open when most of the first segment came. */
  @Test
  void shouldKeepAllThatAWindowOfItsBoundHoldsBehindTheFirst() {
    HeldSegments held = held(BOUND);
    MemorySegment octets = Arena.ofAuto().allocate(BOUND);
    assertThat(held.add(Ulpdu.of(0, octets.address(), 3000))).isTrue();
    assertThat(held.add(Ulpdu.of(3006, octets.address(), BOUND - 100))).isTrue();
    assertThat(held.add(Ulpdu.of(7008, octets.address(), 101))).isFalse();
    assertThat(held.add(Ulpdu.of(7008, octets.address(), 100))).isTrue();
    held.removeFirst();
    assertThat(held.octets()).isEqualTo(BOUND);
    assertThat(held.add(Ulpdu.of(7114, octets.address(), 20))).isFalse();
    assertThat(held.firstPosition()).isEqualTo(3006);
  }

  /** A peer may send a segment that is longer than the bound: the window was open for it. */
  @Test
  void shouldKeepAFirstSegmentThatIsLongerThanItsBound() {
    HeldSegments held = held(BOUND);
    MemorySegment octets = Arena.ofAuto().allocate(2 * BOUND);
    assertThat(held.add(Ulpdu.of(0, octets.address(), BOUND + 1))).isTrue();
    assertThat(held.add(Ulpdu.of(BOUND + 7, octets.address(), BOUND))).isTrue();
    assertThat(held.octets()).isEqualTo(2 * BOUND + 1);
  }

  @Test
  void shouldKeepNothingWithABoundOfNothing() {
    MemorySegment octets = Arena.ofAuto().allocate(8);
    assertThat(held(0).add(Ulpdu.of(0, octets.address(), 1))).isFalse();
  }

  /** What is kept beside a segment counts for nothing, but its room is needed. */
  @Test
  void shouldHaveRoomForSegmentsOfOneOctet() {
    int bound = 60_000;
    HeldSegments held = held(bound);
    MemorySegment octet = Arena.ofAuto().allocate(8);
    int kept = 0;
    while (kept < bound && held.add(Ulpdu.of(kept, octet.address(), 1))) {
      kept++;
    }
    for (int i = 0; i < kept; i++) {
      assertThat(held.firstPosition()).isEqualTo(i);
      held.removeFirst();
    }
    assertThat(held.isEmpty()).isTrue();
  }

  /** A message may get its buffer when segments after it take effect. */
  @Test
  void shouldOpenTheWindowWhoeverFindsTheBuffer() {
    long consumed = ddp.tcp.consumed();
    assertThat(ddp.receive(untagged(LAST, 0, 1, 0, "01"))).isEmpty();
    ddp.ulp.onAdmitUntagged =
        () -> {
          ddp.ulp.onAdmitUntagged = () -> {};
          post(0, 11);
        };
    ddp.stream.onDelivered(1L << 40);
    assertThat(ddp.ulp.events()).hasSize(1);
    assertThat(ddp.tcp.consumed()).isGreaterThan(consumed);
  }

  @Test
  void shouldGoOnForEver() {
    for (int i = 1; i <= 500; i++) {
      assertThat(ddp.receive(untagged(LAST, 0, i, 0, octets(i, 1)))).isEmpty();
      post(0, i);
      assertThat(ddp.ulp.events())
          .containsExactly("untagged 4300000000 qn 0 msn %d id %d octets %d".formatted(i, i, i));
    }
  }

  @Test
  void shouldRefuseWhatNoBufferCouldBeFor() {
    assertThat(ddp.receive(untagged(LAST, 0, 2, 0, "01"))).containsExactly("error NO_BUFFER");
  }

  @Test
  void shouldFindWhatIsWrongInItsTurn() {
    assertThat(
            ddp.receive(
                untagged(LAST, 0, 1, 0, "01"),
                tagged(0xc1, 77, 0, "02"),
                untagged(LAST, 0, 2, 0, "03")))
        .isEmpty();
    post(0, 11);
    assertThat(ddp.ulp.events())
        .containsExactly("untagged 4300000000 qn 0 msn 1 id 11 octets 1", "error INVALID_STAG");
    assertThat(ddp.stream.postReceive(0, new StreamRequest(12).memory(memory.address(), 10)))
        .isFalse();
  }

  @Test
  @Tag("DDP-6.2.1-04")
  void shouldTellOfThePeersEndBehindWhatWaits() {
    assertThat(ddp.receive(untagged(LAST, 0, 1, 0, "01"))).isEmpty();
    ddp.peer.mpa().closeSend();
    ddp.run();
    assertThat(ddp.ulp.events()).isEmpty();
    post(0, 11);
    assertThat(ddp.ulp.events())
        .containsExactly("untagged 4300000000 qn 0 msn 1 id 11 octets 1", "peer closed");
  }

  private void closeBothHalvesBehind(String... held) {
    assertThat(ddp.receive(held)).isEmpty();
    ddp.stream.close();
    ddp.peer.mpa().closeSend();
    ddp.run();
    assertThat(ddp.ulp.events()).isEmpty();
  }

  @Test
  @Tag("DDP-6.2.1-04")
  void shouldEndBehindWhatWaitsWhenBothHalvesAreClosed() {
    closeBothHalvesBehind(untagged(LAST, 0, 1, 0, "01"), untagged(LAST, 0, 2, 0, "02"));
    post(0, 11);
    assertThat(ddp.ulp.events()).containsExactly("untagged 4300000000 qn 0 msn 1 id 11 octets 1");
    post(0, 12);
    assertThat(ddp.ulp.events())
        .containsExactly(
            "untagged 4300000000 qn 0 msn 2 id 12 octets 1", "peer closed", "closed NORMAL");
  }

  @Test
  void shouldEndWhenWhatWaitsIsWrongAndBothHalvesAreClosed() {
    closeBothHalvesBehind(untagged(LAST, 0, 1, 0, "01"), tagged(0xc1, 77, 0, "02"));
    post(0, 11);
    assertThat(ddp.ulp.events()).contains("error INVALID_STAG").endsWith("closed NORMAL");
  }

  @Test
  void shouldForgetWhatWaitsOfAConnectionThatIsOver() {
    closeBothHalvesBehind(untagged(LAST, 0, 1, 0, "01"));
    ddp.stream.abort();
    assertThat(ddp.ulp.events()).containsExactly("closed ABORTED");
    ddp.stream.abort();
    assertThat(ddp.ulp.events()).isEmpty();
  }

  @Test
  void shouldForgetWhatWaitsWhenTheStreamEnds() {
    assertThat(ddp.receive(untagged(LAST, 0, 1, 0, "01"))).isEmpty();
    ddp.stream.abort();
    assertThat(ddp.ulp.events()).containsExactly("closed ABORTED");
    assertThat(ddp.tcp.freePackets()).isEqualTo(ddp.tcp.packets());
  }

  @Test
  void shouldTakeABufferPostedAtTheLastMoment() {
    ddp.ulp.onBufferMissing = () -> post(0, 11);
    assertThat(ddp.receive(untagged(LAST, 0, 1, 0, "01")).getFirst())
        .isEqualTo("untagged 4300000000 qn 0 msn 1 id 11 octets 1");
    assertThat(ddp.engine.receiveCounters().segmentsHeld).isZero();
  }

  @Test
  void shouldGoOnWhenBuffersArePostedWhileItTakesWhatWaits() {
    for (int i = 1; i <= 10; i++) {
      assertThat(ddp.receive(untagged(LAST, 0, i, 0, "01"))).isEmpty();
    }
    int[] posted = {0};
    ddp.ulp.onUntagged =
        () -> {
          if (posted[0]++ < 9) {
            post(0, 20 + posted[0]);
          }
        };
    post(0, 20);
    assertThat(ddp.ulp.events()).hasSize(10).last().asString().contains("msn 10 id 29");
  }

  /** The segment at 200 was placed early; the segment before it is then held. */
  @Test
  @Tag("DDP-5.3-06")
  void shouldDeliverWhatWasPlacedEarlyBehindWhatWaits() {
    int stag =
        ddp.engine
            .taggedBuffers()
            .register(ddp.domain, null, memory.address(), 100, 0, AccessRights.REMOTE_WRITE);
    ddp.ulp.early = AccessRights.REMOTE_WRITE;
    UlpduHandler life = ddp.stream;
    assertThat(life.onEarlyUlpdu(ulpdu(200, tagged(0xc1, stag, 0, "02")))).isTrue();
    life.onUlpdu(ulpdu(100, untagged(LAST, 0, 1, 0, "01")));
    assertThat(life.onEarlyUlpdu(ulpdu(400, tagged(0xc1, stag, 1, "04"))))
        .as("nothing is placed early behind what waits")
        .isFalse();
    life.onDelivered(300);
    life.onUlpdu(ulpdu(300, untagged(LAST, 0, 2, 0, "03")));
    life.onUlpdu(ulpdu(400, tagged(0xc1, stag, 1, "04")));
    assertThat(ddp.ulp.events()).isEmpty();
    post(0, 11);
    assertThat(ddp.ulp.events())
        .containsExactly(
            "untagged 4300000000 qn 0 msn 1 id 11 octets 1",
            "tagged 40 stag %08x to 0 octets 1".formatted(stag));
    post(0, 12);
    assertThat(ddp.ulp.events())
        .containsExactly(
            "untagged 4300000000 qn 0 msn 2 id 12 octets 1",
            "tagged 40 stag %08x to 1 octets 1".formatted(stag));
  }

  private static Ulpdu ulpdu(long position, String hex) {
    byte[] octets = HexFormat.of().parseHex(hex);
    MemorySegment scratch = Arena.ofAuto().allocate(octets.length);
    Memory.copy(octets, 0, scratch.address(), octets.length);
    SCRATCH.add(scratch);
    return Ulpdu.of(position, scratch.address(), octets.length);
  }
}
