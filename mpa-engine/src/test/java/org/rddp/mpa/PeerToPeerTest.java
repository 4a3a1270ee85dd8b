package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.mpa.MpaEndpoint.C;
import static org.rddp.mpa.MpaEndpoint.NONE;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RFC 6581 section 9.2: an RTR lets the Responder be the first to send. */
class PeerToPeerTest {
  private static final int S = 0x10;
  private static final Map<String, Rtr> FLAGS =
      Map.of("B", Rtr.SEND, "C", Rtr.WRITE, "D", Rtr.READ);
  private static final byte[] ULPDU = {1, 2, 3, 4, 5};
  private static final MpaSettings SETTINGS =
      MpaSettings.DEFAULTS.withReads(8, 4).withRevision(2).withPeerToPeer(true);

  private static byte[] frame(String key, String privateData) {
    byte[] data = PeerOctets.hex(privateData);
    return PeerOctets.startup(key, S | C, 2, data.length, data);
  }

  private static byte[] request(String privateData) {
    return frame("MPA ID Req Frame", privateData);
  }

  private static byte[] reply(String privateData) {
    return frame("MPA ID Rep Frame", privateData);
  }

  /** The kinds that flags stand for. */
  private static Set<Rtr> kinds(String flags) {
    Set<Rtr> kinds = EnumSet.noneOf(Rtr.class);
    for (Map.Entry<String, Rtr> each : FLAGS.entrySet()) {
      if (flags.contains(each.getKey())) {
        kinds.add(each.getValue());
      }
    }
    return kinds;
  }

  private static MpaEndpoint initiator(MpaSettings settings, String replyData) {
    MpaEndpoint end = MpaEndpoint.initiator(settings, NONE).open();
    end.stream.takeSent();
    end.stream.receive(reply(replyData));
    return end;
  }

  private static MpaEndpoint responder(MpaSettings settings, String requestData) {
    MpaEndpoint end = MpaEndpoint.responder(settings).open();
    end.handler.uponRequest = () -> end.startup.accept(NONE);
    end.stream.receive(request(requestData));
    return end;
  }

  @ParameterizedTest
  @CsvSource({
    "BCD, c008 c004",
    "B, c008 0004",
    "C, 8008 8004",
    "D, 8008 4004",
    "CD, 8008 c004",
    "BC, c008 8004"
  })
  @Tag("P2P-9-01")
  @Tag("P2P-9.2-02")
  void initiatorShouldOfferItsKinds(String offered, String privateData) {
    MpaEndpoint end = MpaEndpoint.initiator(SETTINGS.withRtr(kinds(offered)), NONE).open();
    assertThat(end.stream.takeSent()).isEqualTo(request(privateData));
  }

  @Test
  @Tag("P2P-9.2-02")
  void initiatorShouldOfferAReadAlsoWhenItsProgramWantsNone() {
    MpaEndpoint end = MpaEndpoint.initiator(SETTINGS.withReads(8, 0), NONE).open();
    assertThat(end.stream.takeSent()).isEqualTo(request("c008 c000"));
  }

  @ParameterizedTest
  @CsvSource({
    // The Request's octets; what the Responder takes; the Reply's octets and what they name.
    "c001 c001, BCD, c001 c001, BCD",
    "8001 c001, BCD, 8001 c001, CD",
    "8001 4001, BCD, 8001 4001, D",
    "c001 4001, BCD, c001 4001, BD",
    "c001 0001, BCD, c001 0001, B",
    "c001 c001, B, c001 0001, B",
    "c001 c001, BD, c001 4001, BD",
    // Nothing was offered that the Responder takes: it says what it would take.
    "8001 4001, B, c001 0001, B",
    "8001 0001, BCD, c001 c001, BCD",
    "bfff 7fff, D, bfff 7fff, D"
  })
  @Tag("P2P-9.2-01")
  @Tag("P2P-9.2-03")
  @Tag("P2P-9.2-10")
  @Tag("P2P-12-01")
  void responderShouldEchoTheFlagAndNameTheKindsThatItTakes(
      String requested, String taken, String replied, String named) {
    MpaEndpoint end = responder(SETTINGS.withRtr(kinds(taken)), requested);
    assertThat(end.stream.takeSent()).isEqualTo(reply(replied));
    assertThat(end.startup.negotiated().rtr()).isEqualTo(kinds(named));
  }

  @ParameterizedTest
  @CsvSource({"8001 4000, BCD, 8001 4001", "c001 c000, BCD, c001 c001", "8001 4000, D, 8001 4001"})
  @Tag("P2P-9.1-09")
  void responderShouldServeOneReadIfTheRtrMayBeOne(String requested, String taken, String replied) {
    MpaEndpoint end = responder(SETTINGS.withRtr(kinds(taken)), requested);
    assertThat(end.stream.takeSent()).isEqualTo(reply(replied));
    assertThat(end.startup.negotiated().depths().ird()).isEqualTo(1);
  }

  @Test
  void responderWhoseProgramServesNoReadsShouldPreferOtherRtrs() {
    MpaSettings none = SETTINGS.withReads(0, 4);
    assertThat(responder(none, "c001 c001").stream.takeSent()).isEqualTo(reply("c000 8001"));
    assertThat(responder(none.withRtr(kinds("D")), "c001 c001").stream.takeSent())
        .isEqualTo(reply("8001 4001"));
  }

  @Test
  @Tag("P2P-9.1-09")
  void initiatorShouldSendAReadThoughItsOrdIsZero() {
    MpaEndpoint end = initiator(SETTINGS.withReads(8, 0).withRtr(kinds("D")), "8001 4000");
    assertThat(end.startup.negotiated().rtr()).containsExactly(Rtr.READ);
    assertThat(end.startup.negotiated().depths().ord()).isZero();
  }

  @Test
  @Tag("P2P-9.2-11")
  void initiatorShouldTakeAReplyThatNamesKindsItHasNotOffered() {
    assertThat(initiator(SETTINGS.withRtr(kinds("D")), "c004 c008").startup.negotiated().rtr())
        .containsExactly(Rtr.READ);
  }

  @ParameterizedTest
  @CsvSource({"0001, c001", "0001, 0001", "4001, 8001"})
  @Tag("P2P-9.2-07")
  @Tag("P2P-9.2-12")
  @Tag("P2P-12-01")
  void responderShouldNotExpectAnRtrThatNobodyWants(String first, String second) {
    MpaEndpoint end = responder(SETTINGS, first + second);
    assertThat(end.stream.takeSent()).isEqualTo(reply("0001 0001"));
    assertThat(end.startup.negotiated().rtr()).isEmpty();
    assertThat(end.stream.alarm()).isEqualTo(Long.MAX_VALUE);
  }

  @ParameterizedTest
  @CsvSource({
    "8004 8008, WRITE",
    "8004 4008, READ",
    "c004 0008, SEND",
    // More than one: the first in our order.
    "c004 c008, WRITE",
    "c004 4008, READ",
  })
  @Tag("P2P-9.2-04")
  void initiatorShouldSendWhatTheReplyNames(String replied, Rtr named) {
    MpaEndpoint end = initiator(SETTINGS, replied);
    assertThat(end.handler.events).containsExactly("full operation ");
    assertThat(end.startup.negotiated().rtr()).containsExactly(named);
    assertThat(end.mpa().sendable()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "BCD, 0004 8008, 'A is 0, though the MPA Request had set it for an RTR'",
    "BCD, 0004 0008, 'A is 0, though the MPA Request had set it for an RTR'",
    "BCD, 8004 0008, 'RTR is [], none of [WRITE, READ, SEND]'",
    "D, 8004 8008, 'RTR is [WRITE], none of [READ]'",
    "BC, 8004 4008, 'RTR is [READ], none of [WRITE, SEND]'",
    "D, 8000 4008, 'RTR is [READ], none of [READ]'"
  })
  @Tag("P2P-8-01")
  @Tag("P2P-9.2-06")
  void initiatorShouldEndAConnectionWithoutACommonKind(
      String offered, String replied, String detail) {
    MpaEndpoint end = initiator(SETTINGS.withRtr(kinds(offered)), replied);
    assertThat(end.handler.events).containsExactly("error 7");
    assertThat(end.handler.detail).isEqualTo("MPA Reply: " + detail);
    assertThat(end.send(ULPDU)).as("a Terminate may say so").isTrue();
    assertThat(end.stream.takeSent()).isEqualTo(PeerOctets.fpdu(ULPDU));
  }

  @Test
  @Tag("P2P-9.2-07")
  void initiatorShouldNotLookAtFlagsThatItHasNotSet() {
    MpaEndpoint end = initiator(SETTINGS.withPeerToPeer(false), "8004 8008");
    assertThat(end.handler.events).containsExactly("full operation ");
    assertThat(end.startup.negotiated().rtr()).isEmpty();
  }

  @Test
  @Tag("P2P-9.2-05")
  void responderShouldBeFreeToSendBehindTheRtrOnly() {
    MpaEndpoint end = responder(SETTINGS, "8001 8001");
    end.stream.takeSent();
    assertThat(end.send(ULPDU)).isFalse();
    end.stream.receive(PeerOctets.hex("000e c140 00000001 0000000000000000 ebd34c5f"));
    assertThat(end.handler.ulpdus).hasSize(1);
    assertThat(end.handler.sendables).isEqualTo(1);
    assertThat(end.send(ULPDU)).isTrue();
    end.stream.fireAlarm();
    assertThat(end.handler.error).isNull();
  }

  @Test
  void responderShouldNotReportAnRtrThatIsWrongAndDoesNotCome() {
    MpaEndpoint end = responder(SETTINGS, "8001 8001");
    end.stream.receive(PeerOctets.hex("000e c140 00000001 0000000000000000 ebd34c50"));
    assertThat(end.handler.events.getLast()).isEqualTo("error 2");
    end.stream.fireAlarm();
    assertThat(end.handler.events.getLast()).isEqualTo("error 2");
    assertThat(end.stream.isClosed()).isFalse();
  }

  @Test
  @Tag("P2P-9.2-08")
  void responderShouldReportAnRtrThatDoesNotCome() {
    MpaEndpoint end = responder(SETTINGS, "8001 8001");
    assertThat(end.stream.alarm()).isEqualTo(end.stream.now() + 10_000_000_000L);
    end.stream.fireAlarm();
    assertThat(end.handler.detail)
        .isEqualTo("RTR is missing: no FPDU within 10000 ms of the MPA Reply");
    assertThat(end.handler.events)
        .containsExactly("request ", "full operation ", "error 4", "closed ABORTED");
  }

  @Test
  @Tag("P2P-9.2-08")
  void anRtrThatHasBegunShouldHaveNoMoreTime() {
    MpaEndpoint end = responder(SETTINGS, "8001 8001");
    long deadline = end.stream.alarm();
    end.stream.setNow(end.stream.now() + 9_000_000_000L);
    end.stream.receive(new byte[] {0});
    assertThat(end.stream.alarm()).isEqualTo(deadline);
    end.stream.fireAlarm();
    assertThat(end.handler.events).endsWith("error 4", "closed ABORTED");
  }

  @Test
  void initiatorShouldEndAConnectionThatCannotHaveItsRtr() {
    MpaEndpoint end = MpaEndpoint.initiator(SETTINGS, NONE).open();
    end.stream.takeSent();
    end.stream.receive(PeerOctets.reply(C, NONE));
    assertThat(end.handler.events).containsExactly("error 7");
    assertThat(end.handler.detail)
        .isEqualTo("MPA Reply: Rev is 1, which has no RTR as the MPA Request asked for");
    assertThat(end.send(ULPDU)).as("a Terminate may say so").isTrue();
  }

  @Test
  void bothEndsShouldAgreeWhateverTheyCan() {
    List<String> sets = List.of("B", "C", "D", "BC", "BD", "CD", "BCD");
    for (String offered : sets) {
      for (String taken : sets) {
        agree(kinds(offered), kinds(taken));
      }
    }
  }

  private static void agree(Set<Rtr> offered, Set<Rtr> taken) {
    MpaEndpoint first = MpaEndpoint.initiator(SETTINGS.withRtr(offered), NONE).open();
    MpaEndpoint second = MpaEndpoint.responder(SETTINGS.withRtr(taken)).open();
    second.handler.uponRequest = () -> second.startup.accept(NONE);
    second.stream.receive(first.stream.takeSent());
    first.stream.receive(second.stream.takeSent());
    Set<Rtr> both = EnumSet.copyOf(offered);
    both.retainAll(taken);
    if (both.isEmpty()) {
      assertThat(first.handler.error).isEqualTo(MpaError.NO_MATCHING_RTR);
    } else {
      assertThat(second.startup.negotiated().rtr()).isEqualTo(both);
      assertThat(first.startup.negotiated().rtr()).hasSize(1).isSubsetOf(both);
    }
  }

  @Test
  @Tag("P2P-9.2-09")
  void shouldRefuseSettingsThatMakeNoSense() {
    assertThatThrownBy(() -> SETTINGS.withRtr(Set.of()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("kinds of RTR 0 is out of range");
  }
}
