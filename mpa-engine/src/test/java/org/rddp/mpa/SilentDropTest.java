package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.mpa.MpaEndpoint.C;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which segments TCP is told to drop, as if they had not arrived (RFC 5044 section 8). */
class SilentDropTest {
  private static final MpaSettings DROPPING = MpaSettings.DEFAULTS.withSilentDrop(true);

  /** Where Full Operation begins: behind a Request without Private Data. */
  private static final int START = 20;

  private static byte[] ulpdu(int length) {
    byte[] octets = new byte[length];
    new Random(length).nextBytes(octets);
    return octets;
  }

  private static byte[] spoilt(byte[] octets, int at) {
    byte[] other = octets.clone();
    other[at] ^= 1;
    return other;
  }

  private static MpaEndpoint responding(boolean markers) {
    return MpaEndpoint.responding(DROPPING.withMarkers(markers), C);
  }

  @Test
  @Tag("MPA-8-12")
  void shouldDropASegmentWithAWrongCrcAndTakeItWhenItIsRight() {
    MpaEndpoint end = responding(false);
    byte[] fpdu = PeerOctets.fpdu(ulpdu(100));
    assertThat(end.stream.accepts(spoilt(fpdu, 50), START)).isFalse();
    assertThat(end.stream.accepts(spoilt(fpdu, fpdu.length - 1), START)).isFalse();
    assertThat(end.stream.accepts(fpdu, START)).isTrue();
    end.stream.receive(fpdu);
    assertThat(end.handler.ulpdus).containsExactly(ulpdu(100));
    assertThat(end.handler.error).isNull();
    assertThat(end.stream.isClosed()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("any FPDU of a packed segment")
  void shouldDropASegmentForAnyOfItsFpdus(boolean markers) {
    byte[] segment = {};
    for (int length : new int[] {15, 300, 700, 15}) {
      segment =
          PeerOctets.join(segment, PeerOctets.fpdu(ulpdu(length), markers ? segment.length : -1));
    }
    MpaEndpoint end = responding(markers);
    assertThat(end.stream.accepts(segment, START)).isTrue();
    for (int at : new int[] {12, 200, 600, segment.length - 5}) {
      assertThat(end.stream.accepts(spoilt(segment, at), START)).as("octet %d", at).isFalse();
    }
  }

  @Test
  @Tag("MPA-8-12")
  @DisplayName("RFC 5044 8: a Marker that disagrees with the length, too")
  void shouldDropASegmentWhoseMarkersDisagree() {
    byte[] fpdu = PeerOctets.fpdu(ulpdu(700), 0);
    fpdu[515] ^= 8;
    MpaEndpoint end = responding(true);
    assertThat(end.stream.accepts(PeerOctets.resealed(fpdu), START)).isFalse();
  }

  @Test
  @DisplayName("what is wrong at the sender is reported after three times")
  void shouldTakeAnFpduThatStaysWrong() {
    byte[] wrong = spoilt(PeerOctets.fpdu(ulpdu(100)), 50);
    MpaEndpoint end = responding(false);
    for (int i = 0; i < SilentDrop.ATTEMPTS; i++) {
      assertThat(end.stream.accepts(wrong, START)).isFalse();
    }
    assertThat(end.stream.accepts(wrong, START)).isTrue();
    end.stream.receive(wrong);
    assertThat(end.handler.events).containsExactly("request ", "full operation ", "error 2");
    assertThat(end.stream.isClosed()).isFalse();
    assertThat(end.stream.accepts(wrong, START + wrong.length)).as("all is over").isTrue();
  }

  @Test
  @DisplayName("another FPDU is another matter")
  void shouldCountEachFpduByItself() {
    byte[] fpdu = PeerOctets.fpdu(ulpdu(100));
    MpaEndpoint end = responding(false);
    for (int i = 0; i < 200; i++) {
      for (int again = 0; again < SilentDrop.ATTEMPTS; again++) {
        assertThat(end.stream.accepts(spoilt(fpdu, 50), START + i * fpdu.length)).isFalse();
      }
      end.stream.receive(fpdu);
    }
    assertThat(end.handler.ulpdus).hasSize(200);
  }

  @Test
  @DisplayName(
      "an FPDU that has been acknowledged in part is reported: that part does not come again")
  void shouldNotDropTheRestOfAnFpdu() {
    byte[] first = spoilt(PeerOctets.fpdu(ulpdu(100)), 50);
    byte[] second = PeerOctets.fpdu(ulpdu(60));
    for (int cut : new int[] {1, 40, 80}) {
      MpaEndpoint end = responding(false);
      byte[] head = Arrays.copyOf(first, cut);
      byte[] tail = Arrays.copyOfRange(first, cut, first.length);
      assertThat(end.stream.accepts(head, START)).isTrue();
      end.stream.receive(head);
      assertThat(end.stream.accepts(tail, START + cut)).isTrue();
      byte[] more = PeerOctets.join(tail, spoilt(second, 30));
      assertThat(end.stream.accepts(more, START + cut)).as("the next FPDU").isEqualTo(cut == 1);
      end.stream.receive(tail);
      assertThat(end.handler.error).isEqualTo(MpaError.CRC);
    }
  }

  @Test
  @DisplayName("a segment that repeats octets is read from where the next FPDU starts")
  void shouldReadARepeatedSegmentFromTheNextFpduOn() {
    byte[] first = PeerOctets.fpdu(ulpdu(100));
    byte[] second = PeerOctets.fpdu(ulpdu(60));
    MpaEndpoint end = responding(false);
    end.stream.receive(first);
    byte[] both = PeerOctets.join(first, second);
    assertThat(end.stream.accepts(spoilt(both, 50), START)).isTrue();
    assertThat(end.stream.accepts(spoilt(both, 150), START)).isFalse();
    assertThat(end.stream.accepts(first, START)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("a segment before its turn whose lengths lead to its end is aligned, and judged")
  void shouldDropAnEarlySegment(boolean markers) {
    int at = START + 1024;
    byte[] one = PeerOctets.fpdu(ulpdu(300), markers ? 1024 : -1);
    byte[] segment =
        PeerOctets.join(one, PeerOctets.fpdu(ulpdu(400), markers ? 1024 + one.length : -1));
    MpaEndpoint end = responding(markers);
    assertThat(end.stream.accepts(segment, at)).isTrue();
    assertThat(end.stream.accepts(spoilt(segment, 100), at)).isFalse();
    assertThat(end.stream.accepts(spoilt(segment, 500), at)).isFalse();
    byte[] unaligned = Arrays.copyOfRange(segment, 8, segment.length);
    assertThat(end.stream.accepts(unaligned, at + 8)).isTrue();
    assertThat(end.stream.accepts(new byte[800], at)).as("zeros of a large FPDU").isTrue();
    byte[] unfinished = spoilt(Arrays.copyOf(segment, segment.length - 4), 100);
    assertThat(end.stream.accepts(unfinished, at)).isTrue();
  }

  @Test
  @DisplayName("as many FPDUs as there is room to remember")
  void shouldDropNothingMoreWhenTooMuchIsWrong() {
    byte[] wrong = spoilt(PeerOctets.fpdu(ulpdu(100)), 50);
    MpaEndpoint end = responding(false);
    for (int i = 1; i <= SilentDrop.MOST; i++) {
      assertThat(end.stream.accepts(wrong, START + i * 200L)).isFalse();
    }
    assertThat(end.stream.accepts(wrong, START + 200L * (SilentDrop.MOST + 1))).isTrue();
    byte[] good = PeerOctets.fpdu(ulpdu(192));
    end.stream.receive(good);
    end.stream.receive(good);
    assertThat(end.stream.accepts(wrong, START + 200L * (SilentDrop.MOST + 1)))
        .as("what has come is forgotten")
        .isFalse();
  }

  @Test
  @DisplayName("without CRCs there is nothing to be judged by, and by default nothing is dropped")
  void shouldTakeEverythingOtherwise() {
    byte[] wrong = spoilt(PeerOctets.fpdu(ulpdu(100)), 50);
    assertThat(MpaEndpoint.responding(MpaSettings.DEFAULTS, C).stream.accepts(wrong, START))
        .isTrue();
    MpaEndpoint unchecked = MpaEndpoint.responding(DROPPING.withCrc(false), 0);
    assertThat(unchecked.stream.accepts(wrong, START)).isTrue();
    MpaEndpoint starting = MpaEndpoint.responder(DROPPING).open();
    assertThat(starting.stream.accepts(wrong, 0)).isTrue();
  }
}
