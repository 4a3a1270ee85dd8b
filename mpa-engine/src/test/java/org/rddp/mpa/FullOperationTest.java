package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.mpa.MpaEndpoint.C;
import static org.rddp.mpa.MpaEndpoint.M;
import static org.rddp.mpa.MpaEndpoint.NONE;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.tcp.CloseReason;

/** Sending, flow, teardown and errors of a connection in Full Operation. */
class FullOperationTest {
  private static final MpaSettings DEFAULTS = MpaSettings.DEFAULTS;
  private static final byte[] ULPDU = {1, 2, 3, 4, 5, 6, 7};

  @Test
  @Tag("MPA-7.1.2-12")
  void initiatorShouldSendNothingBeforeTheReply() {
    MpaEndpoint end = MpaEndpoint.initiator(DEFAULTS, NONE).open();
    end.stream.takeSent();
    assertThat(end.mpa()).isNull();
    assertThat(end.send(ULPDU)).isFalse();
    assertThat(end.stream.segments()).isEmpty();
    end.handler.uponFullOperation = () -> end.send(ULPDU);
    end.stream.receive(PeerOctets.reply(C, NONE));
    assertThat(end.stream.takeSent()).isEqualTo(PeerOctets.fpdu(ULPDU));
  }

  @Test
  @Tag("MPA-7.1.2-19")
  @Tag("MPA-7.1.2-11")
  void responderShouldSendNothingBeforeTheFirstFpdu() {
    MpaEndpoint end = MpaEndpoint.responding(DEFAULTS, M | C);
    assertThat(end.mpa().sendable()).isFalse();
    assertThat(end.send(ULPDU)).isFalse();
    byte[] first = PeerOctets.fpdu(ULPDU);
    end.stream.receive(first, 0, 8);
    end.stream.makeSendable();
    assertThat(end.handler.sendables).isZero();
    assertThat(end.mpa().sendable()).isFalse();
    end.handler.uponUlpdu = () -> end.send(ULPDU);
    end.stream.receive(first, 8, first.length - 8);
    assertThat(end.handler.sendables).isOne();
    assertThat(end.mpa().sendable()).isTrue();
    assertThat(end.stream.takeSent()).isEqualTo(PeerOctets.fpdu(ULPDU, 0));
  }

  @Test
  @Tag("MPA-7.1.2-19")
  void aBadFirstFpduShouldNotReleaseTheResponder() {
    MpaEndpoint end = MpaEndpoint.responding(DEFAULTS, C);
    byte[] bad = PeerOctets.fpdu(ULPDU);
    bad[5] ^= 1;
    end.stream.receive(bad);
    assertThat(end.handler.error).isEqualTo(MpaError.CRC);
    assertThat(end.mpa().sendable()).isFalse();
    assertThat(end.send(ULPDU)).isFalse();
    assertThat(end.stream.segments()).isEmpty();
  }

  @Test
  @Tag("MPA-3-01") // one FPDU for each
  @Tag("MPA-5.1-04") // at the segment's begin
  @Tag("MPAA-1-01") // every segment begins with one
  @Tag("MPAA-2-01") // which is full, but for the last
  @Tag("D03-5.1.1-01") // segments begin with FPDUs, and EMSS is told
  @Tag("D03-5.1.1-03") // as MPA asks for
  @Tag("D03-7.3-01") // with whole FPDUs
  @Tag("MPA-2-03") // which is FPDU Alignment
  void everyUlpduShouldBecomeOneFpduInASegmentOfItsOwn() {
    MpaEndpoint end = MpaEndpoint.initiating(DEFAULTS, C);
    int[] lengths = {1454, 1, 700, 1454, 33};
    for (int length : lengths) {
      assertThat(end.send(filled(length))).isTrue();
    }
    assertThat(end.stream.segments()).hasSize(lengths.length);
    for (int i = 0; i < lengths.length; i++) {
      assertThat(end.stream.segments().get(i)).isEqualTo(PeerOctets.fpdu(filled(lengths[i])));
    }
  }

  private static byte[] filled(int length) {
    byte[] octets = new byte[length];
    Arrays.fill(octets, (byte) length);
    return octets;
  }

  @Test
  @Tag("MPA-3-05")
  @Tag("MPA-3-07")
  void shouldRefuseAUlpduThatIsTooLargeOrEmpty() {
    MpaEndpoint end = MpaEndpoint.initiating(DEFAULTS, C);
    assertThat(end.mpa().mulpdu()).isEqualTo(1454);
    for (int length : new int[] {0, 1455, 64769}) {
      assertThatThrownBy(() -> end.mpa().send(1, 0, 1, length))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(end.stream.segments()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 14, 18, 100})
  void shouldJoinTheTwoPartsOfAUlpdu(int headerLength) {
    byte[] ulpdu = new byte[1000];
    new Random(1).nextBytes(ulpdu);
    for (int flags : new int[] {C, M | C}) {
      MpaEndpoint end = MpaEndpoint.initiating(DEFAULTS, flags);
      end.send(ulpdu, headerLength);
      assertThat(end.stream.takeSent()).isEqualTo(PeerOctets.fpdu(ulpdu, flags == C ? -1 : 0));
    }
  }

  @Test
  @Tag("MPA-4.3-04") // every 512 octets
  @Tag("MPA-4.3-07") // zero between two FPDUs
  @Tag("MPA-4.3-13") // all of one FPDU point to its begin
  @Tag("MPA-4.3-14") // to that in which it lies
  @Tag("MPA-4.2-02") // upper half is zero
  @Tag("MPA-4.2-05") // two low bits are zero
  @Tag("MPA-4.3-18") // cuts no field
  @Tag("D03-7.1-02") // two low bits in the draft
  void shouldPutAMarkerEvery512Octets() {
    MpaEndpoint end = MpaEndpoint.initiating(DEFAULTS, M | C);
    Random random = new Random(3);
    byte[] expected = {};
    for (int i = 0; i < 600; i++) {
      byte[] ulpdu = new byte[1 + random.nextInt(i % 3 == 0 ? 1430 : 40)];
      random.nextBytes(ulpdu);
      assertThat(end.send(ulpdu)).isTrue();
      expected = PeerOctets.join(expected, PeerOctets.fpdu(ulpdu, expected.length));
    }
    byte[] stream = end.stream.takeSent();
    assertThat(stream).isEqualTo(expected);
    for (int at = 0; at + 4 <= stream.length; at += 512) {
      assertThat(stream[at]).isZero();
      assertThat(stream[at + 1]).isZero();
      assertThat(stream[at + 3] & 3).isZero();
    }
  }

  @Test
  @Tag("MPA-4.5-08") // an FPDU in two segments
  @Tag("MPA-4.5-07") // MULPDU stays 128
  @Tag("MPAA-5.2-03") // which the receiver holds
  @Tag("D03-13.2-02") // in the draft, too
  @Tag("D03-7.3-04") // FPDUs are whole in the stream
  void shouldStillSend128OctetsWhenSegmentsAreTiny() {
    MpaEndpoint end = MpaEndpoint.initiating(DEFAULTS, M | C);
    end.stream.changeEmss(100);
    assertThat(end.mpa().mulpdu()).isEqualTo(128);
    byte[] ulpdu = filled(128);
    end.send(ulpdu);
    assertThat(end.stream.segments()).hasSize(2);
    byte[] stream = end.stream.takeSent();
    assertThat(stream).hasSize(140).isEqualTo(PeerOctets.fpdu(ulpdu, 0));
    MpaEndpoint receiver = MpaEndpoint.responding(DEFAULTS.withMarkers(true), C);
    receiver.stream.receiveCut(stream, 100);
    assertThat(receiver.handler.ulpdus).containsExactly(ulpdu);
  }

  @Test
  @Tag("MPA-4.5-06") // when EMSS changes
  @Tag("MPA-3-02") // DDP can ask
  @Tag("MPA-1.2-04") // from what TCP knows
  @Tag("MPA-5.1-01") // by section 4.5
  @Tag("MPA-5.1-02") // by the true EMSS
  @Tag("MPAA-1-03") // which TCP tells
  @Tag("D03-5.1.1-01") // segments begin with FPDUs, and EMSS is told
  void mulpduShouldFollowEmss() {
    MpaEndpoint end = MpaEndpoint.initiating(DEFAULTS, C);
    end.stream.changeEmss(8948);
    end.stream.changeEmss(8949);
    end.stream.changeEmss(536);
    assertThat(end.handler.events).containsExactly("full operation ", "mulpdu 8942", "mulpdu 530");
    assertThat(end.mpa().mulpdu()).isEqualTo(530);
    MpaEndpoint marked = MpaEndpoint.initiating(DEFAULTS, M | C);
    assertThat(marked.mpa().mulpdu()).isEqualTo(1442);
    MpaEndpoint early = MpaEndpoint.initiator(DEFAULTS, NONE).open();
    early.stream.changeEmss(1448);
    early.stream.receive(PeerOctets.reply(C, NONE));
    assertThat(early.mpa().mulpdu()).isEqualTo(1442);
    assertThat(early.handler.events).containsExactly("full operation ");
  }

  @Test
  void shouldSayWhenSendingIsWorthAnotherTry() {
    MpaEndpoint end = MpaEndpoint.initiating(DEFAULTS, C);
    assertThat(end.mpa().sendable()).isTrue();
    end.stream.setWindowOpen(false);
    assertThat(end.mpa().sendable()).isFalse();
    end.stream.setPacketsAvailable(false);
    assertThat(end.send(ULPDU)).isFalse();
    assertThat(end.stream.segments()).isEmpty();
    end.stream.makeSendable();
    assertThat(end.handler.sendables).isOne();
    assertThat(end.send(ULPDU)).isTrue();
    assertThat(end.stream.takeSent()).isEqualTo(PeerOctets.fpdu(ULPDU));
  }

  @Test
  @Tag("MPA-7.2-01")
  @Tag("MPA-7.2-02")
  @Tag("MPA-3-13")
  @Tag("D03-5.1-01")
  void aCloseAtAnFpduBoundaryShouldBeGraceful() {
    MpaEndpoint end = MpaEndpoint.responding(DEFAULTS, C);
    end.stream.receive(PeerOctets.fpdu(ULPDU));
    end.stream.peerCloses();
    assertThat(end.handler.events)
        .containsExactly("request ", "full operation ", "ulpdu 7", "peer closed");
    assertThat(end.send(ULPDU)).isTrue();
    end.mpa().closeSend();
    assertThat(end.stream.isSendClosed()).isTrue();
    assertThat(end.mpa().sendable()).isFalse();
    assertThatThrownBy(() -> end.send(ULPDU)).isInstanceOf(IllegalStateException.class);
    end.stream.end(CloseReason.NORMAL);
    assertThat(end.handler.events.getLast()).isEqualTo("closed NORMAL");
    assertThat(end.handler.error).isNull();
  }

  @Test
  @Tag("MPA-7.2-01")
  void receivingShouldGoOnAfterOurHalfIsClosed() {
    MpaEndpoint end = MpaEndpoint.initiating(DEFAULTS, C);
    end.send(ULPDU);
    end.mpa().closeSend();
    end.stream.receive(PeerOctets.fpdu(ULPDU));
    assertThat(end.handler.ulpdus).containsExactly(ULPDU);
  }

  @Test
  @Tag("MPA-4.3-10")
  void aMarkerSentEarlyShouldNotMakeACloseUngraceful() {
    MpaEndpoint end = MpaEndpoint.responding(DEFAULTS.withMarkers(true), C);
    end.stream.receive(PeerOctets.fpdu(new byte[502], 0));
    end.stream.receive(new byte[4]);
    end.stream.peerCloses();
    assertThat(end.handler.events).contains("peer closed");
    assertThat(end.handler.error).isNull();
  }

  @Test
  @Tag("MPA-8-03")
  @Tag("MPA-8-02")
  void aCloseInsideAnFpduShouldBeError1() {
    byte[] fpdu = PeerOctets.fpdu(new byte[100]);
    for (int octets = 1; octets < fpdu.length; octets++) {
      MpaEndpoint end = MpaEndpoint.responding(DEFAULTS, C);
      end.stream.receive(fpdu, 0, octets);
      end.stream.peerCloses();
      assertThat(end.handler.events).containsExactly("request ", "full operation ", "error 1");
      assertThat(end.handler.detail)
          .startsWith("the peer closed behind " + octets + " octets of an FPDU of ")
          .endsWith(octets < 2 ? "unknown size at position 20" : "108 octets at position 20");
      assertThat(end.stream.pool().available()).isEqualTo(end.stream.pool().capacity());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"RESET", "TIMEOUT"})
  @Tag("MPA-8-01")
  @Tag("MPA-8-03")
  void aLostConnectionShouldBeError1(String reason) {
    MpaEndpoint end = MpaEndpoint.initiating(DEFAULTS, C);
    end.stream.end(CloseReason.valueOf(reason));
    assertThat(end.handler.events)
        .containsExactly("full operation ", "error 1", "closed " + reason);
    assertThat(end.handler.detail).containsIgnoringCase(reason);
    end.mpa().abort();
    end.mpa().closeSend();
    assertThat(end.handler.events).hasSize(3);
  }

  @Test
  @Tag("MPA-8-14")
  @Tag("MPA-8-15")
  @Tag("MPA-8-13")
  void ourHalfShouldStayUsableAfterAnErrorOnThePeers() {
    MpaEndpoint end = MpaEndpoint.responding(DEFAULTS, C);
    end.stream.receive(PeerOctets.fpdu(ULPDU));
    byte[] bad = PeerOctets.fpdu(ULPDU);
    bad[bad.length - 1] ^= 1;
    end.stream.receive(PeerOctets.join(bad, PeerOctets.fpdu(ULPDU)));
    end.stream.receive(PeerOctets.fpdu(ULPDU));
    assertThat(end.handler.ulpdus).hasSize(1);
    assertThat(end.handler.detail).contains("FPDU of 16 octets at position 36: CRC is 0x");
    assertThat(end.stream.isClosed()).isFalse();
    assertThat(end.send(ULPDU)).isTrue();
    assertThat(end.stream.takeSent()).isEqualTo(PeerOctets.fpdu(ULPDU));
    end.stream.peerCloses();
    end.stream.end(CloseReason.RESET);
    assertThat(end.handler.events)
        .containsExactly("request ", "full operation ", "ulpdu 7", "error 2", "closed RESET");
  }

  @Test
  @Tag("MPA-8-15")
  void aGoodFirstFpduShouldReleaseTheResponderThoughABadOneFollows() {
    MpaEndpoint end = MpaEndpoint.responding(DEFAULTS, C);
    byte[] bad = PeerOctets.fpdu(ULPDU);
    bad[3] ^= 1;
    end.stream.receive(PeerOctets.join(PeerOctets.fpdu(ULPDU), bad));
    assertThat(end.handler.error).isEqualTo(MpaError.CRC);
    assertThat(end.handler.sendables).isOne();
    assertThat(end.mpa().sendable()).isTrue();
  }

  @Test
  void userMayAbortInTheMiddleOfASegment() {
    MpaEndpoint end = MpaEndpoint.responding(DEFAULTS, C);
    end.handler.uponUlpdu = () -> end.mpa().abort();
    byte[] fpdu = PeerOctets.fpdu(ULPDU);
    end.stream.receive(fpdu, 0, 5);
    end.stream.receive(PeerOctets.join(Arrays.copyOfRange(fpdu, 5, fpdu.length), fpdu, fpdu));
    assertThat(end.handler.events)
        .containsExactly("request ", "full operation ", "ulpdu 7", "closed ABORTED");
    assertThat(end.stream.pool().available()).isEqualTo(end.stream.pool().capacity());
  }

  @Test
  @Tag("MPA-8-03")
  @Tag("MPA-7.1.2-28")
  void anFpduThatIsNotFinishedInTimeShouldEndTheConnection() {
    MpaEndpoint end = MpaEndpoint.responding(DEFAULTS, C);
    end.stream.receive(PeerOctets.fpdu(new byte[100]), 0, 50);
    end.stream.fireAlarm();
    assertThat(end.handler.events)
        .containsExactly("request ", "full operation ", "error 1", "closed ABORTED");
    assertThat(end.handler.detail)
        .isEqualTo("no more than 50 octets of an FPDU of 108 octets at position 20 in time");
    assertThat(end.stream.pool().available()).isEqualTo(end.stream.pool().capacity());
  }

  @Test
  void anAlarmShouldOnlyMeanTheFpduThatItWasSetFor() {
    byte[] fpdu = PeerOctets.fpdu(ULPDU);
    MpaEndpoint end = MpaEndpoint.responding(DEFAULTS, C);
    long none = end.stream.alarm();
    end.stream.receive(fpdu);
    assertThat(end.stream.alarm()).as("no FPDU is unfinished").isEqualTo(none);
    end.stream.receive(fpdu, 0, 5);
    long first = end.stream.alarm();
    assertThat(first).isEqualTo(end.stream.now() + MpaConnection.FPDU_TIMEOUT_NANOS);
    end.stream.receive(PeerOctets.join(Arrays.copyOfRange(fpdu, 5, fpdu.length), new byte[] {0}));
    assertThat(end.stream.alarm()).as("a busy stream sets it once").isEqualTo(first);
    end.stream.fireAlarm();
    assertThat(end.handler.error).isNull();
    assertThat(end.stream.alarm()).isEqualTo(first + MpaConnection.FPDU_TIMEOUT_NANOS);
    end.stream.receive(fpdu, 1, fpdu.length - 1);
    end.stream.fireAlarm();
    assertThat(end.stream.alarm()).isEqualTo(Long.MAX_VALUE);
    assertThat(end.handler.ulpdus).hasSize(3);
    assertThat(end.handler.error).isNull();
  }

  @Test
  void shouldGiveKeptPacketsBackWhenTheConnectionGoes() {
    MpaEndpoint end = MpaEndpoint.responding(DEFAULTS, C);
    end.stream.receiveCut(Arrays.copyOf(PeerOctets.fpdu(new byte[5000]), 4000), 1000);
    assertThat(end.stream.pool().available()).isLessThan(end.stream.pool().capacity());
    end.mpa().abort();
    assertThat(end.stream.pool().available()).isEqualTo(end.stream.pool().capacity());
  }

  @Test
  @Tag("MPAA-1-07")
  @Tag("D03-7.3-04")
  @DisplayName("RFC 5044 A.1: where FPDUs do not fit segments the stream is the same")
  void shouldSendTheSameStreamWhereAlignmentIsLost() {
    for (int flags : new int[] {C, M | C}) {
      MpaEndpoint aligned = MpaEndpoint.initiating(DEFAULTS, flags);
      MpaEndpoint unaligned = MpaEndpoint.initiating(DEFAULTS, flags);
      unaligned.stream.changeEmss(100);
      for (int length = 1; length <= 128; length++) {
        aligned.send(filled(length));
        unaligned.send(filled(length));
      }
      assertThat(aligned.stream.segments()).hasSize(128);
      assertThat(unaligned.stream.segments()).hasSizeGreaterThan(128);
      assertThat(unaligned.stream.takeSent()).isEqualTo(aligned.stream.takeSent());
    }
  }

  @Test
  @Tag("MPAA-4-03")
  @DisplayName("RFC 5044 A.4: an aligned FPDU in order is passed and delivered at once")
  void shouldPassAnAlignedFpduInItsTurnAtOnce() {
    MpaSettings early = DEFAULTS.withMarkers(true).withEarly(true);
    MpaEndpoint end = MpaEndpoint.responding(early, C);
    end.stream.receive(PeerOctets.fpdu(filled(1000), 0));
    assertThat(end.handler.events).endsWith("full operation ", "ulpdu 1000");
    assertThat(end.handler.early).isZero();
    assertThat(end.stream.pool().available()).isEqualTo(end.stream.pool().capacity());
  }
}
