package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.crc.Crc32c;
import org.rddp.device.NativePacketPool;
import org.rddp.wire.Memory;

/** Segments that are dropped come as often as a bad link likes: they cost no garbage. */
class SilentDropAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int ROUNDS = 100;
  private static final int SEGMENTS = 1000;

  @ParameterizedTest
  @ValueSource(strings = {"CRC", "Marker"})
  void shouldAllocateNothingForWhatIsWrong(String what) {
    byte[] octets = PeerOctets.fpdu(new byte[700], 0);
    octets[what.equals("CRC") ? 100 : 515] ^= 8;
    byte[] fpdu = what.equals("CRC") ? octets : PeerOctets.resealed(octets);
    long address = Memory.allocate(fpdu.length);
    Memory.copy(fpdu, 0, address, fpdu.length);
    NativePacketPool pool = new NativePacketPool(4, 2048);
    FpduReader reader = new FpduReader(Crc32c.ofThread(), true, true, 0);
    SilentDrop silentDrop =
        new SilentDrop(pool, reader, new MpaReceiver(null, pool, reader, packets -> {}));

    int dropped = 0;
    long least = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS && least > 0; round++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < SEGMENTS; i++) {
        dropped += silentDrop.drops(0, address, fpdu.length, 0) ? 1 : 0;
      }
      least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
    }

    assertThat(dropped).isEqualTo(SilentDrop.ATTEMPTS);
    assertThat(least).as("octets allocated for %d segments", SEGMENTS).isZero();
  }
}
