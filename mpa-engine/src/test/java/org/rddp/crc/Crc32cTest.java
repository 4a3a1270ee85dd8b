package org.rddp.crc;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.rddp.wire.Memory;

class Crc32cTest {
  private static final int ROOM = 1 << 18;
  private static final int SHORTEST = (int) Crc32cThresholds.SHORTEST;
  private static final long BUFFER = filled();
  private static final long COPY = Memory.allocate(ROOM);

  private static long filled() {
    byte[] octets = new byte[ROOM];
    new Random(5).nextBytes(octets);
    long address = Memory.allocate(ROOM);
    Memory.copy(octets, 0, address, ROOM);
    return address;
  }

  static List<Crc32c> implementations() {
    List<Crc32c> all = new ArrayList<>();
    all.add(new ScalarCrc32c());
    all.add(new IntrinsicCrc32c());
    if (Crc32cChoice.vectorsAreThere()) {
      all.add(new VectorCrc32c(new Crc32cThresholds(SHORTEST, SHORTEST)));
    }
    return all;
  }

  @ParameterizedTest
  @MethodSource("implementations")
  @Tag("MPA-4.4-12")
  void shouldGiveTheCheckValuesOfIscsi(Crc32c crc32c) {
    byte[] rising = new byte[32];
    byte[] falling = new byte[32];
    for (int i = 0; i < 32; i++) {
      rising[i] = (byte) i;
      falling[i] = (byte) (31 - i);
    }
    assertThat(onTheWire(crc32c, new byte[32])).isEqualTo(0xaa36918a);
    assertThat(onTheWire(crc32c, ones())).isEqualTo(0x43aba862);
    assertThat(onTheWire(crc32c, rising)).isEqualTo(0x4e79dd46);
    assertThat(onTheWire(crc32c, falling)).isEqualTo(0x5cdb3f11);
  }

  private static byte[] ones() {
    byte[] ones = new byte[32];
    Arrays.fill(ones, (byte) 0xff);
    return ones;
  }

  private static int onTheWire(Crc32c crc32c, byte[] octets) {
    long address = Memory.allocate(octets.length);
    Memory.copy(octets, 0, address, octets.length);
    return Integer.reverseBytes(crc32c.update(0, address, octets.length));
  }

  @ParameterizedTest
  @MethodSource("implementations")
  void shouldEqualTheJdkForEveryLengthAtAnyAlignment(Crc32c crc32c) {
    Random random = new Random(11);
    CRC32C expected = new CRC32C();
    for (int length = 0; length <= 20_000; length++) {
      int from = random.nextInt(ROOM - length);
      expected.reset();
      expected.update(Memory.bytes(BUFFER + from, length));
      assertThat(crc32c.update(0, BUFFER + from, length))
          .as("%d octets from %d", length, from)
          .isEqualTo((int) expected.getValue());
    }
  }

  @ParameterizedTest
  @MethodSource("implementations")
  @Tag("MPAB-2.1-03")
  void shouldContinueACrcOverAnySplit(Crc32c crc32c) {
    Random random = new Random(12);
    for (int round = 0; round < 3000; round++) {
      int length = random.nextInt(round % 10 == 0 ? ROOM : 700);
      int split = random.nextInt(length + 1);
      int whole = crc32c.update(0, BUFFER, length);
      int first = crc32c.update(0, BUFFER, split);
      assertThat(crc32c.update(first, BUFFER + split, length - split))
          .as("%d octets, split at %d", length, split)
          .isEqualTo(whole);
      int second = crc32c.update(0, BUFFER + split, length - split);
      assertThat(Crc32c.combine(first, second, length - split)).isEqualTo(whole);
    }
  }

  @ParameterizedTest
  @MethodSource("implementations")
  void shouldCopyWhatItTakesTheCrcOf(Crc32c crc32c) {
    Random random = new Random(13);
    long room = Memory.allocate(20_000 + 256);
    for (int length = 0; length <= 20_000; length += 1 + random.nextInt(5)) {
      int from = random.nextInt(ROOM - length);
      long to = room + 64 + random.nextInt(64);
      int before = random.nextInt();
      Memory.fill(to - 64, length + 128, 0xa5);
      int crc = crc32c.copy(before, BUFFER + from, to, length);
      assertThat(crc)
          .as("%d octets from %d", length, from)
          .isEqualTo(crc32c.update(before, BUFFER + from, length));
      assertThat(Memory.bytes(to, length)).isEqualTo(Memory.bytes(BUFFER + from, length));
      assertThat(Memory.bytes(to - 64, 64)).containsOnly((byte) 0xa5);
      assertThat(Memory.bytes(to + length, 64)).containsOnly((byte) 0xa5);
    }
  }

  @ParameterizedTest
  @MethodSource("implementations")
  void shouldGiveTheSameOverManyPieces(Crc32c crc32c) {
    for (long seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      int length = random.nextInt(60_000);
      int whole = crc32c.update(0, BUFFER, length);
      int crc = 0;
      int joined = 0;
      for (int done = 0; done < length; ) {
        int part = Math.min(length - done, random.nextInt(1 << (2 + random.nextInt(13))));
        crc = crc32c.update(crc, BUFFER + done, part);
        joined = Crc32c.combine(joined, crc32c.update(0, BUFFER + done, part), part);
        done += part;
      }
      assertThat(crc).as("seed %d", seed).isEqualTo(whole);
      assertThat(joined).as("seed %d", seed).isEqualTo(whole);
    }
  }

  @ParameterizedTest
  @MethodSource("implementations")
  void shouldNoticeEverySingleBit(Crc32c crc32c) {
    Random random = new Random(14);
    long message = Memory.allocate(9000);
    for (int round = 0; round < 2000; round++) {
      int length = 1 + random.nextInt(9000);
      Memory.copy(BUFFER, message, length);
      int crc = crc32c.update(0, message, length);
      int at = random.nextInt(length);
      Memory.putByte(message + at, Memory.getByte(message + at) ^ 1 << random.nextInt(8));
      assertThat(crc32c.update(0, message, length))
          .as("%d octets, %d", length, at)
          .isNotEqualTo(crc);
    }
  }

  @Test
  void shouldCombineTerabytesOfZerosInAnyOrder() {
    Crc32c scalar = new ScalarCrc32c();
    long zeros = Memory.allocate(1 << 16);
    int three = scalar.update(0, zeros, 3);
    int six = scalar.update(0, zeros, 6);
    int many = scalar.update(0, zeros, 1 << 16);
    for (int bits = 16; bits < 42; bits++) {
      long octets = 1L << bits;
      int between = Crc32c.combine(Crc32c.combine(three, many, octets), three, 3);
      assertThat(between).isEqualTo(Crc32c.combine(six, many, octets));
      many = Crc32c.combine(many, many, octets);
    }
  }

  /** Vectors that HotSpot does not keep in registers are objects: this is how it shows. */
  @ParameterizedTest
  @MethodSource("implementations")
  void shouldAllocateNothing(Crc32c crc32c) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    int sum = 0;
    long allocated = Long.MAX_VALUE;
    for (int round = 0; round < 500 && allocated > 0; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      sum += used(crc32c);
      allocated = threads.getCurrentThreadAllocatedBytes() - before;
    }
    assertThat(allocated).as("octets allocated, %d", sum).isZero();
  }

  private static int used(Crc32c crc32c) {
    int sum = 0;
    for (int round = 0; round < 1000; round++) {
      int length = 1 + 14 * round;
      sum += crc32c.update(0, BUFFER + round, length);
      sum += crc32c.update(1, BUFFER + round, length);
      sum += crc32c.copy(1, BUFFER + round, COPY + round, length);
    }
    return sum;
  }
}
