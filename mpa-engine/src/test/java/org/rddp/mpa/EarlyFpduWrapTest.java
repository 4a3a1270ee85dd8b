package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.crc.Crc32c;
import org.rddp.device.NativePacketPool;
import org.rddp.wire.Memory;

/** Early FPDUs in a stream so long that sequence numbers have begun again. */
class EarlyFpduWrapTest {
  private static final long WRAP = 1L << 32;

  @Test
  @DisplayName("RFC 5044 4.3: a Marker after the wrap leads to an FPDU before it")
  @Tag("MPA-4.3-06")
  void shouldFindAnFpduThatStartsBeforeTheWrap() {
    NativePacketPool pool = new NativePacketPool(4, 2048);
    for (int before = 4; before <= 1024; before += 4) {
      RecordingHandler handler = new RecordingHandler();
      long start = WRAP - 20 * 512 - 256;
      FpduReader reader = new FpduReader(Crc32c.create(), true, true, start);
      EarlyFpdus early = new EarlyFpdus(handler, pool, reader);
      long position = WRAP - before;
      if (Markers.at(position - Markers.OCTETS - start)) {
        continue; // The Marker there would be the FPDU's first octets.
      }
      byte[] fpdu = PeerOctets.fpdu(new byte[1400], position - start);
      long packet = pool.allocate();
      Memory.copy(fpdu, 0, pool.address(packet), fpdu.length);
      early.take(position, pool.address(packet), fpdu.length, packet);
      pool.release(packet);
      assertThat(handler.events).as("%d octets before", before).containsExactly("early 1400");
      assertThat(handler.positions).containsExactly(position);
      assertThat(pool.available()).isEqualTo(pool.capacity());
    }
  }
}
