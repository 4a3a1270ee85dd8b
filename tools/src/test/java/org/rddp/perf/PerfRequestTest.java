package org.rddp.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.rddp.client.types.PrivateData;
import org.rddp.rig.AdvertisedBuffer;

class PerfRequestTest {
  private static final PerfRequest REQUEST =
      new PerfRequest(
          Service.WRITE_BACK,
          Verb.WRITE,
          100,
          4096,
          true,
          new AdvertisedBuffer(0x12345678, 1L << 40, 1 << 20));

  private static byte[] octets() {
    return REQUEST.toPrivateData().toByteArray();
  }

  @Test
  void shouldReadWhatItWrites() {
    assertThat(octets()).hasSize(48).startsWith("rddpperf".getBytes(StandardCharsets.US_ASCII));
    assertThat(PerfRequest.read(REQUEST.toPrivateData())).contains(REQUEST);
  }

  @Test
  void shouldIgnoreOtherPrivateData() {
    assertThat(PerfRequest.read(PrivateData.NONE)).isEmpty();
    assertThat(PerfRequest.read(PrivateData.of(new byte[512]))).isEmpty();
  }

  @Test
  void shouldRefuseAnotherVersion() {
    byte[] octets = octets();
    octets[9]++;
    assertThatThrownBy(() -> PerfRequest.read(PrivateData.of(octets)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("another version");
  }

  @Test
  void shouldRefuseEveryTruncation() {
    for (int length = 8; length < 48; length++) {
      byte[] octets = Arrays.copyOf(octets(), length);
      assertThatThrownBy(() -> PerfRequest.read(PrivateData.of(octets)))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void shouldRefuseValuesOutOfRange() {
    assertRefused(octets -> octets.put(10, (byte) 3));
    assertRefused(octets -> octets.put(11, (byte) -1));
    assertRefused(octets -> octets.putShort(14, (short) 0));
    assertRefused(octets -> octets.putShort(14, (short) 4097));
    assertRefused(octets -> octets.putInt(16, 0));
    assertRefused(octets -> octets.putInt(16, -1));
    assertRefused(octets -> octets.putInt(16, PerfRequest.LARGEST + 1));
    assertRefused(octets -> octets.put(11, (byte) Verb.ATOMIC.code()));
  }

  private static void assertRefused(Consumer<ByteBuffer> change) {
    byte[] octets = octets();
    change.accept(ByteBuffer.wrap(octets));
    assertThatThrownBy(() -> PerfRequest.read(PrivateData.of(octets)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldNoticeAServerThatDoesNotKnowIt() {
    AdvertisedBuffer buffer = new AdvertisedBuffer(1, 2, 3);
    assertThat(PerfReply.read(new PerfReply(buffer).toPrivateData()).buffer()).isEqualTo(buffer);
    assertThatThrownBy(() -> PerfReply.read(buffer.toPrivateData()))
        .isInstanceOf(PerfException.class)
        .hasMessageContaining("start 'rddp echo' of the same release");
  }
}
