package org.rddp.ddp.receiving;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.rddp.mpa.Ulpdu;

/** Segments are kept in blocks, which are given back. */
class HeldSegmentsTest {
  private static final int BLOCKS = 16;
  private static final int LONGEST = 12_000;

  private final HeldMemory memory = new HeldMemory(Arena.ofAuto().allocate(BLOCKS * 4096, 8));
  private final HeldShare share = new HeldShare(BLOCKS * 4096, null);
  private final HeldSegments held = new HeldSegments(1 << 20, memory, share);
  private final MemorySegment octets = Arena.ofAuto().allocate(LONGEST);
  private final SplittableRandom random = new SplittableRandom(7);

  private boolean add(long position, int length, byte content) {
    octets.asSlice(0, length).fill(content);
    return held.add(Ulpdu.of(position, octets.address(), length));
  }

  private void removeFirst(long position, int length) {
    Ulpdu first = held.first();
    assertThat(first.position()).isEqualTo(position);
    assertThat(first.length()).isEqualTo(length);
    octets.fill((byte) -1);
    first.copy(0, octets.address(), length);
    assertThat(octets.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE))
        .containsOnly(content(position));
    held.removeFirst();
  }

  private static byte content(long position) {
    return (byte) (position % 100);
  }

  @Test
  void shouldKeepSegmentsOfAnyLengthInTheirOrder() {
    Queue<Integer> lengths = new ArrayDeque<>();
    long last = 0;
    long first = 0;
    int refused = 0;
    for (int i = 0; i < 4000; i++) {
      int length = 1 + random.nextInt(random.nextBoolean() ? 30 : LONGEST);
      if (add(last, length, content(last))) {
        lengths.add(length);
        last++;
      } else {
        refused++;
        for (int left = random.nextInt(lengths.size() + 1); left > 0; left--) {
          removeFirst(first++, lengths.remove());
        }
      }
    }
    while (!lengths.isEmpty()) {
      removeFirst(first++, lengths.remove());
    }
    assertThat(refused).isGreaterThan(100);
    assertThat(memory.freeBlocks()).isEqualTo(BLOCKS);
    assertThat(share.take(BLOCKS)).as("the whole share is free").isTrue();
  }

  @Test
  void shouldGiveAllBlocksBackAtOnce() {
    for (int i = 0; i < 9; i++) {
      assertThat(add(i, 6000, content(i))).isTrue();
    }
    held.clear();
    assertThat(memory.freeBlocks()).isEqualTo(BLOCKS);
    assertThat(share.take(BLOCKS)).as("the whole share is free").isTrue();
  }

  /** Nothing of a segment that is refused stays taken, in no share. */
  @Test
  void shouldTakeNothingForASegmentBeyondAShare() {
    HeldShare user = new HeldShare(3 * 4096, null);
    HeldShare process = new HeldShare(2 * 4096, user);
    HeldSegments shared = new HeldSegments(1 << 20, memory, process);
    assertThat(shared.add(Ulpdu.of(0, octets.address(), 9000))).isFalse();
    assertThat(memory.freeBlocks()).isEqualTo(BLOCKS);
    assertThat(user.take(2)).isTrue();
    assertThat(shared.add(Ulpdu.of(0, octets.address(), 5000))).as("beyond the user's").isFalse();
    assertThat(shared.add(Ulpdu.of(0, octets.address(), 4000))).isTrue();
    assertThat(memory.freeBlocks()).isEqualTo(BLOCKS - 1);
  }
}
