package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.mpa.MpaEndpoint.C;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.tcp.CloseReason;

/**
 * FPDUs received out of order, found by their Markers (RFC 5044 section 6, appendices A.3 to A.5).
 */
class EarlyFpduTest {
  private static final MpaSettings EARLY = MpaSettings.DEFAULTS.withMarkers(true).withEarly(true);

  /** Stream position at which Full Operation begins: after a Request without Private Data. */
  private static final int START = 20;

  private MpaEndpoint end = MpaEndpoint.responding(EARLY, C);
  private byte[] stream = {};
  private final List<Integer> starts = new ArrayList<>();

  private static byte[] ulpdu(int length) {
    byte[] octets = new byte[length];
    new Random(length).nextBytes(octets);
    return octets;
  }

  /** Makes a stream of FPDUs around ULPDUs of these lengths. */
  private void send(int... lengths) {
    for (int length : lengths) {
      starts.add(stream.length);
      stream = PeerOctets.join(stream, PeerOctets.fpdu(ulpdu(length), stream.length));
    }
    starts.add(stream.length);
  }

  /** Lets the octets from the start of one FPDU up to the start of another arrive. */
  private void arrive(int first, int behind) {
    arriveOctets(starts.get(first), starts.get(behind));
  }

  private void arriveOctets(int from, int to) {
    end.stream.arrive(stream, START, from, to - from);
  }

  /** Stream position of an FPDU. */
  private long position(int fpdu) {
    return (long) START + starts.get(fpdu);
  }

  private List<String> heard() {
    List<String> all = end.handler.events;
    List<String> since =
        List.copyOf(all.subList(all.lastIndexOf("full operation ") + 1, all.size()));
    all.subList(all.lastIndexOf("full operation ") + 1, all.size()).clear();
    return since;
  }

  private void assertPassed(int... lengths) {
    assertThat(end.handler.ulpdus).hasSize(lengths.length);
    for (int i = 0; i < lengths.length; i++) {
      assertThat(end.handler.ulpdus.get(i)).isEqualTo(ulpdu(lengths[i]));
    }
    assertThat(end.handler.error).isNull();
    assertNothingKept();
  }

  private void assertNothingKept() {
    assertThat(end.stream.pool().available()).isEqualTo(end.stream.pool().capacity());
  }

  @Test
  @DisplayName("RFC 5044 A.4: an aligned FPDU is passed at once and delivered when the gap closes")
  @Tag("MPA-1.2-01") // its order, and when the gap is filled
  @Tag("MPA-6-03") // found by a Marker
  @Tag("MPAA-3-01") // TCP passes it at once
  @Tag("MPAA-3-07") // Delivered in order
  @Tag("MPAA-4-04") // aligned, behind a gap
  @Tag("D03-5.1.2-01") // at once, with the order
  @Tag("MPA-3-10") // as soon as it is whole
  @Tag("D03-5.1.2-06") // both ways of passing
  @Tag("DDP-3-06") // with the sender's order
  void shouldPassAnAlignedFpduAtOnce() {
    send(700, 800);
    arrive(1, 2);
    assertThat(heard()).containsExactly("early 800");
    assertThat(end.handler.positions).containsExactly(position(1));
    assertNothingKept();
    arrive(0, 1);
    assertThat(heard()).containsExactly("ulpdu 700", "delivered " + position(2));
    assertPassed(800, 700);
  }

  @Test
  @DisplayName("RFC 5044 4.3: a Marker leads back to its FPDU at every phase")
  @Tag("MPA-4.3-05")
  @Tag("MPA-6-03")
  @Tag("MPA-4.3-16")
  void shouldFindAnFpduAtEveryPhaseOfTheMarkers() {
    for (int first = 400; first < 400 + 512; first++) {
      stream = new byte[0];
      starts.clear();
      end = MpaEndpoint.responding(EARLY, C);
      send(first, 600, 77);
      arrive(1, 2);
      assertThat(heard()).as("%d octets before", first).containsExactly("early 600");
      arrive(0, 1);
      arrive(2, 3);
      assertThat(heard()).containsExactly("ulpdu " + first, "delivered " + position(2), "ulpdu 77");
      assertPassed(600, first, 77);
    }
  }

  @Test
  @DisplayName("RFC 5044 4.3: the FPDU of a Marker with FPDUPTR 0 starts directly after it")
  @Tag("MPA-4.3-09")
  void shouldFindTheFpduBehindAZeroMarker() {
    send(502, 20, 20);
    assertThat(starts.get(1)).isEqualTo(512);
    arrive(1, 2);
    assertThat(heard()).containsExactly("early 20");
    arrive(0, 1);
    arrive(2, 3);
    assertPassed(20, 502, 20);
  }

  @Test
  @DisplayName(
      "RFC 5044 6 (3): FPDUs behind one that a Marker has led to are found by their lengths")
  @Tag("MPA-6-04")
  @Tag("MPAA-4-06")
  @Tag("MPA-3-10")
  void shouldFindTheFpdusThatFollow() {
    send(700, 400, 30, 31, 32);
    arrive(1, 5);
    assertThat(heard()).containsExactly("early 400", "early 30", "early 31", "early 32");
    assertNothingKept();
    arrive(0, 1);
    assertThat(heard()).containsExactly("ulpdu 700", "delivered " + position(5));
    assertPassed(400, 30, 31, 32, 700);
  }

  @Test
  @DisplayName("RFC 5044 6 (3): FPDUs in a later segment, too")
  @Tag("MPA-6-04")
  void shouldFindTheFpdusThatFollowInAnotherSegment() {
    send(700, 600, 30, 31, 32);
    arrive(1, 2);
    arrive(2, 3);
    arrive(3, 5);
    assertThat(heard()).containsExactly("early 600", "early 30", "early 31", "early 32");
    assertNothingKept();
  }

  @Test
  @DisplayName("RFC 5044 6: an FPDU that no Marker leads to waits until what is before it is known")
  @Tag("MPA-6-01")
  void shouldLetAnFpduWithoutAMarkerWait() {
    send(400, 30, 31, 600);
    arrive(2, 3);
    assertThat(heard()).isEmpty();
    arrive(1, 2);
    assertThat(heard()).isEmpty();
    arrive(3, 4);
    assertThat(heard()).containsExactly("early 600");
    arrive(0, 1);
    assertThat(heard())
        .containsExactly("ulpdu 400", "ulpdu 30", "ulpdu 31", "delivered " + position(4));
    assertPassed(600, 400, 30, 31);
  }

  @Test
  @DisplayName("RFC 5044 6 (3): what waited is found from the FPDU before it")
  @Tag("MPA-6-04")
  void shouldFindWhatWaitedFromTheFpduBeforeIt() {
    send(700, 600, 30, 31);
    arrive(3, 4);
    arrive(2, 3);
    assertThat(heard()).isEmpty();
    arrive(1, 2);
    assertThat(heard()).containsExactly("early 600", "early 30", "early 31");
    assertNothingKept();
  }

  @Test
  @DisplayName(
      "RFC 5044 A.4: the FPDUs before the first that a Marker leads to wait, the others not")
  @Tag("MPAA-4-11")
  void shouldPassWhatCanBePlacedOfAPackedSegment() {
    int[] lengths = new int[41];
    Arrays.fill(lengths, 17);
    lengths[0] = 700;
    send(lengths);
    arrive(1, 41);
    int early = end.handler.early;
    assertThat(early).isBetween(10, 39);
    assertThat(end.stream.pool().capacity() - end.stream.pool().available()).isOne();
    arrive(0, 1);
    assertThat(end.handler.ulpdus).hasSize(41);
    assertThat(end.handler.early).isEqualTo(early);
    assertThat(end.handler.error).isNull();
    assertNothingKept();
  }

  @Test
  @DisplayName("RFC 5044 A.3: an FPDU that the user declines is passed again in order")
  void shouldPassWhatTheUserDeclinesInItsTurn() {
    end.handler.declined = 801;
    send(700, 800, 801, 802, 801, 803);
    arrive(1, 3);
    arrive(3, 5);
    assertThat(heard().stream().distinct())
        .containsExactly("early 800", "declined 801", "early 802");
    arrive(0, 1);
    assertThat(heard())
        .containsExactly(
            "ulpdu 700",
            "delivered " + position(2),
            "ulpdu 801",
            "delivered " + position(4),
            "ulpdu 801");
    arrive(5, 6);
    assertPassed(800, 802, 700, 801, 801, 803);
  }

  private static int[][] orders() {
    return new int[][] {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 100, 300, 508, 512, 516, 700})
  @DisplayName("RFC 5044 A.4: an FPDU in three segments is passed with the last, in any order")
  @Tag("MPAA-4-08") // the rest is there already
  @Tag("MPAA-4-09") // whole with what came before
  @Tag("MPAA-4-10") // kept until it is whole
  @Tag("MPAB-2.1-05") // not aligned
  @Tag("MPAB-2.1-06") // the CRC in the stream's order
  @Tag("MPA-6-05") // by its length
  void shouldPutAnFpduTogetherInAnyOrder(int cut) {
    for (int[] order : orders()) {
      stream = new byte[0];
      starts.clear();
      end = MpaEndpoint.responding(EARLY, C);
      send(700, 1400, 900);
      int from = starts.get(1);
      int to = starts.get(2);
      int[] cuts = {from, from + cut, from + cut + 300, to};
      for (int i = 0; i < 3; i++) {
        assertThat(heard()).isEmpty();
        arriveOctets(cuts[order[i]], cuts[order[i] + 1]);
      }
      assertThat(heard()).containsExactly("early 1400");
      assertNothingKept();
      arrive(2, 3);
      arrive(0, 1);
      assertThat(heard()).containsExactly("early 900", "ulpdu 700", "delivered " + position(3));
      assertPassed(1400, 900, 700);
    }
  }

  @Test
  @DisplayName("RFC 5044 A.4: the tail of one, a whole one, the head of a third")
  @Tag("MPAA-4-11")
  @Tag("MPAA-4-02")
  void shouldPassTheWholeFpduInTheMiddleOfASegment() {
    send(700, 1000, 900, 1100, 700);
    int middleOfSecond = starts.get(1) + 500;
    int middleOfFourth = starts.get(3) + 500;
    arriveOctets(middleOfSecond, middleOfFourth);
    assertThat(heard()).containsExactly("early 900");
    arriveOctets(middleOfFourth, starts.get(4));
    assertThat(heard()).containsExactly("early 1100");
    arriveOctets(starts.get(1), middleOfSecond);
    assertThat(heard()).containsExactly("early 1000");
    assertNothingKept();
    arrive(0, 1);
    arrive(4, 5);
    assertThat(heard()).containsExactly("ulpdu 700", "delivered " + position(4), "ulpdu 700");
  }

  @Test
  @DisplayName("RFC 5044 A.3: an FPDU half in order and half early is passed in order")
  @Tag("MPAA-4-08")
  void shouldJoinTheEarlyHalfWithTheOneInOrder() {
    send(1400, 800);
    arriveOctets(700, starts.get(1) + 300);
    assertThat(heard()).isEmpty();
    arriveOctets(0, 300);
    arriveOctets(300, 700);
    assertThat(heard()).containsExactly("ulpdu 1400");
    arriveOctets(starts.get(1) + 300, starts.get(2));
    assertThat(heard()).containsExactly("ulpdu 800");
    assertNothingKept();
  }

  @Test
  @DisplayName("RFC 5044 A.3: several gaps close one by one, and delivery follows each")
  @Tag("MPAA-3-07")
  @Tag("MPAB-1-04")
  @Tag("MPA-3-12")
  void shouldDeliverGapByGap() {
    send(600, 601, 602, 603, 604, 605);
    arrive(5, 6);
    arrive(1, 2);
    arrive(3, 4);
    assertThat(heard()).containsExactly("early 605", "early 601", "early 603");
    arrive(2, 3);
    assertThat(heard()).containsExactly("early 602");
    arrive(0, 1);
    assertThat(heard()).containsExactly("ulpdu 600", "delivered " + position(4));
    arrive(4, 5);
    assertThat(heard()).containsExactly("ulpdu 604", "delivered " + position(6));
    assertPassed(605, 601, 603, 602, 600, 604);
  }

  @Test
  @DisplayName(
      "RFC 5044 6: an early FPDU with a wrong CRC is not passed; its turn makes it an error")
  @Tag("MPA-6-01")
  @Tag("MPA-8-04")
  @Tag("MPA-8-13")
  void shouldNotPassAnEarlyFpduWithAWrongCrc() {
    send(700, 800, 900, 901);
    stream[starts.get(1) + 100] ^= 1;
    arrive(1, 2);
    assertThat(heard()).isEmpty();
    arrive(2, 3);
    assertThat(heard()).containsExactly("early 900");
    arrive(0, 1);
    assertThat(heard()).containsExactly("ulpdu 700", "error 2");
    arrive(3, 4);
    assertThat(heard()).isEmpty();
    assertNothingKept();
    assertThat(end.stream.isClosed()).isFalse();
  }

  @Test
  @DisplayName("RFC 5044 8: every Marker of an early FPDU must lead to the same start")
  @Tag("MPA-8-08")
  @Tag("MPA-8-05")
  @Tag("MPA-6-01")
  void shouldNotPassAnEarlyFpduWhoseMarkersDisagree() {
    send(700, 1400);
    int from = starts.get(1);
    byte[] fpdu = Arrays.copyOfRange(stream, from, starts.get(2));
    int second = 2 * 512 - from + 512;
    fpdu[second + 3] ^= 8;
    System.arraycopy(PeerOctets.resealed(fpdu), 0, stream, from, fpdu.length);
    arrive(1, 2);
    assertThat(heard()).isEmpty();
    arrive(0, 1);
    assertThat(heard()).containsExactly("ulpdu 700", "error 3");
    assertNothingKept();
  }

  /**
   * Replaces what arrives late by an FPDU of another length, with a right CRC where it is whole.
   */
  private void lie(int ulpduLength) {
    byte[] other = PeerOctets.fpdu(ulpdu(ulpduLength), 0);
    System.arraycopy(other, 0, stream, 0, Math.min(other.length, starts.get(1)));
  }

  @Test
  @DisplayName("RFC 5044 8: lengths that reach over an FPDU passed early are error 3")
  @Tag("MPA-8-07")
  @Tag("MPA-8-06")
  @Tag("MPA-8-13")
  void shouldReportALengthThatReachesIntoAnEarlyFpdu() {
    send(700, 800, 900);
    arrive(1, 2);
    lie(704);
    arrive(0, 1);
    assertThat(heard()).containsExactly("early 800", "error 3");
    assertThat(end.handler.detail).contains("position " + position(1)).contains("FPDUPTR");
    arrive(2, 3);
    assertThat(heard()).isEmpty();
    assertNothingKept();
    assertThat(end.stream.isClosed()).isFalse();
  }

  @Test
  @DisplayName("RFC 5044 8: lengths that end before it and then reach over it are error 3")
  @Tag("MPA-8-07")
  void shouldReportAChainOfLengthsThatMissesAnEarlyFpdu() {
    send(700, 800);
    arrive(1, 2);
    lie(300);
    int behind = PeerOctets.fpdu(ulpdu(300), 0).length;
    stream[behind] = 4;
    stream[behind + 1] = 0;
    arrive(0, 1);
    assertThat(heard()).containsExactly("early 800", "ulpdu 300", "error 3");
    assertNothingKept();
  }

  @Test
  @DisplayName("RFC 5044 8: lengths that lead to the early FPDU by another way are no error")
  void shouldTakeAnyChainOfLengthsThatLeadsToTheEarlyFpdu() {
    send(700, 800);
    arrive(1, 2);
    byte[] first = PeerOctets.fpdu(ulpdu(300), 0);
    int left = starts.get(1) - first.length;
    for (int length = 0; length < 512; length++) {
      byte[] second = PeerOctets.fpdu(ulpdu(length), first.length);
      if (second.length == left) {
        System.arraycopy(PeerOctets.join(first, second), 0, stream, 0, starts.get(1));
      }
    }
    arrive(0, 1);
    assertThat(end.handler.error).isNull();
    assertThat(end.handler.ulpdus).hasSize(3);
    assertNothingKept();
  }

  @Test
  @DisplayName("RFC 5044 8: after an error no early FPDU is passed, and nothing is kept")
  @Tag("MPA-8-13")
  void shouldPassNothingEarlyAfterAnError() {
    send(700, 800, 900);
    arriveOctets(starts.get(1) + 400, starts.get(2));
    stream[9] ^= 1;
    arrive(0, 1);
    assertThat(heard()).containsExactly("error 2");
    assertNothingKept();
    arrive(2, 3);
    assertThat(heard()).isEmpty();
    assertNothingKept();
  }

  @Test
  @DisplayName("RFC 5044 7.1.2 (4): an early FPDU does not let the Responder send yet")
  @Tag("MPA-7.1.2-19")
  void shouldNotLetTheResponderSendForAnEarlyFpdu() {
    send(700, 800);
    arrive(1, 2);
    assertThat(end.mpa().sendable()).isFalse();
    assertThat(end.handler.sendables).isZero();
    arrive(0, 1);
    assertThat(end.mpa().sendable()).isTrue();
    assertThat(end.handler.sendables).isOne();
  }

  @Test
  @DisplayName("RFC 5044 4.2: reserved bits of a Marker are ignored")
  @Tag("MPA-4.2-03")
  @Tag("MPA-4.2-06")
  void shouldNotLookAtReservedBitsOfAMarker() {
    send(700, 800);
    int from = starts.get(1);
    byte[] fpdu = Arrays.copyOfRange(stream, from, starts.get(2));
    for (int marker = 1024 - from; marker < fpdu.length; marker += 512) {
      fpdu[marker] = (byte) 0xff;
      fpdu[marker + 1] = (byte) 0xff;
      fpdu[marker + 3] |= 3;
    }
    System.arraycopy(PeerOctets.resealed(fpdu), 0, stream, from, fpdu.length);
    arrive(1, 2);
    assertThat(heard()).containsExactly("early 800");
  }

  @Test
  @DisplayName("RFC 5044 4.4: without CRCs a Marker is enough")
  @Tag("MPA-4.4-09")
  void shouldFindFpdusWithoutCrcs() {
    end = MpaEndpoint.responding(EARLY.withCrc(false), 0);
    send(700, 800);
    stream[starts.get(2) - 1] ^= 1;
    arrive(1, 2);
    assertThat(heard()).containsExactly("early 800");
    arrive(0, 1);
    assertThat(heard()).containsExactly("ulpdu 700", "delivered " + position(2));
  }

  @Test
  @DisplayName("RFC 5044 A.5: without Markers early segments wait, by reference")
  @Tag("MPAA-5-01")
  void shouldLetEverythingWaitWithoutMarkers() {
    end = MpaEndpoint.responding(EARLY.withMarkers(false), C);
    byte[] first = PeerOctets.fpdu(ulpdu(700));
    stream = PeerOctets.join(first, PeerOctets.fpdu(ulpdu(800)), PeerOctets.fpdu(ulpdu(900)));
    arriveOctets(first.length, stream.length);
    assertThat(heard()).isEmpty();
    assertThat(end.stream.pool().capacity() - end.stream.pool().available()).isOne();
    arriveOctets(0, first.length);
    assertThat(heard()).containsExactly("ulpdu 700", "ulpdu 800", "ulpdu 900");
    assertPassed(700, 800, 900);
  }

  @Test
  @DisplayName("RFC 5044 A.5: a user that wants ULPDUs in order has them in order")
  @Tag("MPAA-5-01")
  void shouldLetEverythingWaitForAUserInOrder() {
    end = MpaEndpoint.responding(EARLY.withEarly(false), C);
    send(700, 800, 900);
    arrive(2, 3);
    arrive(1, 2);
    assertThat(heard()).isEmpty();
    arrive(0, 1);
    assertThat(heard()).containsExactly("ulpdu 700", "ulpdu 800", "ulpdu 900");
    assertPassed(700, 800, 900);
  }

  @Test
  @DisplayName("RFC 5044 A.5: Markers need less to be held than none")
  @Tag("MPAA-5-03")
  @Tag("MPAB-2.1-09")
  @Tag("MPA-3-12")
  void shouldHoldNothingOfAlignedFpdus() {
    send(1000, 1001, 1002, 1003, 1004);
    for (int i = 4; i > 0; i--) {
      arrive(i, i + 1);
      assertNothingKept();
    }
    arrive(0, 1);
    assertThat(end.handler.early).isEqualTo(4);
  }

  @Test
  @DisplayName("RFC 5044 7.2: what waits is given back when the connection is lost")
  void shouldGiveBackWhatWaitsWhenTheConnectionIsLost() {
    send(700, 800, 900);
    arriveOctets(starts.get(1) + 10, starts.get(2));
    arriveOctets(starts.get(2) + 10, starts.get(3) - 10);
    end.stream.end(CloseReason.RESET);
    assertThat(heard()).containsExactly("error 1", "closed RESET");
    assertNothingKept();
  }

  @Test
  @DisplayName("RFC 5044 7.2: the user may abort at an early ULPDU")
  void shouldStopWhenTheUserAborts() {
    end.handler.uponUlpdu = () -> end.mpa().abort();
    send(700, 800, 30, 900);
    arrive(1, 4);
    assertThat(heard()).containsExactly("early 800", "closed ABORTED");
    assertNothingKept();
  }

  @Test
  @DisplayName("RFC 5044 7.1.2 (4): early octets from a Responder that has to wait are error 4")
  void shouldRefuseEarlyOctetsOfAResponderThatHasToWait() {
    MpaEndpoint initiator = MpaEndpoint.initiating(EARLY, C);
    byte[] octets =
        PeerOctets.join(PeerOctets.fpdu(ulpdu(700), 0), PeerOctets.fpdu(ulpdu(40), 712));
    initiator.stream.arrive(octets, START, 712, octets.length - 712);
    assertThat(initiator.handler.error).isEqualTo(MpaError.STARTUP);
    assertThat(initiator.stream.isClosed()).isTrue();
  }

  @Test
  @Tag("D03-5.1.2-05")
  @DisplayName("RFC 5044 7.1.3: octets that came early wait for the Startup Phase to end")
  void shouldTakeEarlyOctetsThatWaitedForTheRequest() {
    MpaEndpoint responder = MpaEndpoint.responder(EARLY).open();
    responder.handler.uponRequest = () -> responder.startup.accept(MpaEndpoint.NONE);
    byte[] request = PeerOctets.request(C, new byte[100]);
    responder.stream.arrive(request, 0, 50, request.length - 50);
    assertThat(responder.handler.events).isEmpty();
    responder.stream.arrive(request, 0, 0, 50);
    assertThat(responder.handler.events).hasSize(2).last().isEqualTo("full operation ");
    assertThat(responder.stream.pool().available()).isEqualTo(responder.stream.pool().capacity());
  }
}
