package org.rddp.dpdk.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.dpdk.EspKey;
import org.rddp.ip.esp.EspCipher;
import org.rddp.ip.esp.EspSuite;
import org.rddp.ip.esp.JceCiphers;
import org.rddp.wire.Memory;

/** AES-GCM by libipsec-mb beside the JDK's, where both are there. */
@RequiresDpdk
class NativeCiphersTest {
  private static final int SPI = 0x1000;
  private static final int LONGEST = 9000;

  private final long payload = Memory.allocate(LONGEST);
  private final long one = Memory.allocate(LONGEST + 64);
  private final long other = Memory.allocate(LONGEST + 64);

  @BeforeEach
  void requireLibrary() {
    assumeTrue(EspKey.isSupported(), "the shim has no libipsec-mb, or the processor no AES");
  }

  @ParameterizedTest(name = "{0}, ESN {1}")
  @CsvSource({
    "AES128_GCM16, true",
    "AES128_GCM16, false",
    "AES256_GCM16, true",
    "AES256_GCM16, false"
  })
  @DisplayName("both seal alike, open what the other has sealed, and refuse what is spoilt")
  void shouldAgreeWithTheJdk(EspSuite suite, boolean esn) {
    SplittableRandom random = new SplittableRandom(suite.keyOctets());
    byte[] keys = new byte[suite.keyOctets()];
    random.nextBytes(keys);
    try (EspCipher jdk = new JceCiphers().cipher(suite, esn, keys);
        EspCipher reader = new JceCiphers().cipher(suite, esn, keys);
        EspCipher library = new NativeCiphers().cipher(suite, esn, keys)) {
      assertThat(library.getClass()).isNotEqualTo(jdk.getClass());
      for (int i = 0; i < 400; i++) {
        int length = i < 100 ? i : random.nextInt(LONGEST);
        byte[] plain = new byte[length];
        random.nextBytes(plain);
        Memory.copy(plain, 0, payload, length);
        long sequence = esn ? random.nextLong() | 1 : i + 1;
        int whole = suite.sealedLength(length);
        jdk.seal(payload, length, 6, SPI, sequence, one);
        library.seal(payload, length, 6, SPI, sequence, other);
        byte[] sealed = Memory.bytes(one, whole);
        assertThat(Memory.bytes(other, whole)).as("%d octets", length).isEqualTo(sealed);
        assertThat(Memory.bytes(payload, length)).as("is not written").isEqualTo(plain);
        assertThat(library.open(one, whole, sequence))
            .isEqualTo(reader.open(other, whole, sequence));
        assertThat(Memory.bytes(one + suite.header(), whole - 32))
            .isEqualTo(Memory.bytes(other + suite.header(), whole - 32));
        assertThat(Memory.bytes(one + suite.header(), length)).isEqualTo(plain);
        int bit = random.nextInt(whole * 8);
        if (bit / 8 < 4 || bit / 8 >= 8) {
          // The number itself is the caller's.
          sealed[bit / 8] ^= (byte) (1 << (bit & 7));
          Memory.copy(sealed, 0, one, whole);
          assertThat(library.open(one, whole, sequence)).isEqualTo(-1);
        }
        assertThat(library.open(one, random.nextInt(36), sequence)).isEqualTo(-1);
      }
    }
  }

  @Test
  @DisplayName("other suites are the JDK's")
  void shouldLeaveOtherSuitesToTheJdk() {
    byte[] keys = new byte[EspSuite.AES128_SHA256.keyOctets()];
    keys[0] = 1;
    try (EspCipher cipher = new NativeCiphers().cipher(EspSuite.AES128_SHA256, true, keys);
        EspCipher jdk = new JceCiphers().cipher(EspSuite.AES128_SHA256, true, keys)) {
      assertThat(cipher.getClass()).isEqualTo(jdk.getClass());
    }
    assertThat(new NativeCiphers()).hasToString("libipsec-mb");
  }

  @Test
  @DisplayName("a packet allocates nothing")
  void shouldAllocateNothing() {
    byte[] keys = new byte[EspSuite.AES128_GCM16.keyOctets()];
    keys[0] = 1;
    try (EspCipher cipher = new NativeCiphers().cipher(EspSuite.AES128_GCM16, true, keys)) {
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      long thread = Thread.currentThread().threadId();
      int packets = 20_000;
      long least = Long.MAX_VALUE;
      for (int round = 0; round < 10; round++) {
        long before = threads.getThreadAllocatedBytes(thread);
        for (int i = 0; i < packets; i++) {
          long sequence = (long) round * packets + i + 1;
          cipher.seal(payload, 1446, 6, SPI, sequence, one);
          if (cipher.open(one, EspSuite.AES128_GCM16.sealedLength(1446), sequence) < 0) {
            throw new AssertionError("not authentic");
          }
        }
        least = Math.min(least, threads.getThreadAllocatedBytes(thread) - before);
      }
      assertThat(least).as("octets for %d packets", packets).isLessThan(packets);
    }
  }
}
