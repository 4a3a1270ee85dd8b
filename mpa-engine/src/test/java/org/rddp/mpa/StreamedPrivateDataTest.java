package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.mpa.MpaEndpoint.NONE;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.tcp.CloseReason;

/** Private Data ahead of the Start Key: draft-culley-iwarp-mpa-03 section 13.3. */
class StreamedPrivateDataTest {
  private static final MpaSettings DRAFT =
      MpaSettings.DEFAULTS.withStartKey(true).withStreamedPrivateData(true);
  private static final byte[] KEY = PeerOctets.hex("4d5041206964656e74206672616d6540");
  private static final byte[] ULPDU = {1, 2, 3, 4, 5, 6, 7};

  private static MpaEndpoint initiator(String privateData) {
    return MpaEndpoint.initiator(DRAFT, PeerOctets.hex(privateData)).open();
  }

  private static MpaEndpoint responder() {
    return MpaEndpoint.responder(DRAFT).open();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 1000})
  @Tag("D03-13.3-01")
  @Tag("D03-13.3-02")
  @Tag("D03-8.1.2-02")
  @Tag("D03-8.1.2-01")
  void everyoneShouldSpeakInTurn(int cut) {
    MpaEndpoint connector = initiator("0a0b0c0d0e");
    assertThat(PeerOctets.hex(connector.stream.takeSent()))
        .as("step 1")
        .isEqualTo("00050a0b0c0d0e");

    MpaEndpoint listener = responder();
    assertThat(listener.stream.segments()).isEmpty();
    listener.stream.receiveCut(PeerOctets.hex("0005 0a0b0c0d0e"), cut);
    assertThat(listener.handler.events).containsExactly("request 0a0b0c0d0e");
    listener.startup.accept(PeerOctets.hex("ff"));
    assertThat(PeerOctets.hex(listener.stream.takeSent())).as("step 2").isEqualTo("0001ff");
    assertThat(listener.handler.events).as("step 3: it waits").hasSize(1);
    assertThat(listener.send(ULPDU)).isFalse();

    connector.stream.receiveCut(PeerOctets.hex("0001 ff"), cut);
    assertThat(connector.stream.takeSent()).as("step 4").isEqualTo(KEY);
    assertThat(connector.handler.events).isEmpty();
    assertThat(connector.send(ULPDU)).isFalse();

    listener.stream.receiveCut(KEY, cut);
    assertThat(listener.stream.takeSent()).isEqualTo(KEY);
    connector.stream.receiveCut(KEY, cut);
    assertThat(connector.handler.events).containsExactly("full operation ff");
    assertThat(listener.handler.events).endsWith("full operation ");
    assertThat(listener.startup.negotiated().version()).isZero();
    assertThat(connector.send(ULPDU)).isTrue();
    listener.stream.receive(connector.stream.takeSent());
    assertThat(listener.handler.ulpdus).containsExactly(ULPDU);
  }

  @Test
  void listenerThatHasClosedShouldNotBegin() {
    MpaEndpoint listener = responder();
    listener.stream.receive(PeerOctets.hex("0000"));
    listener.startup.accept(NONE);
    listener.startup.closeSend();
    listener.stream.takeSent();
    listener.stream.receive(KEY);
    listener.stream.fireAlarm();
    assertThat(listener.stream.segments()).as("behind the FIN").isEmpty();
    assertThat(listener.handler.events).containsExactly("request ", "closed ABORTED");
  }

  @Test
  void connectorThatHasClosedShouldSendNoStartKey() {
    MpaEndpoint connector = initiator("");
    connector.startup.closeSend();
    connector.stream.takeSent();
    connector.stream.receive(PeerOctets.hex("0000"));
    assertThat(connector.stream.segments()).as("behind the FIN").isEmpty();
    connector.stream.fireAlarm();
    assertThat(connector.handler.events).containsExactly("error 4", "closed ABORTED");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 511, 512})
  void privateDataShouldBeCarriedUnchanged(int octets) {
    byte[] data = new byte[octets];
    new Random(octets).nextBytes(data);
    MpaEndpoint connector = MpaEndpoint.initiator(DRAFT, data).open();
    MpaEndpoint listener = responder();
    listener.stream.receive(connector.stream.takeSent());
    assertThat(listener.handler.privateData).isEqualTo(data);
    assertThat(listener.startup.maxPrivateData()).isEqualTo(512);
    listener.startup.accept(data);
    connector.stream.receive(listener.stream.takeSent());
    listener.stream.receive(connector.stream.takeSent());
    connector.stream.receive(listener.stream.takeSent());
    assertThat(connector.handler.privateData).isEqualTo(data);
  }

  @Test
  @Tag("D03-13.3-03")
  void decliningShouldBeAnAnswerAndThenTheEnd() {
    MpaEndpoint listener = responder();
    listener.stream.receive(PeerOctets.hex("0000"));
    listener.startup.reject(PeerOctets.hex("0bad"));
    assertThat(PeerOctets.hex(listener.stream.takeSent())).isEqualTo("00020bad");
    assertThat(listener.stream.isSendClosed()).isTrue();
    listener.stream.receive(KEY);
    assertThat(listener.stream.segments()).as("no Start Key").isEmpty();
    assertThat(listener.handler.events).containsExactly("request ");

    MpaEndpoint connector = initiator("");
    connector.stream.receive(PeerOctets.hex("00020bad"));
    connector.stream.peerCloses();
    assertThat(connector.handler.events).containsExactly("rejected 0bad");
    assertThat(connector.stream.isClosed()).isFalse();
    connector.startup.closeSend();
    assertThat(connector.stream.isSendClosed()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "0201, 'Private Data Length is 513, more than 512'",
    "ffff, 'Private Data Length is 65535, more than 512'",
    "0002aabbcc, 'PD_Length does not match: octets follow the Private Data'"
  })
  void shouldRefuseWhatIsNoMessage(String octets, String detail) {
    for (MpaEndpoint end : new MpaEndpoint[] {responder(), initiator("")}) {
      end.stream.receive(PeerOctets.hex(octets));
      assertThat(end.handler.events).containsExactly("error 4", "closed ABORTED");
      assertThat(end.handler.detail).isEqualTo("Private Data message: " + detail);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "'', Private Data Length is incomplete: 0 of 2 octets",
    "00, Private Data Length is incomplete: 1 of 2 octets",
    "0003aa, Private Data is incomplete: 1 of 3 octets"
  })
  void shouldNotWaitForEver(String octets, String missing) {
    for (MpaEndpoint end : new MpaEndpoint[] {responder(), initiator("")}) {
      end.stream.receiveCut(PeerOctets.hex(octets), 1);
      end.stream.fireAlarm();
      assertThat(end.handler.events).containsExactly("error 4", "closed ABORTED");
      assertThat(end.handler.detail)
          .isEqualTo("Private Data message: " + missing + " after 10000 ms");
    }
  }

  @Test
  void theStartKeyShouldHaveATimeLimitOfItsOwn() {
    MpaEndpoint listener = responder();
    listener.stream.receive(PeerOctets.hex("0000"));
    assertThat(listener.stream.alarm()).isEqualTo(Long.MAX_VALUE);
    listener.stream.setNow(listener.stream.now() + 60_000_000_000L);
    listener.startup.accept(NONE);
    assertThat(listener.stream.alarm()).isEqualTo(listener.stream.now() + 10_000_000_000L);
    listener.stream.fireAlarm();
    assertThat(listener.handler.detail)
        .isEqualTo("MPA Start Key: Key is incomplete: 0 of 15 octets after 10000 ms");
  }

  @Test
  void shouldReportAListenerThatGoesAwayInItsStartKey() {
    MpaEndpoint connector = initiator("");
    connector.stream.receive(PeerOctets.hex("0000"));
    connector.stream.receive(KEY, 0, 3);
    connector.stream.peerCloses();
    assertThat(connector.handler.events).containsExactly("error 4", "closed ABORTED");
    MpaEndpoint lost = initiator("");
    lost.stream.receive(PeerOctets.hex("0000"));
    lost.stream.end(CloseReason.RESET);
    assertThat(lost.handler.events).containsExactly("error 1", "closed RESET");
  }

  @Test
  void shouldSendTheRestWhenPacketsAreToBeHadAgain() {
    MpaEndpoint listener = responder();
    listener.stream.receive(PeerOctets.hex("0000"));
    listener.stream.setPacketsAvailable(false);
    listener.startup.accept(PeerOctets.hex("aa"));
    assertThat(listener.stream.segments()).isEmpty();
    listener.stream.makeSendable();
    assertThat(PeerOctets.hex(listener.stream.takeSent())).isEqualTo("0001aa");
    listener.stream.setPacketsAvailable(false);
    listener.stream.receive(KEY);
    assertThat(listener.handler.events).hasSize(1);
    listener.stream.makeSendable();
    assertThat(listener.stream.takeSent()).isEqualTo(KEY);
    assertThat(listener.handler.events).endsWith("full operation ");

    MpaEndpoint connector = initiator("");
    connector.stream.takeSent();
    connector.stream.setPacketsAvailable(false);
    connector.stream.receive(PeerOctets.hex("0000"));
    connector.stream.makeSendable();
    assertThat(connector.stream.takeSent()).isEqualTo(KEY);
  }

  @Test
  void shouldRefuseMoreThanItsOwnLimit() {
    assertThatThrownBy(() -> MpaEndpoint.initiator(DRAFT, new byte[513]))
        .isInstanceOf(IllegalArgumentException.class);
    MpaEndpoint listener = responder();
    listener.stream.receive(PeerOctets.hex("0000"));
    assertThatThrownBy(() -> listener.startup.accept(new byte[513]))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
