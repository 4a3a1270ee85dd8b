package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.mpa.MpaEndpoint.C;
import static org.rddp.mpa.MpaEndpoint.M;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Several FPDUs in one segment (RFC 5044 section 4.5 and appendix A.2). */
class MpaPackingTest {
  private static final MpaSettings PACKING = MpaSettings.DEFAULTS.withPacking(true);

  /** A tagged segment of DDP with one octet of payload: a header of 14 octets and that. */
  private static final int TAGGED_OCTET = 15;

  private static MpaEndpoint initiating(boolean markers, int emss) {
    MpaEndpoint end = MpaEndpoint.initiating(PACKING, markers ? M | C : C);
    end.stream.changeEmss(emss);
    return end;
  }

  private static byte[] ulpdu(int length) {
    byte[] octets = new byte[length];
    new Random(length).nextBytes(octets);
    return octets;
  }

  /**
   * Positions at which FPDUs may begin: a Marker belongs to the FPDU after it, so none begins
   * directly after a Marker.
   */
  private static IntStream phases() {
    return IntStream.iterate(0, phase -> phase < 512, phase -> phase + 4)
        .filter(phase -> phase != 4);
  }

  /** Sends something so that so many octets have been sent since SeqStart, modulo 512. */
  private static void advance(MpaEndpoint end, int octets) {
    if (octets > 0) {
      int span = octets >= 12 ? octets : octets + 512;
      int behindMarker = span - 4 - 4 * ((span - 1) / 512);
      end.send(new byte[behindMarker - 6]);
      end.stream.endTurn();
      assertThat(end.stream.takeSent()).hasSize(span);
    }
  }

  @ParameterizedTest
  @CsvSource({"1460, 60", "536, 22"})
  @Tag("MPA-5.1-05")
  @Tag("MPA-5.1-01")
  @DisplayName("one octet at a time: FPDUs of 24 octets fill a segment, wherever Markers are")
  void shouldPackOctetsAtEveryPhaseOfTheMarkers(int emss, int perSegment) {
    for (int phase : phases().toArray()) {
      MpaEndpoint end = initiating(true, emss);
      advance(end, phase);
      for (int i = 0; i < 3 * perSegment; i++) {
        assertThat(end.send(ulpdu(TAGGED_OCTET))).isTrue();
      }
      end.stream.endTurn();
      assertThat(end.stream.segments()).as("phase %d", phase).hasSize(3);
      for (byte[] segment : end.stream.segments()) {
        int markers = (segment.length - 24 * perSegment) / 4;
        assertThat(segment).hasSize(24 * perSegment + 4 * markers);
        assertThat(markers).isBetween(emss / 512, emss / 512 + 1);
      }
    }
    MpaEndpoint plain = initiating(false, emss);
    for (int i = 0; i < perSegment + 1; i++) {
      plain.send(ulpdu(TAGGED_OCTET));
    }
    plain.stream.endTurn();
    assertThat(plain.stream.segments().get(0)).hasSize(24 * perSegment);
    assertThat(plain.stream.segments().get(1)).hasSize(24);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("MPAA-1-02")
  @Tag("MPAA-2-04")
  @Tag("MPA-5.1-05")
  @DisplayName("no FPDU crosses the edge of a segment; what is left is less than the next needs")
  @Tag("MPA-2-03")
  @Tag("D03-7.3-01")
  void shouldKeepEveryFpduWholeInItsSegment(boolean markers) {
    Random random = new Random(5);
    for (int round = 0; round < 40; round++) {
      int emss = 300 + random.nextInt(1900);
      MpaEndpoint end = initiating(markers, emss);
      List<byte[]> fpdus = new ArrayList<>();
      int sent = 0;
      for (int i = 0; i < 200; i++) {
        byte[] ulpdu = ulpdu(1 + random.nextInt(random.nextBoolean() ? 60 : emss - 40));
        assertThat(end.send(ulpdu)).isTrue();
        fpdus.add(PeerOctets.fpdu(ulpdu, markers ? sent : -1));
        sent += fpdus.getLast().length;
      }
      end.stream.endTurn();
      assertThat(PeerOctets.join(end.stream.segments().toArray(new byte[0][])))
          .isEqualTo(PeerOctets.join(fpdus.toArray(new byte[0][])));
      int next = 0;
      for (byte[] segment : end.stream.segments()) {
        int filled = 0;
        while (filled < segment.length) {
          filled += fpdus.get(next).length;
          next++;
        }
        assertThat(filled).as("emss %d", emss).isEqualTo(segment.length);
        assertThat(filled).isLessThanOrEqualTo(emss);
        if (next < fpdus.size()) {
          assertThat(filled + fpdus.get(next).length).isGreaterThan(emss);
        }
      }
    }
  }

  @Test
  @Tag("MPA-4.5-04")
  @Tag("MPA-4.5-03")
  @Tag("MPAA-2-02")
  @DisplayName("RFC 5044 4.5: MULPDU is what the segment being packed has left")
  void shouldLowerMulpduToWhatIsLeft() {
    MpaEndpoint end = initiating(false, 1460);
    assertThat(end.mpa().mulpdu()).isEqualTo(1454);
    end.send(ulpdu(600));
    int left = 1460 - 608;
    assertThat(end.mpa().mulpdu()).isEqualTo(left - 6);
    end.send(ulpdu(100));
    left -= 108;
    assertThat(end.mpa().mulpdu()).isEqualTo(left - 6);
    end.send(ulpdu(left - 6));
    assertThat(end.mpa().mulpdu()).isEqualTo(1454);
    assertThat(end.stream.segments()).hasSize(1);
    assertThat(end.stream.segments().get(0)).hasSize(1460);
    end.send(ulpdu(600));
    end.stream.endTurn();
    assertThat(end.mpa().mulpdu()).as("the segment has left").isEqualTo(1454);
    assertThat(end.handler.events).containsExactly("full operation ");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("MPA-4.5-04")
  @Tag("MPA-4.5-11")
  @DisplayName("RFC 5044 4.5: a ULPDU of that size fills the segment, at every phase of Markers")
  void shouldFillTheSegmentWithAUlpduOfThatSize(boolean markers) {
    for (int phase : phases().toArray()) {
      for (int first : new int[] {1, 14, 300, 601, 1290}) {
        MpaEndpoint end = initiating(markers, 1460);
        if (markers) {
          advance(end, phase);
        }
        end.send(ulpdu(first));
        int mulpdu = end.mpa().mulpdu();
        assertThat(end.send(ulpdu(mulpdu))).isTrue();
        end.stream.endTurn();
        assertThat(end.stream.segments()).as("%d octets at phase %d", first, phase).hasSize(1);
        assertThat(end.stream.segments().get(0).length).isBetween(1453, 1460);
      }
    }
  }

  @Test
  @Tag("MPA-4.5-09")
  @Tag("MPA-4.5-10")
  @DisplayName("RFC 5044 4.5: less than 128 left is a full segment's MULPDU; what fits goes there")
  void shouldOfferAFullSegmentWhenLittleIsLeft() {
    for (boolean markers : new boolean[] {false, true}) {
      MpaEndpoint end = initiating(markers, 1460);
      int full = end.mpa().mulpdu();
      end.send(ulpdu(markers ? 1340 : 1352));
      int left = 100;
      assertThat(end.mpa().mulpdu()).isEqualTo(full);
      end.send(ulpdu(80));
      left -= 88;
      assertThat(end.stream.segments()).isEmpty();
      assertThat(end.mpa().mulpdu()).isEqualTo(full);
      end.send(ulpdu(40));
      assertThat(end.stream.segments()).hasSize(1);
      assertThat(end.stream.segments().get(0)).hasSize(1460 - left);
      end.stream.endTurn();
      assertThat(end.stream.segments().get(1)).hasSize(48);
    }
  }

  @Test
  @Tag("MPA-4.5-09")
  void mulpduShouldNeverBeLessThan128() {
    for (int emss = 100; emss < 700; emss += 7) {
      for (boolean markers : new boolean[] {false, true}) {
        MpaEndpoint end = initiating(markers, emss);
        for (int i = 0; i < 100; i++) {
          assertThat(end.mpa().mulpdu()).isGreaterThanOrEqualTo(128);
          end.send(ulpdu(1 + i % 29));
        }
      }
    }
  }

  @Test
  @Tag("MPAA-2-03")
  @DisplayName("RFC 5044 A.2: segments are fuller with a MULPDU that says what is left")
  void shouldFillSegmentsBetterThanWithAFixedMulpdu() {
    int dynamic = segmentsOf(true);
    int fixed = segmentsOf(false);
    assertThat(dynamic).isLessThan(fixed);
  }

  /** Segments that a hundred messages of mixed sizes take, cut to MULPDU or to a full segment's. */
  private static int segmentsOf(boolean dynamic) {
    MpaEndpoint end = initiating(true, 1460);
    Random random = new Random(8);
    for (int i = 0; i < 100; i++) {
      int left = 1 + random.nextInt(random.nextBoolean() ? 200 : 6000);
      while (left > 0) {
        int part = Math.min(left, (dynamic ? end.mpa().mulpdu() : 1442) - 14);
        end.send(ulpdu(14 + part));
        left -= part;
      }
    }
    end.stream.endTurn();
    return end.stream.segments().size();
  }

  @Test
  @DisplayName("a ULPDU larger than what is left, up to a full segment's, begins another segment")
  void shouldTakeUlpdusUpToAFullSegment() {
    MpaEndpoint end = initiating(false, 1460);
    end.send(ulpdu(600));
    assertThat(end.mpa().mulpdu()).isEqualTo(846);
    assertThat(end.send(ulpdu(1454))).isTrue();
    assertThat(end.stream.segments()).hasSize(2);
    end.send(ulpdu(600));
    assertThatThrownBy(() -> end.send(ulpdu(1455))).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  @Tag("MPA-4.5-06")
  @DisplayName("RFC 5044 4.5: an open segment is filled to no more than EMSS is now")
  void shouldFollowEmss() {
    MpaEndpoint end = initiating(false, 1460);
    end.send(ulpdu(300));
    end.stream.changeEmss(536);
    assertThat(end.mpa().mulpdu()).isEqualTo(536 - 308 - 6);
    end.send(ulpdu(400));
    assertThat(end.stream.segments()).hasSize(1);
    end.stream.changeEmss(300);
    assertThat(end.mpa().mulpdu()).isEqualTo(294);
    end.send(ulpdu(8));
    assertThat(end.stream.segments()).as("in pieces, and not made longer").hasSize(3);
    end.stream.endTurn();
    end.stream.changeEmss(9000);
    end.send(ulpdu(2000));
    assertThat(end.mpa().mulpdu()).as("as far as the packet goes").isLessThan(2304 - 2008);
  }

  @Test
  @DisplayName("without it every FPDU has a segment")
  void shouldBeOffByDefault() {
    assertThat(MpaSettings.DEFAULTS.packing()).isFalse();
    MpaEndpoint end = MpaEndpoint.initiating(MpaSettings.DEFAULTS, C);
    end.send(ulpdu(10));
    assertThat(end.stream.segments()).hasSize(1);
    assertThat(end.mpa().mulpdu()).isEqualTo(1454);
  }

  @Test
  @DisplayName("no packet is needed for an FPDU that goes into an open segment")
  void shouldNeedNoPacketForAnOpenSegment() {
    MpaEndpoint end = initiating(false, 1460);
    end.send(ulpdu(10));
    end.stream.setPacketsAvailable(false);
    assertThat(end.send(ulpdu(10))).isTrue();
    assertThat(end.send(ulpdu(1450))).isFalse();
  }
}
