package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.crc.Crc32c;
import org.rddp.crc.ScalarCrc32c;
import org.rddp.device.NativePacketPool;
import org.rddp.tcp.testing.InMemoryTcpStream;
import org.rddp.wire.Memory;

class MpaSenderTest {
  private static final int ROOM = 9216;

  /** Takes CRCs by table, and copies in one pass from some length on. */
  private static final class InOnePass implements Crc32c {
    private final Crc32c table = new ScalarCrc32c();
    private final long from;
    private long copied;

    private InOnePass(long from) {
      this.from = from;
    }

    @Override
    public int update(int crc, long address, long length) {
      return table.update(crc, address, length);
    }

    @Override
    public int copy(int crc, long from, long to, long length) {
      copied += length;
      return table.copy(crc, from, to, length);
    }

    @Override
    public boolean copiesInOnePass(long length) {
      return length >= from;
    }
  }

  private static byte[] sent(Crc32c crc32c, boolean markers, long head, long payload, int length) {
    return sent(crc32c, true, markers, head, payload, length);
  }

  private static byte[] sent(
      Crc32c crc32c, boolean crc, boolean markers, long head, long payload, int length) {
    InMemoryTcpStream stream = new InMemoryTcpStream(new NativePacketPool(1, ROOM), 1460, 0x5a);
    MpaSender sender = new MpaSender(stream, crc32c, crc, markers, false);
    assertThat(sender.send(head, length % 29, payload, length, true)).isTrue();
    return stream.takeSent();
  }

  @Test
  void shouldSendTheSameWhetherOrNotTheCrcIsTakenInTheSamePass() {
    Random random = new Random(21);
    long head = Memory.allocate(ROOM);
    for (int at = 0; at < ROOM; at++) {
      Memory.putByte(head + at, random.nextInt());
    }
    for (int length = 0; length < 8900; length += 1 + random.nextInt(40)) {
      for (boolean markers : new boolean[] {false, true}) {
        long payload = head + random.nextInt(64);
        InOnePass fused = new InOnePass(0);
        byte[] expected = sent(new ScalarCrc32c(), markers, head, payload, length);
        assertThat(sent(fused, markers, head, payload, length))
            .as("%d octets, Markers %s", length, markers)
            .isEqualTo(expected);
        assertThat(sent(Crc32c.create(), markers, head, payload, length)).isEqualTo(expected);
        assertThat(fused.copied).isEqualTo(markers ? 0 : length);
      }
    }
  }

  @Test
  void shouldTakeTheCrcInTheSamePassOnlyWhereThatIsQuicker() {
    long memory = Memory.allocate(ROOM);
    InOnePass fused = new InOnePass(4096);
    sent(fused, false, memory, memory, 4095);
    assertThat(fused.copied).isZero();
    sent(fused, false, memory, memory, 4096);
    assertThat(fused.copied).isEqualTo(4096);
  }

  /** The peer does not look at it, so neither pass over the octets is needed. */
  @Test
  @Tag("MPA-4.4-10")
  @Tag("MPA-4.4-11")
  void shouldComputeNoCrcThatThePeerDoesNotCheck() {
    long memory = Memory.allocate(ROOM);
    InOnePass fused = new InOnePass(0);
    for (boolean markers : new boolean[] {false, true}) {
      byte[] expected = sent(new ScalarCrc32c(), markers, memory, memory, 1400);
      byte[] octets = sent(fused, false, markers, memory, memory, 1400);
      int crcAt = expected.length - Fpdu.CRC;
      assertThat(Arrays.copyOf(octets, crcAt)).isEqualTo(Arrays.copyOf(expected, crcAt));
      assertThat(Arrays.copyOfRange(octets, crcAt, octets.length)).containsOnly(0);
      assertThat(octets).hasSameSizeAs(expected);
    }
    assertThat(fused.copied).isZero();
  }
}
