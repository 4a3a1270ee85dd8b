package org.rddp.tcp.congestion;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.wire.AccEcnOption;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpOptions;

/** How feedback is read (RFC 9768 section 3.2.2.5.2 and appendix A). */
class AccEcnSenderTest {
  private static final int EMSS = 1000;
  private static final long MUCH = 1L << 40;

  private final TcpOptions options = new TcpOptions();
  private final long header = Memory.allocate(64);
  private AccEcnSender sender;

  @BeforeEach
  void begin() {
    sender = new AccEcnSender();
  }

  private AccEcnOption none() {
    options.parse(header, Tcp.HEADER);
    return options.accEcn;
  }

  private AccEcnOption option(int ce) {
    AccEcnOption.put(header + Tcp.HEADER, AccEcnOption.SHORT, false, 1, ce, 1);
    options.parse(header, Tcp.HEADER + AccEcnOption.SHORT);
    return options.accEcn;
  }

  @ParameterizedTest(name = "{0} acknowledged, ACE + {1}: {2} octets")
  @CsvSource({"9, 2, 2000", "10, 2, 10000", "1, 1, 1000", "7, 0, 0", "8, 0, 8000", "2, 4, 2000"})
  @Tag("ACC-3.2.2.5.2-01")
  @DisplayName("RFC 9768 A.2.1: without options the safest case counts")
  void shouldCountTheSafestCase(int packets, int more, long expected) {
    boolean congestion =
        sender.acknowledged((5 + more) & 7, none(), packets, (long) packets * EMSS, EMSS);
    assertThat(congestion).isEqualTo(expected > 0);
    assertThat(sender.takeMarked(MUCH)).isEqualTo(expected);
  }

  @ParameterizedTest(name = "ACE + {0}, {1} octets of 16 packets: then ACE + {2} is no mark")
  @CsvSource({"0, 8000, 0", "2, 1400, 2", "2, 2000, 2", "2, 9000, 2", "0, 0, 0"})
  @Tag("ACC-3.2.2.5.2-01")
  @DisplayName("RFC 9768 A.2.2: with options the octets say whether ACE has gone around")
  void shouldReconcilePacketsWithOctets(int more, int octets, int later) {
    boolean congestion = sender.acknowledged((5 + more) & 7, option(octets), 16, 16_000, EMSS);
    assertThat(congestion).isEqualTo(octets > 0);
    assertThat(sender.takeMarked(MUCH)).isEqualTo(octets);
    assertThat(sender.acknowledged((5 + later) & 7, option(octets), 1, EMSS, EMSS)).isFalse();
    assertThat(sender.mangled()).isFalse();
  }

  @Test
  @Tag("ACC-3.2.3.2.5-01")
  @DisplayName("RFC 9768 3.2.3.2.5: octets that ACE has announced count once")
  void shouldNotCountOctetsTwice() {
    assertThat(sender.acknowledged(6, none(), 1, EMSS, EMSS)).isTrue();
    assertThat(sender.acknowledged(6, option(900), 1, EMSS, EMSS)).isFalse();
    assertThat(sender.takeMarked(MUCH)).isEqualTo(EMSS);
    assertThat(sender.mangled()).isFalse();
    assertThat(sender.acknowledged(7, option(1900), 1, EMSS, EMSS)).isTrue();
    assertThat(sender.takeMarked(MUCH)).isEqualTo(EMSS);
  }

  @Test
  @Tag("ACC-3.2.3.1-01")
  @DisplayName("RFC 9768 A.1: counters of octets wrap at 24 bits")
  void shouldFollowCountersThatWrap() {
    sender.acknowledged(6, option(0xfffffe), 1, EMSS, EMSS);
    sender.takeMarked(MUCH);
    sender.acknowledged(7, option(998), 1, EMSS, EMSS);
    assertThat(sender.takeMarked(MUCH)).isEqualTo(EMSS);
  }

  @Test
  @Tag("ACC-3.2.2.2-01")
  @DisplayName("RFC 9768 3.2.2.2: news are not quiet, and may be many packets")
  void shouldBeQuietWithoutNews() {
    assertThat(sender.isQuiet(5, none(), 1)).isTrue();
    assertThat(sender.isQuiet(5, option(0), 1)).isTrue();
    assertThat(sender.isQuiet(6, none(), 1)).isFalse();
    assertThat(sender.isQuiet(5, option(1), 1)).isFalse();
    assertThat(sender.isQuiet(5, none(), 8)).isFalse();
  }
}
