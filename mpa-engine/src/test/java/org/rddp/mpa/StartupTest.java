package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.mpa.MpaEndpoint.C;
import static org.rddp.mpa.MpaEndpoint.NONE;
import static org.rddp.mpa.MpaEndpoint.R;

import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The Startup Phase as both ends should see it: RFC 5044 sections 7.1.1 and 7.1.2. */
class StartupTest {
  private static final MpaSettings DEFAULTS = MpaSettings.DEFAULTS;
  private static final byte[] DATA = {0, 1, (byte) 0xff, 0};

  @Test
  @Tag("MPA-7.1.1-01") // the layout
  @Tag("MPA-7.1.1-02") // the key
  @Tag("MPA-7.1.1-11") // R is zero
  @Tag("MPA-7.1.1-14") // reserved bits are zero
  @Tag("MPA-7.1.1-16") // the revision
  @Tag("MPA-7.1.2-01") // at once
  @Tag("MPA-7.1-05") // no CRC, no Markers
  void initiatorShouldSendARequestFirst() {
    MpaEndpoint end = MpaEndpoint.initiator(DEFAULTS.withMarkers(true), NONE).open();
    assertThat(PeerOctets.hex(end.stream.takeSent()))
        .isEqualTo("4d504120494420526571204672616d65c0010000");
    assertThat(end.handler.events).isEmpty();
  }

  @Test
  @Tag("MPA-4.4-04")
  @Tag("MPA-1.2-02")
  @Tag("MPA-4.4-03")
  @Tag("D03-3.2-01")
  void shouldAskForCrcsAndNoMarkersByDefault() {
    MpaEndpoint initiator = MpaEndpoint.initiator(DEFAULTS, NONE).open();
    assertThat(initiator.stream.takeSent()[16]).isEqualTo((byte) C);
    MpaEndpoint responder = MpaEndpoint.responder(DEFAULTS).open();
    responder.handler.uponRequest = () -> responder.startup.accept(NONE);
    responder.stream.receive(PeerOctets.request(0, NONE));
    assertThat(responder.stream.takeSent()[16]).isEqualTo((byte) C);
    MpaEndpoint without = MpaEndpoint.initiator(DEFAULTS.withCrc(false), NONE).open();
    assertThat(without.stream.takeSent()[16]).isZero();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 511, 512})
  @Tag("MPA-7.1.1-19") // PD_Length
  @Tag("MPA-7.1.1-23") // 0 to 512 octets
  @Tag("MPA-7.1.2-02") // of the user
  @Tag("MPA-7.1.2-25") // checked
  @Tag("MPA-7.1.1-22") // passed to the user
  void requestShouldCarryPrivateData(int octets) {
    byte[] data = new byte[octets];
    new Random(octets).nextBytes(data);
    MpaEndpoint initiator = MpaEndpoint.initiator(DEFAULTS, data).open();
    byte[] request = initiator.stream.takeSent();
    assertThat(request).isEqualTo(PeerOctets.request(C, data));

    MpaEndpoint responder = MpaEndpoint.responder(DEFAULTS).open();
    responder.stream.receive(request);
    assertThat(responder.handler.events).hasSize(1);
    assertThat(responder.handler.privateData).isEqualTo(data);
  }

  @Test
  @Tag("MPA-7.1.1-23")
  void shouldRefuseToCarryMoreThan512Octets() {
    assertThatThrownBy(() -> MpaEndpoint.initiator(DEFAULTS, new byte[513]))
        .isInstanceOf(IllegalArgumentException.class);
    MpaEndpoint responder = MpaEndpoint.responder(DEFAULTS).open();
    responder.stream.receive(PeerOctets.request(C, NONE));
    assertThatThrownBy(() -> responder.startup.accept(new byte[513]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> responder.startup.reject(new byte[513]))
        .isInstanceOf(IllegalArgumentException.class);
    responder.startup.accept(new byte[512]);
    assertThat(responder.stream.takeSent()).hasSize(532);
  }

  @Test
  @Tag("MPA-7.1.1-04") // the key
  @Tag("MPA-7.1.1-13") // R says the answer
  @Tag("MPA-7.1.2-03") // not before the Request
  @Tag("MPA-7.1.2-09") // R is 0
  @Tag("MPA-7.1.2-10") // with Private Data
  @Tag("MPA-7.1.2-13") // not before the Request
  @Tag("MPA-7.1-09") // not before the user's answer
  void responderShouldReplyWhenItsUserAccepts() {
    MpaEndpoint end = MpaEndpoint.responder(DEFAULTS).open();
    assertThat(end.stream.segments()).isEmpty();
    end.stream.receive(PeerOctets.request(C, DATA));
    assertThat(end.stream.segments()).isEmpty();
    end.startup.accept(DATA);
    assertThat(PeerOctets.hex(end.stream.takeSent()))
        .isEqualTo("4d504120494420526570204672616d654001 0004 0001ff00".replace(" ", ""));
    assertThat(end.handler.events).containsExactly("request 0001ff00", "full operation ");
  }

  @Test
  @Tag("MPA-7.1.2-05")
  @Tag("MPA-7.1.2-06")
  @Tag("MPA-7.1.2-07")
  @Tag("MPA-7.1.2-08")
  void responderShouldSayNoAndLeaveTcpOpen() {
    MpaEndpoint end = MpaEndpoint.responder(DEFAULTS).open();
    end.stream.receive(PeerOctets.request(C, NONE));
    end.startup.reject(DATA);
    assertThat(end.stream.takeSent()).isEqualTo(PeerOctets.reply(C | R, DATA));
    end.stream.receive(PeerOctets.hex("00112233"));
    assertThat(end.handler.events).containsExactly("request ");
    assertThat(end.stream.isClosed()).isFalse();
    assertThat(end.stream.isSendClosed()).isFalse();
    end.startup.closeSend();
    assertThat(end.stream.isSendClosed()).isTrue();
    end.stream.peerCloses();
    assertThat(end.handler.events).containsExactly("request ", "peer closed");
  }

  @Test
  @Tag("MPA-7.1.2-16")
  @Tag("MPA-7.1.4-04")
  @Tag("MPA-7.1.2-17")
  void initiatorShouldReportANoAndLeaveTcpOpen() {
    MpaEndpoint end = MpaEndpoint.initiator(DEFAULTS, NONE).open();
    end.stream.receive(PeerOctets.join(PeerOctets.reply(C | R, DATA), PeerOctets.hex("abcdef")));
    assertThat(end.handler.events).containsExactly("rejected 0001ff00");
    assertThat(end.stream.isClosed()).isFalse();
    assertThat(end.stream.alarm()).isEqualTo(Long.MAX_VALUE);
    end.startup.abort();
    assertThat(end.handler.events).containsExactly("rejected 0001ff00", "closed ABORTED");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 19, 20, 21, 536})
  @Tag("MPA-7.1.2-18")
  void framesMayComeInAnySegmentation(int size) {
    byte[] data = new byte[512];
    new Random(size).nextBytes(data);
    MpaEndpoint responder = MpaEndpoint.responder(DEFAULTS).open();
    responder.stream.receiveCut(PeerOctets.request(C, data), size);
    assertThat(responder.handler.privateData).isEqualTo(data);

    MpaEndpoint initiator = MpaEndpoint.initiator(DEFAULTS, NONE).open();
    initiator.stream.receiveCut(PeerOctets.reply(C, data), size);
    assertThat(initiator.handler.events).hasSize(1).first().asString().startsWith("full operation");
    assertThat(initiator.handler.privateData).isEqualTo(data);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, MPA-7.1.1-07 MPA-4.3-02",
    "0, 128, MPA-7.1.1-06 MPA-4.3-03",
    "128, 0, MPA-7.1.1-07",
    "128, 128, MPA-7.1.1-06 MPA-4.3-03"
  })
  @Tag("MPA-7.1-02")
  void eachSidesMarkersShouldFollowTheOtherSidesWish(int own, int peer, String clauses) {
    MpaSettings settings = DEFAULTS.withMarkers(own != 0);
    byte[] ulpdu = new byte[600];
    MpaEndpoint end = MpaEndpoint.initiating(settings, peer | C);
    end.send(ulpdu);
    assertThat(end.stream.takeSent()).isEqualTo(PeerOctets.fpdu(ulpdu, peer != 0 ? 0 : -1));
    end.stream.receive(PeerOctets.fpdu(ulpdu, own != 0 ? 0 : -1));
    assertThat(end.handler.ulpdus).containsExactly(ulpdu);
  }

  @ParameterizedTest
  @CsvSource({
    "false, 0, MPA-4.4-05 MPA-4.4-09 MPA-4.4-10 MPA-4.1-07 MPA-7.1.1-08 MPA-7.1.1-10",
    "false, 64, MPA-4.4-08 MPA-7.1.1-09",
    "true, 0, MPA-4.4-08 MPA-7.1.1-09",
    "true, 64, MPA-7.1.1-09"
  })
  @Tag("MPA-4.4-07")
  @Tag("MPA-4.4-11")
  void crcsShouldBeInUseWhenEitherSideWantsThem(boolean own, int peer, String clauses) {
    boolean used = own || peer != 0;
    MpaEndpoint end = MpaEndpoint.responding(DEFAULTS.withCrc(own), peer);
    assertThat(end.startup.negotiated().crc()).isEqualTo(used);
    byte[] ulpdu = {1, 2, 3, 4, 5, 6};
    end.stream.receive(PeerOctets.fpdu(ulpdu));
    end.send(ulpdu);
    byte[] expected = PeerOctets.fpdu(ulpdu);
    assertThat(end.stream.takeSent()).isEqualTo(used ? expected : PeerOctets.withoutCrc(expected));
    byte[] wrong = PeerOctets.fpdu(ulpdu);
    wrong[wrong.length - 1] ^= 1;
    end.stream.receive(wrong);
    assertThat(end.handler.ulpdus).hasSize(used ? 1 : 2);
    assertThat(end.handler.error).isEqualTo(used ? MpaError.CRC : null);
  }

  @ParameterizedTest
  @CsvSource({"true, true, true", "true, false, false", "false, true, true", "false, false, true"})
  @Tag("MPA-4.4-03")
  @Tag("MPA-4.4-06")
  @DisplayName("ESP takes the CRC's place only if the administrator says so, and both ends agree")
  void shouldDoWithoutCrcsInEspIfToldSo(boolean secured, boolean wanted, boolean requested) {
    MpaSettings settings = DEFAULTS.withCrcInEsp(wanted);
    for (int peer : new int[] {0, C}) {
      MpaEndpoint responder = MpaEndpoint.responder(settings);
      responder.stream.setSecured(secured);
      responder.open();
      responder.stream.receive(PeerOctets.request(peer, NONE));
      responder.startup.chooseIrd(3);
      responder.startup.accept(NONE);
      assertThat(responder.stream.takeSent()).isEqualTo(PeerOctets.reply(requested ? C : 0, NONE));
      assertThat(responder.startup.negotiated().crc()).isEqualTo(requested || peer != 0);
      MpaEndpoint initiator = MpaEndpoint.initiator(settings, NONE);
      initiator.stream.setSecured(secured);
      initiator.open();
      assertThat(initiator.stream.takeSent())
          .isEqualTo(PeerOctets.request(requested ? C : 0, NONE));
      initiator.stream.receive(PeerOctets.reply(peer, NONE));
      assertThat(initiator.startup.negotiated().crc()).isEqualTo(requested || peer != 0);
    }
  }

  @Test
  @Tag("MPA-7.1.1-12")
  @Tag("MPA-7.1.1-15")
  void shouldNotLookAtReservedBitsNorAtTheRejectBitOfARequest() {
    MpaEndpoint end = MpaEndpoint.responder(DEFAULTS).open();
    end.stream.receive(PeerOctets.request(C | R | 0x1f, NONE));
    assertThat(end.handler.events).containsExactly("request ");
    MpaEndpoint initiator = MpaEndpoint.initiator(DEFAULTS, NONE).open();
    initiator.stream.receive(PeerOctets.reply(C | 0x1f, NONE));
    assertThat(initiator.handler.events).containsExactly("full operation ");
  }

  @Test
  @Tag("MPA-3-14")
  @Tag("MPA-7.1.1-18")
  void shouldReportTheVersion() {
    MpaEndpoint end = MpaEndpoint.initiating(DEFAULTS, C);
    assertThat(end.startup.negotiated().version()).isEqualTo(1);
    assertThat(end.startup.negotiated().revision()).isEqualTo(1);
  }

  @Test
  void shouldSendTheFrameWhenPacketsAreToBeHadAgain() {
    MpaEndpoint initiator = MpaEndpoint.initiator(DEFAULTS, DATA);
    initiator.stream.setPacketsAvailable(false);
    initiator.open();
    assertThat(initiator.stream.segments()).isEmpty();
    initiator.stream.makeSendable();
    assertThat(initiator.stream.takeSent()).isEqualTo(PeerOctets.request(C, DATA));

    MpaEndpoint responder = MpaEndpoint.responder(DEFAULTS).open();
    responder.stream.receive(PeerOctets.request(C, NONE));
    responder.stream.setPacketsAvailable(false);
    responder.startup.accept(DATA);
    assertThat(responder.handler.events).containsExactly("request ");
    responder.stream.makeSendable();
    assertThat(responder.stream.takeSent()).isEqualTo(PeerOctets.reply(C, DATA));
    assertThat(responder.handler.events).containsExactly("request ", "full operation ");
  }

  @Test
  @Tag("MPA-7.1.4-03")
  void shouldSendTheWholeReplyBeforeClosing() {
    MpaEndpoint end = MpaEndpoint.responder(DEFAULTS).open();
    end.stream.receive(PeerOctets.request(C, NONE));
    end.stream.setPacketsAvailable(false);
    end.startup.reject(DATA);
    end.startup.closeSend();
    assertThat(end.stream.isSendClosed()).isFalse();
    end.stream.makeSendable();
    assertThat(end.stream.takeSent()).isEqualTo(PeerOctets.reply(C | R, DATA));
    assertThat(end.stream.isSendClosed()).isTrue();
  }

  @Test
  void initiatorThatHasClosedShouldNotWaitForEverBehindANo() {
    MpaEndpoint end = MpaEndpoint.initiator(DEFAULTS, NONE).open();
    end.startup.closeSend();
    end.stream.receive(PeerOctets.reply(C | R, NONE));
    assertThat(end.stream.alarm()).isEqualTo(end.stream.now() + 10_000_000_000L);
    end.stream.fireAlarm();
    assertThat(end.handler.events).containsExactly("rejected ", "closed ABORTED");
  }

  @Test
  void responderThatHasClosedShouldNotWaitForEverBehindARequest() {
    MpaEndpoint end = MpaEndpoint.responder(DEFAULTS).open();
    end.startup.closeSend();
    end.stream.receive(PeerOctets.request(C, NONE));
    assertThat(end.stream.alarm()).isEqualTo(end.stream.now() + 10_000_000_000L);
    end.stream.fireAlarm();
    assertThat(end.handler.events).containsExactly("request ", "closed ABORTED");
  }

  @Test
  @Tag("MPAA-0-01")
  @Tag("D03-5.1.1-02")
  void shouldCutAFrameToATinySegmentSize() {
    MpaEndpoint end = MpaEndpoint.initiator(DEFAULTS, new byte[512]);
    end.stream.setEmss(100);
    end.open();
    assertThat(end.stream.segments()).hasSize(6);
    assertThat(end.stream.takeSent()).isEqualTo(PeerOctets.request(C, new byte[512]));
  }

  @Test
  @Tag("MPA-7.1.3-03")
  @Tag("MPA-7.1.2-21")
  void userMayEndItFromTheCallback() {
    MpaEndpoint responder = MpaEndpoint.responder(DEFAULTS).open();
    responder.handler.uponRequest = () -> responder.startup.abort();
    responder.stream.receive(PeerOctets.request(C, NONE));
    assertThat(responder.handler.events).containsExactly("request ", "closed ABORTED");
    responder.startup.accept(NONE);
    assertThat(responder.stream.segments()).isEmpty();

    MpaEndpoint initiator = MpaEndpoint.initiator(DEFAULTS, NONE).open();
    initiator.stream.takeSent();
    initiator.handler.uponFullOperation = () -> initiator.mpa().abort();
    initiator.stream.receive(PeerOctets.reply(C, NONE));
    assertThat(initiator.handler.events).containsExactly("full operation ", "closed ABORTED");
    assertThat(initiator.stream.segments()).isEmpty();
  }

  @Test
  void shouldAnswerARequestOnlyOnce() {
    MpaEndpoint end = MpaEndpoint.responder(DEFAULTS).open();
    assertThatThrownBy(() -> end.startup.accept(NONE)).isInstanceOf(IllegalStateException.class);
    end.stream.receive(PeerOctets.request(C, NONE));
    end.startup.accept(NONE);
    assertThatThrownBy(() -> end.startup.reject(NONE)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void shouldAbandonAConnectionThatWasGivenUpBeforeItOpened() {
    MpaEndpoint end = MpaEndpoint.initiator(DEFAULTS, NONE);
    end.startup.abort();
    end.open();
    assertThat(end.stream.segments()).isEmpty();
    assertThat(end.handler.events).containsExactly("closed ABORTED");
  }

  @Test
  @Tag("MPA-7.1-06")
  void shouldRefuseAConnectionWithoutAUser() {
    RecordingHandler owner = new RecordingHandler();
    assertThatNullPointerException().isThrownBy(() -> MpaStartup.responder(DEFAULTS, owner, null));
    assertThatNullPointerException()
        .isThrownBy(() -> MpaStartup.initiator(DEFAULTS, NONE, owner, null));
  }

  @Test
  @Tag("MPA-7.1-08")
  void rolesShouldHaveNothingToDoWithWhoOpenedTcp() {
    // Nothing in either role asks who sent the SYN: the accepting side of TCP may be Initiator.
    MpaEndpoint accepting = MpaEndpoint.initiator(DEFAULTS, NONE).open();
    MpaEndpoint opening = MpaEndpoint.responder(DEFAULTS).open();
    opening.handler.uponRequest = () -> opening.startup.accept(NONE);
    opening.stream.receive(accepting.stream.takeSent());
    accepting.stream.receive(opening.stream.takeSent());
    assertThat(accepting.handler.events).containsExactly("full operation ");
    assertThat(opening.handler.events).containsExactly("request ", "full operation ");
  }
}
