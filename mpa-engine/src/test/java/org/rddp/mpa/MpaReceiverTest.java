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

/** FPDUs in every segmentation, and the errors of RFC 5044 section 8 in Full Operation. */
class MpaReceiverTest {
  private static final MpaSettings PLAIN = MpaSettings.DEFAULTS;
  private static final MpaSettings MARKED = PLAIN.withMarkers(true);

  private static MpaEndpoint responding(boolean markers) {
    return MpaEndpoint.responding(markers ? MARKED : PLAIN, C);
  }

  private static byte[] ulpdu(int length, int seed) {
    byte[] octets = new byte[length];
    new Random(seed).nextBytes(octets);
    return octets;
  }

  /** FPDUs around ULPDUs of these lengths, as one stream. */
  private static byte[] stream(boolean markers, int... lengths) {
    byte[] all = {};
    for (int length : lengths) {
      all = PeerOctets.join(all, PeerOctets.fpdu(ulpdu(length, length), markers ? all.length : -1));
    }
    return all;
  }

  private static void assertPassed(MpaEndpoint end, int... lengths) {
    assertThat(end.handler.ulpdus).hasSize(lengths.length);
    for (int i = 0; i < lengths.length; i++) {
      assertThat(end.handler.ulpdus.get(i)).isEqualTo(ulpdu(lengths[i], lengths[i]));
    }
    assertThat(end.handler.error).isNull();
    assertThat(end.stream.pool().available()).isEqualTo(end.stream.pool().capacity());
    assertThat(end.stream.kept()).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("MPA-5.1-09") // FPDUs need not be aligned
  @Tag("MPAA-4-01") // FPDUs anywhere in segments
  @Tag("MPA-5.2-01") // their limits by the length
  @Tag("MPA-4.3-15") // ULPDUs with their boundaries
  @Tag("MPA-3-09") // with its length
  @Tag("MPAA-5.2-01") // parts are kept
  void shouldFindTheSameUlpdusWhereverTheStreamIsCut(boolean markers) {
    int[] lengths = {1, 2, 3, 4, 127, 30, 519, 42};
    byte[] stream = stream(markers, lengths);
    for (int cut = 1; cut < stream.length; cut++) {
      MpaEndpoint end = responding(markers);
      end.stream.receive(stream, 0, cut);
      end.stream.receive(stream, cut, stream.length - cut);
      assertPassed(end, lengths);
    }
  }

  @Test
  void shouldTellTcpWhichPacketsAnIncompleteFpduKeeps() {
    byte[] stream = stream(false, 8942, 1);
    MpaEndpoint end = responding(false);
    end.stream.receiveCut(Arrays.copyOf(stream, 5000), 1000);
    int available = end.stream.pool().available();
    assertThat(end.stream.kept()).isPositive().isEqualTo(end.stream.pool().capacity() - available);
    end.mpa().abort();
    assertThat(end.stream.kept()).isZero();
  }

  @Test
  void shouldTellTcpWhichOctetsNeedNoOtherPacket() {
    byte[] stream = stream(false, 8942, 1);
    MpaEndpoint end = responding(false);
    long packet = end.stream.packet(stream, 0, 1);
    assertThat(end.mpa().keepsNoMore(1, packet)).as("a packet of its own").isFalse();
    int room = end.stream.pool().room();
    end.stream.receive(stream, 0, room - 100);
    assertThat(end.mpa().keepsNoMore(100, packet)).as("fits behind").isTrue();
    assertThat(end.mpa().keepsNoMore(101, packet)).isFalse();
    int rest = stream(false, 8942).length - (room - 100);
    assertThat(end.mpa().keepsNoMore(rest - 1, packet)).isFalse();
    assertThat(end.mpa().keepsNoMore(rest, packet)).as("completes the FPDU").isTrue();
    assertThat(end.mpa().keepsNoMore(rest + 1, packet)).isTrue();
    end.stream.pool().release(packet);
    end.mpa().abort();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5, 7, 64, 300, 508, 512, 1000})
  @Tag("MPA-1.2-05")
  @Tag("MPAB-2.1-02")
  @Tag("MPAA-5.2-02")
  void shouldPutTogetherWhatCameInSmallPieces(int size) {
    int[] lengths = {1442, 1, 1430, 8942, 5};
    for (boolean markers : new boolean[] {false, true}) {
      MpaEndpoint end = responding(markers);
      end.stream.receiveCut(stream(markers, lengths), size);
      assertPassed(end, lengths);
    }
  }

  @Test
  @Tag("MPA-6-05")
  @Tag("MPA-1.2-05")
  @Tag("MPAA-4-07")
  @Tag("MPAB-2.1-04")
  void shouldForwardNothingBeforeTheLastOctet() {
    byte[] fpdu = PeerOctets.fpdu(ulpdu(30, 30));
    MpaEndpoint end = responding(false);
    for (int at = 0; at < fpdu.length; at++) {
      assertThat(end.handler.ulpdus).isEmpty();
      end.stream.receive(fpdu, at, 1);
    }
    assertPassed(end, 30);
  }

  @Test
  void shouldShowAWholeFpduWhereItLies() {
    MpaEndpoint end = responding(false);
    end.stream.receive(stream(false, 1442));
    end.stream.receive(stream(false, 100, 200, 300));
    assertThat(end.handler.fragments).containsExactly(1, 1, 1, 1);
    assertPassed(end, 1442, 100, 200, 300);
    assertThat(end.handler.positions).containsExactly(20L, 1468L, 1576L, 1784L);
  }

  @Test
  void shouldNotKeepAPacketForAFewOctets() {
    byte[] stream = stream(false, 8942);
    MpaEndpoint end = responding(false);
    end.stream.receiveCut(Arrays.copyOf(stream, 8000), 10);
    assertThat(end.stream.pool().capacity() - end.stream.pool().available()).isEqualTo(4);
    end.stream.receive(stream, 8000, stream.length - 8000);
    assertPassed(end, 8942);
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 513, 577, 1000, 1100, 1460})
  void shouldNotPinMoreThanTwoPacketsForThePayloadOfOne(int size) {
    MpaEndpoint end = responding(false);
    int octets = 60_000;
    end.stream.receiveCut(Arrays.copyOf(stream(false, 0xffff), octets), size);
    int pinned = end.stream.pool().capacity() - end.stream.pool().available();
    assertThat(pinned).isLessThanOrEqualTo(2 * octets / end.stream.pool().room() + 1);
    end.mpa().abort();
    assertThat(end.stream.pool().available()).isEqualTo(end.stream.pool().capacity());
  }

  @Test
  void shouldKeepLargePiecesWhereTheyAre() {
    byte[] stream = stream(false, 30000);
    MpaEndpoint end = responding(false);
    end.stream.receiveCut(stream, 1460);
    assertPassed(end, 30000);
    assertThat(end.handler.fragments).containsExactly(20);
  }

  @Test
  void shouldGiveTheWindowBackForEverythingItTook() {
    byte[] stream = stream(false, 100, 2000, 300);
    MpaEndpoint end = responding(false);
    long before = end.stream.consumed();
    end.stream.receiveCut(stream, 700);
    assertThat(end.stream.consumed() - before).isEqualTo(stream.length);
  }

  @Test
  @Tag("MPAA-4-05")
  @Tag("MPAB-2.1-07")
  void shouldPassEveryFpduOfAPackedSegment() {
    int[] lengths = new int[60];
    Arrays.fill(lengths, 15);
    MpaEndpoint end = responding(false);
    end.stream.receive(stream(false, lengths));
    assertPassed(end, lengths);
  }

  @Test
  @Tag("MPA-3-06")
  void shouldPassUlpdusOfAnyLength() {
    for (int length : new int[] {0, 1, 2, 3, 4, 5, 127, 64768, 65022, 65535}) {
      MpaEndpoint end = responding(false);
      end.stream.receiveCut(stream(false, length), 2000);
      assertPassed(end, length);
    }
    for (int length : new int[] {0, 1, 506, 507, 508, 64768}) {
      MpaEndpoint end = responding(true);
      end.stream.receiveCut(stream(true, length), 2000);
      assertPassed(end, length);
    }
  }

  @Test
  @Tag("MPA-4.1-06") // the CRC covers all
  @Tag("MPA-8-04") // error code 2
  @Tag("MPA-4.4-01") // and is checked
  @Tag("MPA-4.4-17") // the FPDU is invalid
  @Tag("MPA-6-01") // and not passed
  @Tag("MPA-6-02") // where the next begins
  @Tag("MPA-8-13") // nothing behind an error
  @Tag("MPAB-1-01") // payload, too
  void shouldNeverPassAnFpduWithAFlippedBit() {
    byte[] good = PeerOctets.fpdu(ulpdu(41, 1));
    byte[] behind = PeerOctets.fpdu(ulpdu(300, 2));
    for (int bit = 0; bit < 8 * good.length; bit++) {
      byte[] bad = good.clone();
      bad[bit / 8] ^= (byte) (1 << (bit % 8));
      MpaEndpoint end = responding(false);
      end.stream.receive(bad);
      for (int more = 0; more < 250 && end.handler.error == null; more++) {
        end.stream.receive(behind);
      }
      end.stream.receive(behind);
      assertThat(end.handler.ulpdus).as("bit %d", bit).isEmpty();
      assertThat(end.handler.events).containsExactly("request ", "full operation ", "error 2");
    }
  }

  @Test
  @Tag("MPA-4.3-01")
  void shouldCoverMarkersByTheCrc() {
    byte[] good = PeerOctets.fpdu(ulpdu(600, 1), 0);
    for (int bit = 0; bit < 32; bit++) {
      for (int marker : new int[] {0, 512}) {
        byte[] bad = good.clone();
        bad[marker + bit / 8] ^= (byte) (1 << (bit % 8));
        MpaEndpoint end = responding(true);
        end.stream.receive(bad);
        assertThat(end.handler.error).isEqualTo(MpaError.CRC);
      }
    }
  }

  @Test
  @Tag("MPA-4.1-04")
  void shouldNotLookAtThePad() {
    byte[] odd = PeerOctets.fpdu(ulpdu(7, 7));
    odd[9] = 1;
    odd[10] = 2;
    odd[11] = 3;
    MpaEndpoint rejecting = responding(false);
    rejecting.stream.receive(odd);
    assertThat(rejecting.handler.error).isEqualTo(MpaError.CRC);
    MpaEndpoint accepting = responding(false);
    accepting.stream.receive(PeerOctets.resealed(odd));
    assertPassed(accepting, 7);
  }

  @Test
  @Tag("MPA-4.2-03")
  @Tag("MPA-4.2-06")
  void shouldNotLookAtReservedBitsOfAMarker() {
    byte[] fpdu = PeerOctets.fpdu(ulpdu(600, 600), 0);
    for (int marker : new int[] {0, 512}) {
      fpdu[marker] = (byte) 0xff;
      fpdu[marker + 1] = (byte) 0xff;
      fpdu[marker + 3] |= 3;
    }
    MpaEndpoint end = responding(true);
    end.stream.receive(PeerOctets.resealed(fpdu));
    assertPassed(end, 600);
  }

  @Test
  @Tag("MPA-8-05") // error code 3
  @Tag("MPA-8-06") // to the user
  @Tag("MPA-8-08") // for an FPDU that is known
  @Tag("MPA-8-09") // every Marker
  @Tag("MPA-5.2-02") // as a check of limits
  void shouldReportAMarkerThatDisagreesWithTheLength() {
    for (int marker : new int[] {0, 512, 1024}) {
      for (int change : new int[] {4, 8, 0x100}) {
        byte[] fpdu = PeerOctets.fpdu(ulpdu(1400, 1), 0);
        int pointer = (fpdu[marker + 2] & 0xff) << 8 | (fpdu[marker + 3] & 0xff);
        fpdu[marker + 2] = (byte) ((pointer + change) >> 8);
        fpdu[marker + 3] = (byte) (pointer + change);
        MpaEndpoint end = responding(true);
        end.stream.receive(PeerOctets.resealed(fpdu));
        end.stream.receive(PeerOctets.fpdu(ulpdu(10, 1), fpdu.length));
        assertThat(end.handler.events).containsExactly("request ", "full operation ", "error 3");
        assertThat(end.handler.detail).contains("FPDUPTR");
        assertThat(end.stream.isClosed()).isFalse();
      }
    }
  }

  @Test
  @Tag("MPA-4.3-19")
  void shouldReportAnFpduWhoseMarkersCannotPointBack() {
    MpaEndpoint end = responding(true);
    end.stream.receiveCut(PeerOctets.fpdu(new byte[65535], 0), 2000);
    assertThat(end.handler.error).isEqualTo(MpaError.MARKER);
  }

  @Test
  @Tag("MPA-9.1-01")
  void shouldReportGarbageAtAnFpduBoundary() {
    Random random = new Random(9);
    for (int round = 0; round < 50; round++) {
      MpaEndpoint end = responding(round % 2 == 0);
      byte[] garbage = new byte[70_000];
      random.nextBytes(garbage);
      end.stream.receiveCut(garbage, 600 + random.nextInt(1400));
      assertThat(end.handler.ulpdus).isEmpty();
      assertThat(end.handler.error).isEqualTo(MpaError.CRC);
      assertThat(end.stream.pool().available()).isEqualTo(end.stream.pool().capacity());
    }
  }

  @Test
  @Tag("MPA-4.3-08")
  void shouldGiveAMarkerBetweenTwoFpdusToTheSecond() {
    byte[] first = PeerOctets.fpdu(ulpdu(502, 502), 0);
    assertThat(first).hasSize(512);
    byte[] second = PeerOctets.fpdu(ulpdu(20, 20), 512);
    assertThat(PeerOctets.hex(second)).startsWith("00000000");
    MpaEndpoint end = responding(true);
    end.stream.receive(first);
    assertPassed(end, 502);
    end.stream.receive(second);
    assertPassed(end, 502, 20);
  }

  @Test
  @Tag("MPA-4.4-16")
  @DisplayName("RFC 5044 4.4: the CRC is compared before anything else is done with an FPDU")
  void shouldCompareTheCrcFirst() {
    byte[] fpdu = PeerOctets.fpdu(ulpdu(700, 1), 0);
    fpdu[515] ^= 8;
    for (int cut : new int[] {0, 1, 300}) {
      MpaEndpoint end = responding(true);
      if (cut > 0) {
        end.stream.receive(fpdu, 0, cut);
      }
      end.stream.receive(fpdu, cut, fpdu.length - cut);
      assertThat(end.handler.events).containsExactly("request ", "full operation ", "error 2");
      assertThat(end.handler.detail).contains("CRC is 0x");
    }
  }

  @Test
  @Tag("MPA-4.3-19")
  @Tag("MPA-3-06")
  @DisplayName("RFC 5044 4.2: a ULPDU_Length from 65023 on may be beyond what FPDUPTR can say")
  void shouldTakeTheLongestUlpdusWhereMarkersCanPointBack() {
    int refused = 0;
    for (int phase = 0; phase < 512; phase += 4) {
      if (phase != 4) {
        assertThat(errorOf(65022, phase)).as("65022 octets at phase %d", phase).isNull();
        MpaError error = errorOf(65023, phase);
        assertThat(error).isIn(null, MpaError.MARKER);
        refused += error == null ? 0 : 1;
      }
    }
    assertThat(refused).isPositive();
    assertThat(errorOf(65535, 0)).isEqualTo(MpaError.MARKER);
  }

  /** What an FPDU with a right CRC comes to, at a phase of the Markers. */
  private static MpaError errorOf(int length, int phase) {
    MpaEndpoint end = responding(true);
    int before = phase == 0 || phase >= 12 ? phase : phase + 512;
    if (before > 0) {
      int octets = before - 4 * (1 + (before - 1) / 512) - 6;
      end.stream.receive(PeerOctets.fpdu(new byte[octets], 0));
    }
    end.stream.receiveCut(PeerOctets.fpdu(new byte[length], before), 2000);
    if (end.handler.error == null) {
      assertThat(end.handler.ulpdus.getLast()).hasSize(length);
    }
    return end.handler.error;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("ANA-6-02")
  @Tag("MPAA-4-05")
  @DisplayName("RFC 5044 A.4: two, three and sixty FPDUs in a segment are passed in order")
  void shouldTakePackedSegments(boolean markers) {
    for (int count : new int[] {1, 2, 3, 22, 60}) {
      int[] lengths = new int[count];
      Arrays.fill(lengths, 15);
      MpaEndpoint end = responding(markers);
      end.stream.receive(stream(markers, lengths));
      assertPassed(end, lengths);
    }
  }

  @Test
  void shouldKeepTheWindowShutWhileTheUserWantsThat() {
    MpaEndpoint end = MpaEndpoint.responding(MpaSettings.DEFAULTS, C);
    byte[] fpdu = PeerOctets.fpdu(new byte[100]);
    long before = end.stream.consumed();
    end.handler.uponUlpdu = () -> end.mpa().holdWindow(true);
    end.stream.receive(fpdu);
    end.stream.receive(fpdu);
    assertThat(end.stream.consumed()).isEqualTo(before);
    end.mpa().holdWindow(false);
    assertThat(end.stream.consumed()).isEqualTo(before + 2L * fpdu.length);
    end.handler.uponUlpdu = () -> {};
    end.stream.receive(fpdu);
    assertThat(end.stream.consumed()).isEqualTo(before + 3L * fpdu.length);
  }
}
