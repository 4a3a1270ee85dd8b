package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.mpa.MpaSettings;
import org.rddp.simulation.WireSettings;
import org.rddp.tcp.CloseReason;
import org.rddp.wire.Memory;

/** Two programs, RDMAP, DDP, MPA, TCP and a link between them that may be bad. */
class EndToEndTest {
  private static final int PORT = 4791;

  private RdmapNetwork world;
  private TestProgram left;
  private TestProgram right;

  /** A wire that loses, duplicates and reorders frames equally often. */
  private static WireSettings bad(double often, double corrupt) {
    return WireSettings.PERFECT
        .withLoss(often)
        .withDuplicate(often)
        .withReorder(often)
        .withReorderDelay(7)
        .withCorrupt(corrupt);
  }

  private void establish(long seed, int mtu, WireSettings wire, int region) {
    establish(seed, mtu, wire, region, false);
  }

  private void establish(long seed, int mtu, WireSettings wire, int region, boolean markers) {
    RdmapSettings settings = new RdmapSettings(MpaSettings.DEFAULTS.withMarkers(markers), 128, 128);
    world = new RdmapNetwork(seed, mtu, wire);
    left = new TestProgram(world.left, region);
    right = new TestProgram(world.right, region);
    left.peer = right;
    right.peer = left;
    left.apart = markers;
    right.apart = markers;
    left.begin(world.left, settings, true);
    left.postReceives();
    world.right.stack.listen(
        PORT,
        (stream, address, port) -> {
          right.begin(world.right, settings, false);
          return right.startup;
        });
    world.left.stack.connect(world.right.address, PORT, left.startup);
    world.runUntil(() -> left.established && right.established);
  }

  private void settle() {
    world.runUntil(() -> left.idle() && right.idle());
    // What was written last has arrived when a message behind it has.
    left.send(new Random(0), 0);
    right.send(new Random(0), 0);
    world.runUntil(() -> left.idle() && right.idle());
    left.assertPeerMemory();
    right.assertPeerMemory();
  }

  private void closeAndCheckThatNothingIsLeft() {
    left.close();
    right.close();
    world.runUntil(() -> left.closed != null && right.closed != null);
    assertThat(left.closed).isEqualTo(CloseReason.NORMAL);
    assertThat(right.closed).isEqualTo(CloseReason.NORMAL);
    world.close();
    assertThat(world.left.pool.available()).isEqualTo(world.left.pool.capacity());
    assertThat(world.right.pool.available()).isEqualTo(world.right.pool.capacity());
  }

  /** Sizes around the payload of a segment: MULPDU is 1442 at MTU 1500, 8938 at 9000. */
  @ParameterizedTest
  @CsvSource({"1500, 0", "9000, 0", "1500, 0.02", "576, 0.02", "9000, 0.02"})
  @Tag("DDP-3-03") // whatever is lost
  @Tag("DDP-3-04") // with its boundaries
  @Tag("DDP-5.2-01") // no segment above MULPDU
  @Tag("DDP-5.2-03") // all octets
  @Tag("DDP-5.2-04") // all placed
  @Tag("DDP-5.2-10") // those of no octets, too
  void shouldCarryMessagesOfAllSizes(int mtu, double loss) {
    establish(mtu, mtu, bad(loss, loss / 10), 1 << 20);
    Random random = new Random(1);
    int mulpdu = mtu - 58;
    int[] sizes = {
      0,
      1,
      2,
      3,
      4,
      127,
      mulpdu - 19,
      mulpdu - 18,
      mulpdu - 17,
      mulpdu - 15,
      mulpdu - 14,
      mulpdu - 13,
      mulpdu - 1,
      mulpdu,
      mulpdu + 1,
      2 * mulpdu,
      65_535,
      65_536,
      300_000,
      1 << 20
    };
    for (int size : sizes) {
      assertThat(left.write(random, size)).isTrue();
      assertThat(left.send(random, size)).isTrue();
      settle();
      assertThat(right.send(random, size)).isTrue();
      assertThat(right.write(random, size)).isTrue();
      settle();
    }
    assertThat(left.delivered).isEqualTo(3 * sizes.length);
    assertThat(right.delivered).isEqualTo(3 * sizes.length);
    closeAndCheckThatNothingIsLeft();
  }

  @ParameterizedTest
  @CsvSource({"1500, 0, false", "9000, 0, true", "1500, 0.02, false", "1500, 0.02, true"})
  @Tag("RDMAP-5.2-10")
  @Tag("RDMAP-5.5-06")
  @Tag("RDMAP-5.5-07")
  void shouldReadBackWhatWasWritten(int mtu, double loss, boolean markers) {
    int region = 1 << 18;
    establish(mtu, mtu, bad(loss, loss / 10), region, markers);
    Random random = new Random(2);
    left.read(0, 0);
    left.write(random, region);
    right.write(random, region);
    // Each read sees what was written before it, and many wait for their turn.
    for (int at = 0; at < region; at += region / 64) {
      left.read(at, region / 64);
      right.read(at, region / 64);
    }
    settle();
    left.assertSink();
    right.assertSink();
    closeAndCheckThatNothingIsLeft();
  }

  /** Every addition is done once, whatever the link does, and in the order of the requests. */
  @ParameterizedTest
  @CsvSource({"1, 0, false", "2, 0.03, false", "3, 0.03, true"})
  @Tag("RDMAPX-5.1-01")
  @Tag("RDMAPX-5.3-02")
  @Tag("RDMAPX-5.4-01")
  @Tag("RDMAPX-5.4-02")
  void shouldCountEveryAtomicOnce(long seed, double fault, boolean markers) {
    establish(seed, 1500, bad(fault, fault / 10), 1 << 14, markers);
    Memory.putLongNative(left.region.address(), 0);
    Memory.putLongNative(right.region.address(), 1_000_000);
    int most = 1000;
    int[] posted = {0, 0};
    while (posted[0] < most || posted[1] < most) {
      if (posted[0] < most && left.count(posted[0])) {
        posted[0]++;
      } else if (posted[1] < most && right.count(posted[1])) {
        posted[1]++;
      } else {
        int before = left.outstanding + right.outstanding;
        world.runUntil(() -> left.outstanding + right.outstanding < before);
      }
    }
    world.runUntil(() -> left.outstanding + right.outstanding == 0);
    for (int i = 0; i < most; i++) {
      assertThat(left.counted(i)).isEqualTo(1_000_000 + i);
      assertThat(right.counted(i)).isEqualTo(i);
    }
    assertThat(Memory.getLongNative(left.region.address())).isEqualTo(most);
    closeAndCheckThatNothingIsLeft();
  }

  /** Both programs at once, many requests on their way, under every kind of fault. */
  @ParameterizedTest
  @CsvSource({
    "1, 0, false",
    "2, 0.001, false",
    "3, 0.01, false",
    "4, 0.02, false",
    "5, 0.03, false",
    "5, 0.05, false",
    "9, 0.07, false",
    "10, 0, true",
    "11, 0.01, true",
    "14, 0.03, true",
    "13, 0.07, true"
  })
  @Tag("DDP-3-05") // out of order to DDP
  @Tag("DDP-5.3-01") // as sent
  @Tag("DDP-5.3-03") // placed out of order
  @Tag("DDP-5.3-05") // each once
  @Tag("DDP-5.3-06") // Delivered in order
  @Tag("DDP-3-13") // no segment twice
  @Tag("RDMAP-5.5-01") // in order to the program
  @Tag("RDMAP-5.5-10") // Sends after what precedes them
  void shouldKeepMemoryAsTheModelSays(long seed, double fault, boolean markers) {
    establish(seed, 1500, bad(fault, fault), 1 << 17, markers);
    Random random = new Random(seed);
    for (int i = 0; i < 60; i++) {
      for (int j = random.nextInt(12); j > 0; j--) {
        TestProgram program = random.nextBoolean() ? left : right;
        int length = random.nextInt(1 << random.nextInt(17));
        if (program.room(length)) {
          if (random.nextInt(3) > 0) {
            program.write(random, length);
          } else {
            program.send(random, length);
          }
        }
      }
      int target = left.delivered + right.delivered + random.nextInt(3);
      world.runUntil(
          () -> left.delivered + right.delivered >= target || (left.idle() && right.idle()));
    }
    settle();
    assertThat(left.delivered).isPositive();
    assertThat(right.delivered).isPositive();
    long early =
        world.left.engine.receiveCounters().segmentsPlacedEarly
            + world.right.engine.receiveCounters().segmentsPlacedEarly;
    assertThat(early > 0).as("placed early: %d", early).isEqualTo(markers && fault > 0);
    closeAndCheckThatNothingIsLeft();
  }
}
