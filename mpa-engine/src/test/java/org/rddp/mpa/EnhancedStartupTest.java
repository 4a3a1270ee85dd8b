package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.mpa.MpaEndpoint.C;
import static org.rddp.mpa.MpaEndpoint.NONE;
import static org.rddp.mpa.MpaEndpoint.R;
import static org.rddp.mpa.Rtr.WRITE;

import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Revision 2: the startup of RFC 6581, with octets as Linux siw sends them. */
class EnhancedStartupTest {
  private static final int S = 0x10;
  private static final String SIW_REQUEST = "4d504120494420526571204672616d65 10 02 0004 0001 0001";
  private static final MpaSettings READS = MpaSettings.DEFAULTS.withReads(8, 4);

  private static byte[] request(int flags, String privateData) {
    byte[] data = PeerOctets.hex(privateData);
    return PeerOctets.startup("MPA ID Req Frame", flags, 2, data.length, data);
  }

  private static byte[] reply(int flags, String privateData) {
    byte[] data = PeerOctets.hex(privateData);
    return PeerOctets.startup("MPA ID Rep Frame", flags, 2, data.length, data);
  }

  private static MpaEndpoint responder(byte[] request) {
    MpaEndpoint end = MpaEndpoint.responder(READS).open();
    end.stream.receiveCut(request, 5);
    return end;
  }

  private static MpaEndpoint initiator(byte[] reply) {
    MpaEndpoint end = MpaEndpoint.initiator(READS.withRevision(2), NONE).open();
    end.stream.takeSent();
    end.stream.receive(reply);
    return end;
  }

  @Test
  @Tag("P2P-6-03")
  @Tag("P2P-9-01")
  void shouldAnswerSiwInItsRevision() {
    MpaEndpoint end = responder(PeerOctets.hex(SIW_REQUEST));
    assertThat(end.handler.events).containsExactly("request ");
    end.startup.accept(NONE);
    assertThat(PeerOctets.hex(end.stream.takeSent()))
        .isEqualTo("4d504120494420526570204672616d6550020004 0001 0001".replace(" ", ""));
    assertThat(end.startup.negotiated().revision()).isEqualTo(2);
    assertThat(end.startup.negotiated().version()).isEqualTo(1);
    assertThat(end.startup.negotiated().depths().ird()).isEqualTo(1);
    assertThat(end.startup.negotiated().depths().ord()).isEqualTo(1);
    assertThat(end.startup.negotiated().crc()).isTrue();
  }

  @Test
  @Tag("P2P-6-03")
  void shouldHandUpOnlyTheUsersPrivateData() {
    MpaEndpoint end = responder(request(S | C, "0001 0001 c0ffee"));
    assertThat(end.handler.events).containsExactly("request c0ffee");
    end.startup.reject(PeerOctets.hex("0bad"));
    assertThat(end.stream.takeSent()).isEqualTo(reply(S | C | R, "0001 0001 0bad"));
  }

  @ParameterizedTest
  @CsvSource({
    // Request's IRD and ORD; Reply's IRD and ORD; ours in use. We can do 8 and 4.
    "0002, 0003, 0003, 0002, 3, 2, P2P-9.1-01 P2P-9.1-02",
    "0064, 0064, 0008, 0004, 8, 4, P2P-9.1-01 P2P-9.1-02",
    "0000, 0000, 0000, 0000, 0, 0, P2P-12-01",
    "3fff, 3fff, 3fff, 3fff, 8, 4, P2P-9.1-05 P2P-9.1-06",
    "3ffe, 3ffe, 0008, 0004, 8, 4, P2P-12-01"
  })
  @Tag("P2P-6-07")
  void responderShouldFitItsDepthsToTheRequest(
      String ird,
      String ord,
      String replyIrd,
      String replyOrd,
      int inUse,
      int outUse,
      String clauses) {
    MpaEndpoint end = responder(request(S | C, ird + ord));
    end.startup.accept(NONE);
    assertThat(end.stream.takeSent()).isEqualTo(reply(S | C, replyIrd + replyOrd));
    assertThat(end.startup.negotiated().depths().ird()).isEqualTo(inUse);
    assertThat(end.startup.negotiated().depths().ord()).isEqualTo(outUse);
  }

  @Test
  @Tag("P2P-6-05")
  void shouldNotLookAtTheOtherReservedBits() {
    MpaEndpoint end = responder(request(S | C | 0x0f, "0001 0001 aa"));
    assertThat(end.handler.events).containsExactly("request aa");
    end.startup.accept(NONE);
    assertThat(end.stream.takeSent()).isEqualTo(reply(S | C, "0001 0001"));
  }

  @ParameterizedTest
  @CsvSource({"0002 0003, 0003 0004", "3fff 0003, 0003 3fff", "0009 3fff, 3fff 0004"})
  @Tag("P2P-9.1-10")
  @Tag("P2P-6-07")
  void responderThatRejectsShouldSayWhatOrdItNeeds(String requested, String replied) {
    MpaEndpoint end = MpaEndpoint.responder(READS.withRequiredOrd(4)).open();
    end.stream.receive(request(S | C, requested));
    end.startup.reject(NONE);
    assertThat(end.stream.takeSent()).isEqualTo(reply(S | C | R, replied));
  }

  @Test
  @Tag("P2P-10-02")
  void shouldAnswerRevision1WithoutEnhancement() {
    MpaEndpoint end = responder(PeerOctets.request(C | S, NONE));
    end.startup.accept(NONE);
    assertThat(end.stream.takeSent()).isEqualTo(PeerOctets.reply(C, NONE));
  }

  @Test
  @Tag("P2P-10-02")
  void shouldAnswerRevision2WithoutEnhancementLikewise() {
    MpaEndpoint end = responder(request(C, "010203"));
    assertThat(end.handler.events).containsExactly("request 010203");
    end.startup.accept(new byte[512]);
    assertThat(end.stream.takeSent()).isEqualTo(reply(C, "00".repeat(512)));
    assertThat(end.startup.negotiated().depths().ird()).isEqualTo(8);
  }

  @Test
  @Tag("P2P-6-05")
  void initiatorShouldNotLookAtThemEither() {
    MpaEndpoint end = initiator(reply(S | C | 0x08, "0003 0002 ef"));
    assertThat(end.handler.events).containsExactly("full operation ef");
    assertThat(end.startup.negotiated().depths().ord()).isEqualTo(3);
  }

  @Test
  @Tag("P2P-6-06")
  void shouldRefuseAnEnhancementThatIsCutShort() {
    MpaEndpoint end = responder(request(S | C, "000100"));
    assertThat(end.handler.events).containsExactly("error 4", "closed ABORTED");
    assertThat(end.handler.detail)
        .isEqualTo("MPA Request: PD_Length is 3, less than the 4 of bit S");
  }

  @Test
  @Tag("P2P-6-02")
  void shouldTakeBitSForReservedInRevision1() {
    MpaEndpoint end = responder(PeerOctets.request(C | S, PeerOctets.hex("010203")));
    assertThat(end.handler.events).containsExactly("request 010203");
  }

  @Test
  @Tag("P2P-6-01")
  @Tag("P2P-6-04")
  @Tag("P2P-9.1-03")
  void initiatorShouldProposeRevision2WhenToldTo() {
    MpaEndpoint end = MpaEndpoint.initiator(READS.withRevision(2), PeerOctets.hex("abcd")).open();
    assertThat(end.stream.takeSent()).isEqualTo(request(S | C, "0008 0004 abcd"));
    end.stream.receive(reply(S | C, "0003 0002 ef"));
    assertThat(end.handler.events).containsExactly("full operation ef");
    assertThat(end.startup.negotiated().depths().ird()).isEqualTo(2);
    assertThat(end.startup.negotiated().depths().ord()).isEqualTo(3);
  }

  @Test
  void initiatorShouldFallBackToAResponderOfRevision1() {
    MpaEndpoint end = initiator(PeerOctets.reply(C, PeerOctets.hex("ef")));
    assertThat(end.handler.events).containsExactly("full operation ef");
    assertThat(end.startup.negotiated().revision()).isEqualTo(1);
    assertThat(end.startup.negotiated().depths())
        .isEqualTo(new Depths(Depths.UNKNOWN, Depths.UNKNOWN, 8, 4));
  }

  @Test
  void shouldKeepToAnotherOrdWhereThePeerDoesNotSayWhatItServes() {
    MpaSettings careful = READS.withUnnegotiatedOrd(1);
    MpaEndpoint end = MpaEndpoint.initiator(careful, NONE).open();
    end.stream.receive(PeerOctets.reply(C, NONE));
    assertThat(end.startup.negotiated().depths().ord()).isEqualTo(1);
    MpaEndpoint other = MpaEndpoint.responder(careful).open();
    other.stream.receive(request(S | C, "3fff 0002"));
    assertThat(other.startup.negotiated().depths().ord()).isEqualTo(1);
    MpaEndpoint third = MpaEndpoint.responder(careful).open();
    third.stream.receive(request(S | C, "0003 0002"));
    assertThat(third.startup.negotiated().depths()).isEqualTo(new Depths(3, 2, 2, 3));
  }

  @ParameterizedTest
  @CsvSource({
    "0009, 0003, 'MPA Reply: ORD is 9, more than our IRD of 8'",
    "3ffe, 3fff, 'MPA Reply: ORD is 16382, more than our IRD of 8'"
  })
  @Tag("P2P-8-01")
  @Tag("P2P-9.1-04")
  void initiatorShouldRefuseMoreReadsThanItCanServe(String ord, String ird, String detail) {
    MpaEndpoint end = initiator(reply(S | C, ird + ord));
    assertThat(end.handler.events).containsExactly("error 6");
    assertThat(end.handler.detail).isEqualTo(detail);
    assertThat(end.mpa()).isNotNull();
    assertThat(end.send(new byte[] {1, 2, 3})).as("a Terminate may say so").isTrue();
    end.stream.takeSent();
    end.stream.receive(PeerOctets.fpdu(new byte[10]));
    assertThat(end.handler.events).as("nothing is passed").containsExactly("error 6");
    assertThat(end.stream.isClosed()).isFalse();
  }

  @Test
  void initiatorShouldReportNoMoreThanThatItCannotServeThem() {
    MpaEndpoint end = initiator(reply(S | C, "0003 0009"));
    end.stream.receive(PeerOctets.fpdu(new byte[10]));
    assertThat(end.handler.events).as("whoever may send first").containsExactly("error 6");
    assertThat(end.stream.isClosed()).isFalse();
  }

  @Test
  void initiatorShouldNotLookAtTheDepthsOfAReplyThatDeclines() {
    assertThat(initiator(reply(S | C | R, "0003 0009 aa")).handler.events)
        .containsExactly("rejected aa");
  }

  @Test
  void initiatorShouldHandUpTheDepthsOfAReplyThatDeclines() {
    MpaEndpoint end = initiator(reply(S | C | R, "0003 0009"));
    assertThat(end.startup.negotiated().depths().peerIrd()).isEqualTo(3);
    assertThat(end.startup.negotiated().depths().peerOrd()).isEqualTo(9);
  }

  @Test
  @Tag("P2P-9.1-07")
  void initiatorShouldKeepItsDepthsWhenTheyAreSettledElsewhere() {
    MpaEndpoint end = initiator(reply(S | C, "3fff 3fff"));
    assertThat(end.handler.events).containsExactly("full operation ");
    assertThat(end.startup.negotiated().depths().ird()).isEqualTo(8);
    assertThat(end.startup.negotiated().depths().ord()).isEqualTo(4);
    MpaSettings elsewhere =
        READS
            .withRevision(2)
            .withReadsNegotiated(false)
            .withPeerToPeer(true)
            .withRtr(Set.of(WRITE));
    MpaEndpoint other = MpaEndpoint.initiator(elsewhere, NONE);
    assertThat(other.open().stream.takeSent()).isEqualTo(request(S | C, "bfff bfff"));
  }

  @Test
  @Tag("P2P-10-03")
  void initiatorShouldNotUseTheEnhancementForNothing() {
    MpaSettings nothing = READS.withRevision(2).withReadsNegotiated(false);
    MpaEndpoint end = MpaEndpoint.initiator(nothing, new byte[512]).open();
    assertThat(end.stream.takeSent()).isEqualTo(PeerOctets.request(C, new byte[512]));
    end.stream.receive(PeerOctets.reply(C, NONE));
    assertThat(end.handler.events).containsExactly("full operation ");
  }

  @Test
  @Tag("P2P-6-07")
  void initiatorShouldRefuseAReplyOfRevision2WithoutItsData() {
    MpaEndpoint end = initiator(reply(C, "0003 0002"));
    assertThat(end.handler.events).containsExactly("error 4", "closed ABORTED");
    assertThat(end.handler.detail)
        .isEqualTo("MPA Reply: S is 0, though the MPA Request had set it (RFC 6581 section 6)");
    assertThat(initiator(reply(C | R, "aa")).handler.events).containsExactly("rejected aa");
  }

  @Test
  @Tag("P2P-6-03")
  void shouldKnowHowMuchPrivateDataIsLeft() {
    assertThatThrownBy(() -> MpaEndpoint.initiator(READS.withRevision(2), new byte[509]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("508");
    MpaEndpoint responder = responder(request(S | C, "0001 0001"));
    assertThatThrownBy(() -> responder.startup.accept(new byte[509]))
        .isInstanceOf(IllegalArgumentException.class);
    responder.startup.accept(new byte[508]);
    assertThat(responder.stream.takeSent()).hasSize(532);
  }

  @Test
  void bothEndsShouldAgree() {
    MpaEndpoint first = MpaEndpoint.initiator(READS.withRevision(2), NONE).open();
    MpaEndpoint second = MpaEndpoint.responder(MpaSettings.DEFAULTS.withReads(2, 16)).open();
    second.handler.uponRequest = () -> second.startup.accept(NONE);
    second.stream.receive(first.stream.takeSent());
    first.stream.receive(second.stream.takeSent());
    assertThat(first.startup.negotiated().depths().ord())
        .isEqualTo(second.startup.negotiated().depths().ird())
        .isEqualTo(2);
    assertThat(second.startup.negotiated().depths().ord())
        .isEqualTo(first.startup.negotiated().depths().ird())
        .isEqualTo(8);
  }
}
