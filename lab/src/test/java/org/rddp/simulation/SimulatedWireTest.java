package org.rddp.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.rddp.wire.Memory;

/** One wire, frames in at one end, each with its number in it. */
class SimulatedWireTest {
  private static final int FRAMES = 10_000;
  private static final int LENGTH = 1000;
  private static final long MILLISECOND = 1_000_000;

  private final Network network = new Network(7);
  private final List<Integer> arrived = new ArrayList<>();
  private final List<Long> times = new ArrayList<>();

  /** Sends all frames, with this many nanoseconds between them. */
  private void send(WireSettings settings, long apart) {
    SimulatedWire wire = new SimulatedWire(network, settings, this::arrive);
    long began = network.now();
    for (int i = 0; i < FRAMES; i++) {
      network.events().schedule(began + i * apart, number -> wire.take(frame((int) number)), i);
    }
    network.run(() -> false, Long.MAX_VALUE);
    times.replaceAll(time -> time - began);
    assertThat(network.frames().used()).isZero();
  }

  private long frame(int number) {
    long frame = network.frames().allocate(LENGTH);
    Memory.fill(network.frames().address(frame), LENGTH, 0);
    Memory.putInt(network.frames().address(frame), number);
    return frame;
  }

  private void arrive(long frame) {
    arrived.add(Memory.getInt(network.frames().address(frame)));
    times.add(network.now());
    network.frames().release(frame);
  }

  @Test
  void shouldDelayWhatIsPerfectOtherwise() {
    send(WireSettings.PERFECT.withDelay(5 * MILLISECOND), 1000);
    assertThat(arrived).hasSize(FRAMES).isSorted();
    assertThat(times.getFirst()).isEqualTo(5 * MILLISECOND);
    assertThat(times.getLast()).isEqualTo(5 * MILLISECOND + (FRAMES - 1) * 1000L);
  }

  @Test
  void shouldNotReorderByJitter() {
    send(WireSettings.PERFECT.withJitter(5 * MILLISECOND), 1000);
    assertThat(arrived).hasSize(FRAMES).isSorted();
    assertThat(times.getLast()).isGreaterThan((FRAMES - 1) * 1000L);
  }

  @Test
  void shouldLetFramesLeaveAtItsBandwidth() {
    send(WireSettings.PERFECT.withBandwidth(1_000_000_000), 0);
    assertThat(arrived).hasSize(FRAMES).isSorted();
    assertThat(times.getLast()).isEqualTo(FRAMES * LENGTH * 8L);
  }

  @Test
  void shouldDropWhatItsQueueHasNoRoomFor() {
    send(WireSettings.PERFECT.withBandwidth(1_000_000_000).withQueue(10 * LENGTH), 0);
    assertThat(arrived).hasSize(11).isSorted();
    assertThat(network.counters().count(NetworkEvent.OVERFLOWED)).isEqualTo(FRAMES - 11);
  }

  @Test
  void shouldLoseDuplicateAndReorderAsOftenAsItIsTold() {
    send(
        WireSettings.PERFECT
            .withLoss(0.3)
            .withDuplicate(0.1)
            .withReorder(0.2)
            .withReorderDelay(MILLISECOND),
        1000);
    NetworkCounters counters = network.counters();
    assertThat(counters.count(NetworkEvent.LOST)).isCloseTo(3000, within(150L));
    assertThat(counters.count(NetworkEvent.DUPLICATED)).isCloseTo(700, within(100L));
    assertThat(counters.count(NetworkEvent.REORDERED)).isCloseTo(1540, within(150L));
    assertThat((long) arrived.size())
        .isEqualTo(
            FRAMES - counters.count(NetworkEvent.LOST) + counters.count(NetworkEvent.DUPLICATED));
    assertThat(arrived).isNotEqualTo(arrived.stream().sorted().toList());
  }

  @Test
  void shouldLoseInBursts() {
    send(
        WireSettings.PERFECT
            .withBurstLoss(1)
            .withBurstLength(MILLISECOND / 10)
            .withBurstGap(MILLISECOND),
        1000);
    assertThat(arrived.size()).isCloseTo(FRAMES * 10 / 11, within(300));
    int gaps = 0;
    for (int i = 1; i < arrived.size(); i++) {
      gaps += arrived.get(i) > arrived.get(i - 1) + 1 ? 1 : 0;
    }
    assertThat(gaps).isBetween(5, 20);
  }

  @Test
  void shouldDoTheSameForTheSameSeed() {
    WireSettings bad = WireSettings.PERFECT.withLoss(0.1).withJitter(1000).withDuplicate(0.1);
    send(bad, 1000);
    SimulatedWireTest again = new SimulatedWireTest();
    again.send(bad, 1000);
    assertThat(again.arrived).isEqualTo(arrived);
    assertThat(again.times).isEqualTo(times);
  }
}
