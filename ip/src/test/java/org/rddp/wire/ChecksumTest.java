package org.rddp.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ChecksumTest {
  private final long memory = Memory.allocate(70_000);

  /** RFC 1071 section 4.1: two octets at a time. */
  private static int reference(byte[] octets) {
    long sum = 0;
    for (int i = 0; i < octets.length; i++) {
      sum += (octets[i] & 0xff) << ((i & 1) == 0 ? 8 : 0);
    }
    while (sum >>> 16 != 0) {
      sum = (sum & 0xffff) + (sum >>> 16);
    }
    return (int) sum;
  }

  @Test
  void shouldAddTheExampleOfRfc1071() {
    byte[] octets = {0, 1, (byte) 0xf2, 3, (byte) 0xf4, (byte) 0xf5, (byte) 0xf6, (byte) 0xf7};
    Memory.copy(octets, 0, memory, octets.length);
    assertThat(Checksum.sum(memory, octets.length)).isEqualTo(0xddf2);
    assertThat(Checksum.field(0xddf2)).isEqualTo(0x220d);
  }

  @Test
  void shouldAgreeWithTheDefinitionForEveryLengthAndAlignment() {
    SplittableRandom random = new SplittableRandom(1);
    for (int length = 0; length < 300; length++) {
      byte[] octets = new byte[length];
      random.nextBytes(octets);
      long address = memory + random.nextInt(64);
      Memory.copy(octets, 0, address, length);
      assertThat(Checksum.sum(address, length))
          .as("length %d", length)
          .isEqualTo(reference(octets));
    }
  }

  @Test
  void shouldAddHeadersWithoutOptionsAsAnyOctets() {
    SplittableRandom random = new SplittableRandom(4);
    for (int i = 0; i < 100; i++) {
      byte[] octets = new byte[20];
      random.nextBytes(octets);
      Memory.copy(octets, 0, memory + i, octets.length);
      assertThat(Checksum.sumOfTwenty(memory + i)).isEqualTo(reference(octets));
    }
  }

  @Test
  void shouldAgreeWithTheDefinitionByVectors() {
    assumeTrue(Checksum.vectorsAreThere());
    Checksum.warmUp(Thread::yield).run();
    SplittableRandom random = new SplittableRandom(5);
    for (int length = 0; length < 9000; length += 1 + random.nextInt(20)) {
      byte[] octets = new byte[length];
      random.nextBytes(octets);
      long address = memory + random.nextInt(64);
      Memory.copy(octets, 0, address, length);
      assertThat(Checksum.sum(address, length))
          .as("length %d", length)
          .isEqualTo(reference(octets));
    }
    assertNoOverflow();
  }

  @Test
  void shouldAddEachWordOnceByVectors() {
    assumeTrue(Checksum.vectorsAreThere());
    SplittableRandom random = new SplittableRandom(6);
    long expected = 0;
    for (int octets = 0; octets < 4096; octets += VectorChecksum.vector()) {
      assertThat(VectorChecksum.sum(memory + 1, octets))
          .as("%d octets", octets)
          .isEqualTo(expected);
      for (int i = octets; i < octets + VectorChecksum.vector(); i += 4) {
        int word = random.nextInt();
        Memory.putIntNative(memory + 1 + i, word);
        expected += Integer.toUnsignedLong(word);
      }
    }
  }

  @Test
  void shouldNotOverflowOnTheLargestPacket() {
    assertNoOverflow();
  }

  private void assertNoOverflow() {
    byte[] octets = new byte[65535];
    Arrays.fill(octets, (byte) 0xff);
    Memory.copy(octets, 0, memory, octets.length);
    assertThat(Checksum.sum(memory, octets.length)).isEqualTo(reference(octets));
  }

  @Test
  void shouldFoldEveryCarry() {
    assertThat(Checksum.fold(0)).isZero();
    assertThat(Checksum.fold(0xffff)).isEqualTo(0xffff);
    assertThat(Checksum.fold(0x10000)).isEqualTo(1);
    assertThat(Checksum.fold(0xffff_ffffL)).isEqualTo(0xffff);
    assertThat(Checksum.fold(0x1_0000_0000L)).isEqualTo(1);
    assertThat(Checksum.fold(0x7fff_ffff_ffff_ffffL)).isEqualTo(0x7fff);
  }

  @Test
  void shouldAddPartsInAnyOrder() {
    SplittableRandom random = new SplittableRandom(2);
    byte[] octets = new byte[1001];
    random.nextBytes(octets);
    Memory.copy(octets, 0, memory, octets.length);
    long parts = Checksum.sum(memory + 400, 601) + (long) Checksum.sum(memory, 400);
    assertThat(Checksum.fold(parts)).isEqualTo(reference(octets));
  }

  @Test
  void shouldFollowAChangeOfOneWord() {
    SplittableRandom random = new SplittableRandom(3);
    byte[] octets = new byte[64];
    for (int i = 0; i < 1000; i++) {
      random.nextBytes(octets);
      Memory.copy(octets, 0, memory, octets.length);
      int field = Checksum.field(Checksum.sum(memory, 64));
      int before = Memory.getShort(memory + 20);
      int after = random.nextInt(0x10000);
      Memory.putShort(memory + 20, after);
      assertThat(Checksum.replace(field, before, after))
          .isEqualTo(Checksum.field(Checksum.sum(memory, 64)));
    }
  }
}
