package org.rddp.daemon.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.types.CongestionChoice;
import org.rddp.ipc.control.ConnectionSettings;
import org.rddp.mpa.MpaSettings;
import org.rddp.wire.Ipv4;

/** The Differentiated Services codepoint that a program chooses for a connection. */
class ConnectionCodepointTest {
  private final SessionFixture fixture = new SessionFixture();

  private static ConnectionSettings withDscp(int dscp) {
    return chosen(dscp, CongestionChoice.AS_CONFIGURED);
  }

  private static ConnectionSettings chosen(int dscp, CongestionChoice congestion) {
    ConnectionSettings usual = ConnectionSettings.RDMAP;
    return new ConnectionSettings(
        0, 0, List.of(), 0, usual.startup(), usual.domain(), false, false, 0, dscp, congestion);
  }

  @Test
  @DisplayName("RFC 9293 3.9.2 (MUST-48): from the SYN on, of a connection that the program opens")
  void shouldBeThatOfAnOutgoingConnection() throws RequestRefusedException {
    fixture.peers(fixture.accepting(MpaSettings.DEFAULTS).startup);
    fixture.connect(withDscp(46));
    fixture.run();
    assertThat(fixture.codepoints).containsExactly(46);
  }

  @Test
  @DisplayName("RFC 9293 3.9.2 (MUST-48): after the handshake, of those that the program accepts")
  void shouldBeThatOfAnIncomingConnection() throws RequestRefusedException {
    fixture.session.listen(SessionFixture.OURS, SessionFixture.PORT, 8, withDscp(10));
    fixture.peer();
    fixture.requested();
    assertThat(fixture.codepoints).containsExactly(0, 10);
  }

  @Test
  void shouldBeTheInterfacesWithoutAChoice() throws RequestRefusedException {
    assertThat(ConnectionOptions.DEFAULTS.dscp()).isEqualTo(-1);
    fixture.peers(fixture.accepting(MpaSettings.DEFAULTS).startup);
    fixture.connect(ConnectionSettings.RDMAP);
    fixture.run();
    assertThat(fixture.codepoints).containsExactly(0);
  }

  @Test
  @DisplayName("RFC 8257 3.6, RFC 8311 4.3: with DCTCP chosen every packet is capable, the SYN too")
  void shouldUseTheChosenCongestionControl() throws RequestRefusedException {
    fixture.peers(fixture.accepting(MpaSettings.DEFAULTS).startup);
    fixture.connect(chosen(-1, CongestionChoice.DCTCP));
    fixture.run();
    assertThat(fixture.capable).containsExactly(Ipv4.ECT_0);
  }

  @Test
  @DisplayName("RFC 8257 3.6: with CUBIC some packets are not")
  void shouldUseTheInterfacesCongestionControl() throws RequestRefusedException {
    fixture.peers(fixture.accepting(MpaSettings.DEFAULTS).startup);
    fixture.connect(chosen(-1, CongestionChoice.NEW_RENO));
    fixture.run();
    assertThat(fixture.capable).contains(Ipv4.NOT_ECT);
  }
}
