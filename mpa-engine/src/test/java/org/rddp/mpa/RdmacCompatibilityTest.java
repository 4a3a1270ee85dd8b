package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.mpa.MpaEndpoint.C;
import static org.rddp.mpa.MpaEndpoint.M;
import static org.rddp.mpa.MpaEndpoint.NONE;
import static org.rddp.mpa.MpaEndpoint.R;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 5044 appendix C: peers of revision 0, and every cell of figures 15 to 17 that we are in. */
class RdmacCompatibilityTest {
  private static final byte[] ULPDU = new byte[40];
  private static final byte[] RDMAC_REQUEST =
      PeerOctets.startup("MPA ID Req Frame", M | C, 0, 0, NONE);
  private static final byte[] RDMAC_REPLY =
      PeerOctets.startup("MPA ID Rep Frame", M | C, 0, 0, NONE);

  private static MpaSettings settings(boolean permissive, boolean markers) {
    return MpaSettings.DEFAULTS.withPermissive(permissive).withMarkers(markers);
  }

  private static void assertSends(MpaEndpoint end, boolean markers) {
    end.send(ULPDU);
    assertThat(end.stream.takeSent()).isEqualTo(PeerOctets.fpdu(ULPDU, markers ? 0 : -1));
  }

  private static void assertReceives(MpaEndpoint end, boolean markers) {
    end.stream.receive(PeerOctets.fpdu(ULPDU, markers ? 0 : -1));
    assertThat(end.handler.error).isNull();
    assertThat(end.handler.ulpdus).containsExactly(ULPDU);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("MPAC-F15-02")
  @Tag("MPAC-F15-03")
  @Tag("MPAC-2.1-02")
  @Tag("MPAC-0-01")
  void nonPermissiveResponderShouldCloseOnAnRdmacInitiator(boolean markers) {
    MpaEndpoint end = MpaEndpoint.responder(settings(false, markers)).open();
    end.stream.receive(RDMAC_REQUEST);
    assertThat(end.handler.events).containsExactly("error 4");
    byte[] answer = end.stream.takeSent();
    assertThat(answer).isEqualTo(PeerOctets.reply(C | R | (markers ? M : 0), NONE));
    assertThat(end.stream.isSendClosed()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @Tag("MPAC-F15-04")
  @Tag("MPAC-F15-05")
  @Tag("MPAC-2.2-01")
  void nonPermissiveInitiatorShouldCloseOnAnRdmacResponder(boolean markers) {
    MpaEndpoint end = MpaEndpoint.initiator(settings(false, markers), NONE).open();
    end.stream.takeSent();
    end.stream.receive(RDMAC_REPLY);
    assertThat(end.handler.events).containsExactly("error 4");
    assertThat(end.stream.isSendClosed()).isTrue();
    assertThat(end.stream.segments()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "false, false, MPAC-F16-01 MPAC-1-07",
    "false, true, MPAC-F16-01 MPAC-2.1-01",
    "true, false, MPAC-F16-02 MPAC-1-07",
    "true, true, MPAC-F16-02 MPAC-2.1-01"
  })
  @Tag("MPAC-2.3-01")
  @Tag("MPAC-2.3-02")
  @Tag("MPAC-2.4-01")
  @Tag("MPAC-2.4-02")
  void permissiveResponderShouldServeAnRdmacInitiator(
      boolean markers, boolean crc, String clauses) {
    MpaEndpoint end = MpaEndpoint.responder(settings(true, markers).withCrc(crc)).open();
    end.handler.uponRequest = () -> end.startup.accept(NONE);
    end.stream.receive(RDMAC_REQUEST);
    assertThat(end.stream.takeSent()).isEqualTo(RDMAC_REPLY);
    assertThat(end.startup.negotiated().version()).isZero();
    assertThat(end.startup.negotiated().revision()).isZero();
    assertThat(end.startup.negotiated().crc()).isTrue();
    assertReceives(end, true);
    assertSends(end, true);
  }

  @ParameterizedTest
  @CsvSource({
    "false, false, MPAC-F16-03",
    "false, true, MPAC-F16-03",
    "true, false, MPAC-F16-04",
    "true, true, MPAC-F16-04"
  })
  @Tag("MPAC-2.5-01")
  @Tag("MPAC-2.5-02")
  @Tag("MPAC-1-06")
  void permissiveInitiatorShouldUseAnRdmacResponder(boolean markers, boolean crc, String clauses) {
    MpaEndpoint end = MpaEndpoint.initiator(settings(true, markers).withCrc(crc), NONE).open();
    int flags = (markers ? M : 0) | (crc ? C : 0);
    assertThat(end.stream.takeSent()).isEqualTo(PeerOctets.request(flags, NONE));
    end.stream.receive(RDMAC_REPLY);
    assertThat(end.handler.events).containsExactly("full operation ");
    assertThat(end.startup.negotiated().version()).isZero();
    assertThat(end.startup.negotiated().crc()).isTrue();
    assertSends(end, true);
    assertReceives(end, true);
  }

  @ParameterizedTest
  @CsvSource({
    "false, false, false, false, MPAC-F15-06 MPAC-F17-03",
    "false, false, false, true, MPAC-F15-07 MPAC-F17-03",
    "false, true, false, false, MPAC-F15-08 MPAC-F17-03",
    "false, true, false, true, MPAC-F15-09 MPAC-F17-03",
    "true, false, true, false, MPAC-F16-05 MPAC-F17-03",
    "true, false, true, true, MPAC-F16-06 MPAC-F17-03",
    "true, true, true, false, MPAC-F16-07 MPAC-F17-03",
    "true, true, true, true, MPAC-F16-08 MPAC-F17-03",
    "false, false, true, false, MPAC-F17-01",
    "false, false, true, true, MPAC-F17-01",
    "false, true, true, false, MPAC-F17-01",
    "false, true, true, true, MPAC-F17-01",
    "true, false, false, false, MPAC-F17-02",
    "true, false, false, true, MPAC-F17-02",
    "true, true, false, false, MPAC-F17-02",
    "true, true, false, true, MPAC-F17-02"
  })
  @Tag("MPAC-3-01")
  @Tag("MPAC-1-02")
  @Tag("MPAC-1-03")
  @Tag("MPAC-1-04")
  void twoIetfPeersShouldFollowEachOthersMarkers(
      boolean initiatorPermissive,
      boolean initiatorMarkers,
      boolean responderPermissive,
      boolean responderMarkers,
      String clauses) {
    MpaEndpoint initiator =
        MpaEndpoint.initiator(settings(initiatorPermissive, initiatorMarkers), NONE).open();
    MpaEndpoint responder =
        MpaEndpoint.responder(settings(responderPermissive, responderMarkers)).open();
    responder.handler.uponRequest = () -> responder.startup.accept(NONE);
    responder.stream.receive(initiator.stream.takeSent());
    initiator.stream.receive(responder.stream.takeSent());
    assertThat(initiator.startup.negotiated().version()).isEqualTo(1);
    assertThat(responder.startup.negotiated().version()).isEqualTo(1);
    assertSends(initiator, responderMarkers);
    assertReceives(responder, responderMarkers);
    assertSends(responder, initiatorMarkers);
    assertReceives(initiator, initiatorMarkers);
  }

  /** A kind of peer in figure 14. */
  enum Kind {
    RDMAC,
    NON_PERMISSIVE,
    PERMISSIVE
  }

  @ParameterizedTest
  @CsvSource({
    // Ours, our M, the peer's, its M; the version, and who receives Markers: we, the peer.
    "NON_PERMISSIVE, 0, RDMAC, 1, close, 0, 0, MPAC-F15-02 MPAC-F15-04",
    "NON_PERMISSIVE, 1, RDMAC, 1, close, 0, 0, MPAC-F15-03 MPAC-F15-05",
    "NON_PERMISSIVE, 0, NON_PERMISSIVE, 0, 1, 0, 0, MPAC-F17-03",
    "NON_PERMISSIVE, 0, NON_PERMISSIVE, 1, 1, 0, 1, MPAC-F17-03",
    "NON_PERMISSIVE, 1, NON_PERMISSIVE, 0, 1, 1, 0, MPAC-F17-03",
    "NON_PERMISSIVE, 1, NON_PERMISSIVE, 1, 1, 1, 1, MPAC-F17-03",
    "NON_PERMISSIVE, 0, PERMISSIVE, 0, 1, 0, 0, MPAC-F17-01 MPAC-F17-02",
    "NON_PERMISSIVE, 0, PERMISSIVE, 1, 1, 0, 1, MPAC-F17-01 MPAC-F17-02",
    "NON_PERMISSIVE, 1, PERMISSIVE, 0, 1, 1, 0, MPAC-F17-01 MPAC-F17-02",
    "NON_PERMISSIVE, 1, PERMISSIVE, 1, 1, 1, 1, MPAC-F17-01 MPAC-F17-02",
    "PERMISSIVE, 0, RDMAC, 1, 0, 1, 1, MPAC-F16-03 MPAC-1-05",
    "PERMISSIVE, 1, RDMAC, 1, 0, 1, 1, MPAC-F16-02 MPAC-F16-04 MPAC-1-05",
    "PERMISSIVE, 0, NON_PERMISSIVE, 0, 1, 0, 0, MPAC-F17-01 MPAC-F17-02",
    "PERMISSIVE, 0, NON_PERMISSIVE, 1, 1, 0, 1, MPAC-F17-01 MPAC-F17-02",
    "PERMISSIVE, 1, NON_PERMISSIVE, 0, 1, 1, 0, MPAC-F17-01 MPAC-F17-02",
    "PERMISSIVE, 1, NON_PERMISSIVE, 1, 1, 1, 1, MPAC-F17-01 MPAC-F17-02",
    "PERMISSIVE, 0, PERMISSIVE, 0, 1, 0, 0, MPAC-F17-03",
    "PERMISSIVE, 0, PERMISSIVE, 1, 1, 0, 1, MPAC-F17-03",
    "PERMISSIVE, 1, PERMISSIVE, 0, 1, 1, 0, MPAC-F17-03",
    "PERMISSIVE, 1, PERMISSIVE, 1, 1, 1, 1, MPAC-F17-03"
  })
  @Tag("MPAC-1-02")
  @Tag("MPAC-1-03")
  @Tag("MPAC-1-04")
  void everyCellInEitherRole(
      Kind our,
      int ourM,
      Kind peer,
      int peerM,
      String version,
      int weReceive,
      int peerReceives,
      String clauses) {
    MpaSettings settings = settings(our == Kind.PERMISSIVE, ourM == 1);
    int revision = peer == Kind.RDMAC ? 0 : 1;
    int flags = C | (peerM == 1 ? M : 0);

    MpaEndpoint initiator = MpaEndpoint.initiator(settings, NONE).open();
    assertThat(initiator.stream.takeSent()[StartupFrame.REVISION]).isEqualTo((byte) 1);
    initiator.stream.receive(PeerOctets.startup("MPA ID Rep Frame", flags, revision, 0, NONE));
    assertCell(initiator, version, weReceive == 1, peerReceives == 1);

    MpaEndpoint responder = MpaEndpoint.responder(settings).open();
    responder.handler.uponRequest = () -> responder.startup.accept(NONE);
    responder.stream.receive(PeerOctets.startup("MPA ID Req Frame", flags, revision, 0, NONE));
    responder.stream.takeSent();
    if (!version.equals("close")) {
      assertReceives(responder, weReceive == 1);
      responder.handler.ulpdus.clear();
    }
    assertCell(responder, version, weReceive == 1, peerReceives == 1);
  }

  private static void assertCell(
      MpaEndpoint end, String version, boolean weReceive, boolean peerReceives) {
    if (version.equals("close")) {
      assertThat(end.handler.events).containsExactly("error 4");
      assertThat(end.stream.isSendClosed()).isTrue();
      return;
    }
    assertThat(end.startup.negotiated().version()).isEqualTo(Integer.parseInt(version));
    assertSends(end, peerReceives);
    if (end.handler.ulpdus.isEmpty() && end.handler.events.size() == 1) {
      assertReceives(end, weReceive);
    }
  }
}
