package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.rddp.wire.Memory;

class UlpduTest {
  private static final int LENGTH = 40;

  /** The octets in pieces that lie apart. */
  private static Ulpdu scattered(byte[] octets, Random random) {
    Ulpdu ulpdu = new Ulpdu();
    ulpdu.reset(77, false);
    for (int from = 0; from < octets.length; ) {
      int part = Math.min(octets.length - from, random.nextInt(6));
      long address = Memory.allocate(8);
      Memory.copy(octets, from, address, part);
      ulpdu.add(address, part);
      from += part;
    }
    return ulpdu;
  }

  @Test
  void shouldReadTheSameFromAnyPieces() {
    Random random = new Random(1);
    long target = Memory.allocate(LENGTH);
    for (int round = 0; round < 200; round++) {
      byte[] octets = new byte[LENGTH];
      random.nextBytes(octets);
      ByteBuffer expected = ByteBuffer.wrap(octets);
      Ulpdu ulpdu = scattered(octets, random);
      assertThat(ulpdu.length()).isEqualTo(LENGTH);
      assertThat(ulpdu.position()).isEqualTo(77);
      for (int at = 0; at < LENGTH; at++) {
        assertThat(ulpdu.getByte(at)).isEqualTo(expected.get(at) & 0xff);
      }
      for (int at = 0; at + 8 <= LENGTH; at++) {
        assertThat(ulpdu.getShort(at)).isEqualTo(expected.getShort(at) & 0xffff);
        assertThat(ulpdu.getInt(at)).isEqualTo(expected.getInt(at));
        assertThat(ulpdu.getLong(at)).isEqualTo(expected.getLong(at));
      }
      int from = random.nextInt(LENGTH);
      int part = random.nextInt(LENGTH - from + 1);
      ulpdu.copy(from, target, part);
      assertThat(Memory.bytes(target, part))
          .isEqualTo(Arrays.copyOfRange(octets, from, from + part));
      int sum = 0;
      for (int piece = 0; piece < ulpdu.fragments(); piece++) {
        assertThat(ulpdu.octets(piece)).isPositive();
        assertThat(Memory.getByte(ulpdu.address(piece))).isEqualTo(octets[sum] & 0xff);
        sum += ulpdu.octets(piece);
      }
      assertThat(sum).isEqualTo(LENGTH);
    }
  }

  @Test
  void shouldRefuseOctetsOutsideOfIt() {
    Ulpdu ulpdu = Ulpdu.of(0, Memory.allocate(8), 8);
    assertThat(ulpdu.getLong(0)).isZero();
    assertThatThrownBy(() -> ulpdu.getLong(1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> ulpdu.getInt(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> ulpdu.getShort(7)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> ulpdu.getByte(8)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> ulpdu.copy(4, 1, 5)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> ulpdu.copy(4, 1, -1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> ulpdu.address(1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> Ulpdu.of(0, 1, 0).getByte(0))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }
}
