package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.rddp.crc.Crc32c;
import org.rddp.device.NativePacketPool;
import org.rddp.wire.Memory;

/** What an incomplete FPDU keeps. Long packets are as many as a sixteenth of the others. */
class FpduOctetsTest {
  private static final int OCTETS = 5000;

  private int retained;
  private final NativePacketPool pool = new NativePacketPool(64, 2048, 4, 16_384);
  private final FpduOctets fpdu = new FpduOctets(pool, more -> retained += more);

  private void keepOfALongPacket() {
    long packet = pool.allocateLong();
    byte[] octets = new byte[OCTETS];
    new Random(1).nextBytes(octets);
    Memory.copy(octets, 0, pool.address(packet), OCTETS);
    int expected = Crc32c.create().update(0, pool.address(packet), OCTETS);
    pool.window(packet, pool.address(packet), OCTETS);
    fpdu.keep(pool.address(packet), OCTETS, packet);
    pool.release(packet);
    assertThat(fpdu.count()).isEqualTo(OCTETS);
    assertThat(fpdu.crc(Crc32c.create(), OCTETS)).isEqualTo(expected);
  }

  private void clear() {
    fpdu.clear();
    assertThat(retained).isZero();
    assertThat(pool.available()).isEqualTo(pool.capacity());
    assertThat(pool.longAvailable()).isEqualTo(pool.longCapacity());
  }

  @Test
  @DisplayName("an incomplete FPDU keeps no long packet: there are few, for frames on their way")
  void shouldKeepNoLongPacket() {
    keepOfALongPacket();
    assertThat(pool.longAvailable()).isEqualTo(pool.longCapacity());
    assertThat(retained).isEqualTo(3).isEqualTo(pool.capacity() - pool.available());
    clear();
  }

  @Test
  @DisplayName("a long packet counts for as many as there are for each, where others have run out")
  void shouldCountALongPacketForSeveral() {
    long[] taken = new long[pool.capacity() - 1];
    for (int i = 0; i < taken.length; i++) {
      taken[i] = pool.allocate();
    }
    keepOfALongPacket();
    assertThat(pool.longAvailable()).isEqualTo(pool.longCapacity() - 1);
    assertThat(retained).isEqualTo(1 + 16);
    for (long each : taken) {
      pool.release(each);
    }
    clear();
  }
}
