package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.mpa.MpaEndpoint.C;
import static org.rddp.mpa.MpaEndpoint.NONE;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The Start Key of draft-culley-iwarp-mpa-03, section 8.1. Its Passive side is our Initiator. */
class StartKeyTest {
  private static final MpaSettings DRAFT = MpaSettings.DEFAULTS.withStartKey(true);
  private static final byte[] ULPDU = {1, 2, 3, 4, 5, 6, 7};
  private static final String KEY = "4d5041206964656e74206672616d65";

  private static byte[] key(int last) {
    return PeerOctets.hex(KEY + String.format("%02x", last));
  }

  private static MpaEndpoint passive(MpaSettings settings) {
    return MpaEndpoint.initiator(settings, NONE).open();
  }

  private static MpaEndpoint active(MpaSettings settings) {
    MpaEndpoint end = MpaEndpoint.responder(settings).open();
    end.handler.uponRequest = () -> end.startup.accept(NONE);
    return end;
  }

  @ParameterizedTest
  @CsvSource({
    "false, false, 00, D03-8.1.1-05 D03-8.1.1-06",
    "false, true, 40, D03-8.1.1-01",
    "true, false, 80, D03-8.1.1-01",
    "true, true, c0, D03-8.1.1-01"
  })
  @Tag("D03-8.1-02")
  @Tag("D03-8.1.1-02")
  void passiveShouldSendItsKeyAtOnce(boolean markers, boolean crc, String last, String clauses) {
    MpaEndpoint end = passive(DRAFT.withMarkers(markers).withCrc(crc));
    assertThat(PeerOctets.hex(end.stream.takeSent())).isEqualTo(KEY + last);
  }

  @Test
  @Tag("D03-8.1-03")
  @Tag("D03-8.1-01")
  void activeShouldAnswerAKeyWithItsOwn() {
    MpaEndpoint end = active(DRAFT);
    assertThat(end.stream.segments()).isEmpty();
    end.stream.receiveCut(key(0x70), 3);
    assertThat(end.stream.takeSent()).isEqualTo(key(0x40));
    assertThat(end.handler.events).containsExactly("request ", "full operation ");
    assertThat(end.startup.negotiated().version()).isZero();
    assertThat(end.startup.negotiated().revision()).isZero();
  }

  @Test
  @Tag("D03-8.1-05")
  @Tag("D03-8.1-06")
  @Tag("D03-8.1.1-08")
  void noFpduShouldLeaveBeforeItsTurn() {
    MpaEndpoint passive = passive(DRAFT);
    passive.stream.takeSent();
    assertThat(passive.send(ULPDU)).isFalse();
    passive.stream.receive(key(0x40));
    assertThat(passive.send(ULPDU)).isTrue();
    assertThat(passive.stream.takeSent()).isEqualTo(PeerOctets.fpdu(ULPDU));

    MpaEndpoint active = active(DRAFT);
    active.stream.receive(key(0x40));
    active.stream.takeSent();
    assertThat(active.send(ULPDU)).isFalse();
    active.stream.receive(PeerOctets.fpdu(ULPDU));
    assertThat(active.handler.positions).containsExactly(16L);
    assertThat(active.send(ULPDU)).isTrue();
    assertThat(active.stream.takeSent()).isEqualTo(PeerOctets.fpdu(ULPDU));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14})
  @Tag("D03-8.1-07")
  @Tag("D03-8.1.1-03")
  @Tag("D03-9-01")
  void shouldCloseOnAnyOtherKey(int at) {
    byte[] wrong = key(0x40);
    wrong[at] ^= 0x01;
    for (MpaEndpoint end : new MpaEndpoint[] {passive(DRAFT), active(DRAFT)}) {
      end.stream.receive(wrong);
      assertThat(end.handler.events).containsExactly("error 4", "closed ABORTED");
      assertThat(end.handler.detail).startsWith("MPA Start Key: Key octet " + at + " is 0x");
    }
  }

  @Test
  @Tag("D03-8.1.1-03")
  @Tag("D03-8.1-04")
  void shouldCloseOnAFrameOfRfc5044OrAnFpdu() {
    MpaEndpoint end = active(DRAFT);
    end.stream.receive(PeerOctets.request(C, NONE));
    assertThat(end.handler.events).containsExactly("error 4", "closed ABORTED");
    assertThat(end.handler.detail)
        .isEqualTo("MPA Start Key: Key octet 4 is 0x49, not 0x69, as in an MPA Request");
    MpaEndpoint passive = passive(DRAFT);
    passive.stream.receive(PeerOctets.fpdu(ULPDU));
    assertThat(passive.handler.events).containsExactly("error 4", "closed ABORTED");
    MpaEndpoint other = MpaEndpoint.responder(MpaSettings.DEFAULTS).open();
    other.stream.receive(key(0x40));
    assertThat(other.handler.detail)
        .isEqualTo("MPA Request: Key octet 4 is 0x69, not 0x49, as in an MPA Start Key");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 8, 15})
  @Tag("D03-8.1.1-07")
  void shouldCloseOnAnotherRevision(int revision) {
    MpaEndpoint end = active(DRAFT);
    end.stream.receive(key(0x40 | revision));
    assertThat(end.handler.events).containsExactly("error 4", "closed ABORTED");
    assertThat(end.handler.detail).isEqualTo("MPA Start Key: Rev is " + revision + ", not 0");
  }

  @ParameterizedTest
  @CsvSource({
    "false, false, false, false",
    "false, true, true, false",
    "true, false, false, true",
    "true, true, true, true"
  })
  @Tag("D03-8.1.1-04")
  @Tag("D03-7.1-01")
  void markersAndCrcsShouldMeanWhatTheyMeanInTheRfc(
      boolean ourMarkers, boolean ourCrc, boolean theirMarkers, boolean theirCrc) {
    MpaEndpoint first = passive(DRAFT.withMarkers(ourMarkers).withCrc(ourCrc));
    MpaEndpoint second = active(DRAFT.withMarkers(theirMarkers).withCrc(theirCrc));
    second.stream.receive(first.stream.takeSent());
    first.stream.receive(second.stream.takeSent());
    assertThat(first.startup.negotiated().crc())
        .isEqualTo(second.startup.negotiated().crc())
        .isEqualTo(ourCrc || theirCrc);
    first.send(ULPDU);
    byte[] fpdu = first.stream.takeSent();
    byte[] expected = PeerOctets.fpdu(ULPDU, theirMarkers ? 0 : -1);
    assertThat(fpdu).isEqualTo(ourCrc || theirCrc ? expected : PeerOctets.withoutCrc(expected));
    second.stream.receive(fpdu);
    second.send(ULPDU);
    first.stream.receive(second.stream.takeSent());
    assertThat(first.handler.ulpdus).containsExactly(ULPDU);
    assertThat(second.handler.ulpdus).containsExactly(ULPDU);
  }

  @Test
  @Tag("D03-13.3-03")
  void decliningShouldBeClosing() {
    MpaEndpoint end = MpaEndpoint.responder(DRAFT).open();
    end.stream.receive(key(0x40));
    end.startup.reject(NONE);
    assertThat(end.stream.segments()).isEmpty();
    assertThat(end.stream.isSendClosed()).isTrue();
    MpaEndpoint passive = passive(DRAFT);
    passive.stream.peerCloses();
    assertThat(passive.handler.events).containsExactly("error 1", "closed ABORTED");
  }

  @Test
  @Tag("D03-8.1-08")
  void shouldHaveATimeoutAndNoPrivateData() {
    MpaEndpoint end = active(DRAFT);
    end.stream.receive(key(0x40), 0, 15);
    end.stream.fireAlarm();
    assertThat(end.handler.detail)
        .isEqualTo("MPA Start Key: M, C and Rev are missing after 10000 ms");
    assertThatThrownBy(() -> MpaEndpoint.initiator(DRAFT, new byte[1]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Private Data of 1 octets, more than 0: a Start Key alone carries none");
  }

  @Test
  @Tag("D03-7.2-03")
  @Tag("D03-7.2-04")
  void figures5And6OfTheDraft() {
    MpaEndpoint sender = passive(DRAFT);
    sender.stream.takeSent();
    sender.stream.receive(key(0xc0));
    byte[] first = PeerOctets.hex("4003 00000000 00000000 00000001 00000000" + "00".repeat(24));
    sender.send(first, 18);
    assertThat(PeerOctets.hex(sender.stream.takeSent()))
        .isEqualTo("00000000002a" + PeerOctets.hex(first) + "4c86b384");

    MpaEndpoint again = passive(DRAFT);
    again.stream.takeSent();
    again.stream.receive(key(0xc0));
    again.send(new byte[480]);
    again.stream.takeSent();
    again.send(PeerOctets.hex("4003 00000000 00000000 00000002 00000000" + "00".repeat(24)), 18);
    assertThat(PeerOctets.hex(again.stream.takeSent()))
        .isEqualTo(
            "002a40030000000000000000000000020000000000000014" + "00".repeat(24) + "a19cd103");
  }
}
