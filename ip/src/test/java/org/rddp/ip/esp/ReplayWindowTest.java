package org.rddp.ip.esp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The window by which packets that come again are known (RFC 4303 section 3.4.3, RFC 6479). */
class ReplayWindowTest {
  private static final long TURN = 1L << 32;

  @ParameterizedTest
  @ValueSource(ints = {32, 33, 63, 64, 65, 1000, 1024, 4096})
  @DisplayName("RFC 4303 section 3.4.3: each number is new once, and those before the window never")
  void shouldTakeEachNumberOnce(int size) {
    SplittableRandom random = new SplittableRandom(size);
    for (int run = 0; run < 20; run++) {
      boolean esn = random.nextBoolean();
      long top = random.nextBoolean() ? 0 : (esn ? TURN * random.nextInt(3) : 0) + 3L * size;
      ReplayWindow window = new ReplayWindow(size, esn, top);
      Set<Long> received = new HashSet<>();
      long start = top;
      for (int i = 0; i < 5000; i++) {
        int reach = random.nextInt(50) == 0 ? 3 * size : size / 8 + 2;
        long number = Math.max(1, top + random.nextInt(reach) - random.nextInt(2 * size) / 2);
        boolean expected =
            number > top || (number > start && top - number < size && !received.contains(number));
        assertThat(window.isNew(number)).as("%d after %d", number, top).isEqualTo(expected);
        // Only authentic packets are recorded.
        if (expected && random.nextInt(8) > 0) {
          window.add(number);
          received.add(number);
          top = Math.max(top, number);
          assertThat(window.isNew(number)).isFalse();
          assertThat(window.top()).isEqualTo(top);
        }
      }
    }
  }

  @Test
  @DisplayName("every number of a whole window is taken once")
  void shouldRememberTheWholeWindow() {
    ReplayWindow window = new ReplayWindow(1024, false);
    for (int round = 0; round < 2; round++) {
      for (long number = 1024; number >= 1; number--) {
        assertThat(window.isNew(number)).as("%d in round %d", number, round).isEqualTo(round == 0);
        if (round == 0) {
          window.add(number);
        }
      }
    }
    window.add(1025);
    assertThat(window.isNew(1)).as("has left the window").isFalse();
  }

  @ParameterizedTest(name = "top {0}: low half {1} is {2}")
  @DisplayName("RFC 4303 appendix A2.2: the high half comes from the window's place")
  @CsvSource({
    // The window lies within one subspace (case A).
    "0x500002000, 0x00001c01, 0x500001c01",
    "0x500002000, 0x00002001, 0x500002001",
    "0x500002000, 0x00001c00, 0x600001c00",
    "0x500002000, 0xffffffff, 0x5ffffffff",
    "0x5000003ff, 0x00000000, 0x500000000",
    // It spans two (case B).
    "0x500000010, 0xfffffc11, 0x4fffffc11",
    "0x500000010, 0xffffffff, 0x4ffffffff",
    "0x500000010, 0x00000000, 0x500000000",
    "0x500000010, 0xfffffc10, 0x5fffffc10",
    // The first packets.
    "0x0, 0x00000001, 0x1",
    "0x0, 0xfffffc00, 0xfffffc00",
    // No number is below 1, or needs more than 64 bits.
    "0x0, 0x00000000, 0x0",
    "0x0, 0xfffffc01, 0x0",
    "0xffffffffffffff00, 0x00000001, 0x0"
  })
  void shouldFindTheHighHalf(String top, String low, String expected) {
    ReplayWindow window = new ReplayWindow(1024, true, number(top));
    assertThat(window.number((int) number(low))).isEqualTo(number(expected));
  }

  @Test
  @DisplayName("RFC 4303 appendix A: numbers go on beyond 2^32, also when packets come late")
  void shouldCrossTheSubspace() {
    SplittableRandom random = new SplittableRandom(1);
    ReplayWindow window = new ReplayWindow(1024, true, TURN - 5000);
    for (long next = TURN - 4999; next < TURN + 5000; next++) {
      long late = Math.max(TURN - 4999, next - random.nextInt(900));
      long found = window.number((int) late);
      assertThat(found).isEqualTo(late);
      if (window.isNew(found)) {
        window.add(found);
      }
      assertThat(window.number((int) next)).isEqualTo(next);
      if (window.isNew(next)) {
        window.add(next);
      }
    }
    assertThat(window.top()).isEqualTo(TURN + 4999);
  }

  /** What RFC 4303 appendix A2 says of a packet, as it says it. */
  private static final class Appendix {
    final int w;
    final Set<Long> received = new HashSet<>();
    final long first;
    long th;
    long tl;

    Appendix(int w, long top) {
      this.w = w;
      first = top;
      th = top >>> 32;
      tl = top & 0xffff_ffffL;
    }

    /** Seqh; -1 if there is none before the first packet. */
    long high(long seql) {
      if (tl >= w - 1) {
        return seql >= tl - w + 1 ? th : th + 1;
      }
      return seql >= tl - w + 1 + TURN ? th - 1 : th;
    }

    /** Whether the packet passes the replay check, or lies beyond the window. */
    boolean passes(long seql) {
      long number = high(seql) << 32 | seql;
      return high(seql) >= 0 && number > first && number > 0 && !received.contains(number);
    }

    void verified(long seql) {
      long high = high(seql);
      received.add(high << 32 | seql);
      if (high > th || (high == th && seql > tl)) {
        th = high;
        tl = seql;
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {32, 64, 100, 1024})
  @DisplayName("RFC 4303 appendix A2: every packet is judged as there, over several turns of 2^32")
  void shouldJudgeAsTheAppendix(int size) {
    SplittableRandom random = new SplittableRandom(size);
    long[] steps = {1, 1, 1, 1, 3, size / 2, 2L * size, 1L << 20, 1L << 30, TURN - 2L * size};
    for (int run = 0; run < 20; run++) {
      long top = run == 0 ? 0 : TURN * run - random.nextLong(3L * size) - 1;
      ReplayWindow window = new ReplayWindow(size, true, top);
      Appendix appendix = new Appendix(size, top);
      long sent = top;
      for (int i = 0; i < 3000; i++) {
        sent += steps[random.nextInt(random.nextInt(20) == 0 ? steps.length : 6)];
        long number = Math.max(1, sent - random.nextLong(random.nextInt(4) == 0 ? 2L * size : 2));
        boolean forged = random.nextInt(8) == 0;
        long low = (forged ? random.nextLong() : number) & 0xffff_ffffL;
        long high = appendix.high(low);
        long found = window.number((int) low);
        assertThat(found).isEqualTo(high < 0 ? ReplayWindow.INVALID : high << 32 | low);
        assertThat(window.isNew(found)).as("%x", found).isEqualTo(appendix.passes(low));
        if (!forged && found == number && window.isNew(found)) {
          window.add(found);
          appendix.verified(low);
          assertThat(window.top()).isEqualTo(appendix.th << 32 | appendix.tl);
        }
      }
      assertThat(window.top()).as("several turns").isGreaterThan(top + TURN);
    }
  }

  @Test
  @DisplayName("without ESN nothing follows 2^32 - 1")
  void shouldNotGoOnWithoutEsn() {
    ReplayWindow window = new ReplayWindow(32, false, TURN - 1);
    for (int low : new int[] {0, 1, 31, -1, -32}) {
      assertThat(window.isNew(window.number(low))).as("%x", low).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 31, (1 << 16) + 1})
  void shouldRefuseOtherSizes(int size) {
    assertThatThrownBy(() -> new ReplayWindow(size, true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("32 to 65536");
  }

  private static long number(String hex) {
    return Long.parseUnsignedLong(hex.substring(2), 16);
  }
}
