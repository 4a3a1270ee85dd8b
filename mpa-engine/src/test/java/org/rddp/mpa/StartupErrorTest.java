package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.mpa.MpaEndpoint.C;
import static org.rddp.mpa.MpaEndpoint.NONE;
import static org.rddp.mpa.MpaEndpoint.R;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.tcp.CloseReason;

/** Every frame that is none: error 4 that names the field, and TCP closed at once. */
class StartupErrorTest {
  private static final MpaSettings DEFAULTS = MpaSettings.DEFAULTS;

  private static MpaEndpoint responder() {
    return MpaEndpoint.responder(DEFAULTS).open();
  }

  private static MpaEndpoint initiator() {
    MpaEndpoint end = MpaEndpoint.initiator(DEFAULTS, NONE).open();
    end.stream.takeSent();
    return end;
  }

  private static void assertRefused(MpaEndpoint end, String detail) {
    assertThat(end.handler.events).containsExactly("error 4", "closed ABORTED");
    assertThat(end.handler.error.code()).isEqualTo(4);
    assertThat(end.handler.detail).isEqualTo(detail);
    assertThat(end.stream.isClosed()).isTrue();
    assertThat(end.stream.segments()).isEmpty();
    assertThat(end.stream.pool().available()).isEqualTo(end.stream.pool().capacity());
  }

  @ParameterizedTest
  @CsvSource({
    "GET / HTTP/1.1, 0x47",
    "EHLO example.org, 0x45",
    "SSH-2.0-OpenSSH, 0x53",
    "*1 PING, 0x2a"
  })
  @Tag("MPA-7.1.3-02")
  @Tag("MPA-7.1.2-04")
  @Tag("ANA-8.1-03")
  void shouldRefusePlainTextAtItsFirstOctet(String text, String first) {
    MpaEndpoint end = responder();
    end.stream.receiveCut(text.getBytes(StandardCharsets.US_ASCII), 1);
    assertRefused(end, "MPA Request: Key octet 0 is " + first + ", not 0x4d");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
  @Tag("MPA-7.1.1-03")
  @Tag("MPA-7.1.1-05")
  @Tag("MPA-7.1.2-20")
  @Tag("MPA-8-10")
  void shouldRefuseAnyWrongOctetOfTheKey(int at) {
    byte[] request = PeerOctets.request(C, NONE);
    request[at] ^= 0x40;
    MpaEndpoint responder = responder();
    responder.stream.receive(request);
    assertThat(responder.handler.detail).startsWith("MPA Request: Key octet " + at + " is 0x");
    assertThat(responder.handler.events).containsExactly("error 4", "closed ABORTED");

    byte[] reply = PeerOctets.reply(C, NONE);
    reply[at] ^= 0x40;
    MpaEndpoint initiator = initiator();
    initiator.stream.receive(reply);
    assertThat(initiator.handler.detail).startsWith("MPA Reply: Key octet " + at + " is 0x");
    assertThat(initiator.handler.events).containsExactly("error 4", "closed ABORTED");
  }

  @Test
  @Tag("MPA-7.1.2-23")
  @Tag("MPA-7.1-10")
  @Tag("ANA-8.2.1-01")
  void shouldNoticeTwoInitiators() {
    MpaEndpoint end = initiator();
    end.stream.receive(PeerOctets.request(C, NONE));
    assertRefused(end, "MPA Reply: Key octet 9 is 0x71, not 0x70, as in an MPA Request");
  }

  @Test
  @Tag("MPA-7.1.2-24")
  @Tag("MPA-7.1.2-27")
  void shouldNoticeTwoRespondersBySilence() {
    MpaEndpoint end =
        MpaEndpoint.responder(DEFAULTS.withStartupTimeoutNanos(5_000_000_000L)).open();
    assertThat(end.stream.alarm()).isEqualTo(end.stream.now() + 5_000_000_000L);
    end.stream.fireAlarm();
    assertRefused(end, "MPA Request: Key is incomplete: 0 of 16 octets after 5000 ms");
  }

  @Test
  @Tag("MPA-7.1.2-27")
  void shouldLimitTheWholeFrameNotEachOctet() {
    MpaEndpoint end = responder();
    long deadline = end.stream.alarm();
    for (byte octet : PeerOctets.request(C, new byte[8])) {
      end.stream.setNow(end.stream.now() + 300_000_000L);
      if (end.stream.now() >= deadline) {
        break;
      }
      end.stream.receive(new byte[] {octet});
      assertThat(end.handler.events.isEmpty() || end.stream.alarm() == Long.MAX_VALUE).isTrue();
    }
    assertThat(end.handler.events).containsExactly("request " + "00".repeat(8));

    MpaEndpoint slow = responder();
    slow.stream.receiveCut(Arrays.copyOf(PeerOctets.request(C, new byte[8]), 22), 1);
    assertThat(slow.stream.alarm()).isEqualTo(deadline);
    slow.stream.fireAlarm();
    assertRefused(slow, "MPA Request: Private Data is incomplete: 2 of 8 octets after 10000 ms");
  }

  @Test
  void shouldNotWaitForEverForTheFinOfAPeerThatWasDeclined() {
    MpaEndpoint end = responder();
    end.stream.receive(PeerOctets.request(C, NONE));
    end.startup.reject(NONE);
    assertThat(end.stream.alarm()).isEqualTo(Long.MAX_VALUE);
    end.startup.closeSend();
    assertThat(end.stream.alarm()).isEqualTo(end.stream.now() + 10_000_000_000L);
    assertThat(end.stream.isClosed()).isFalse();
    end.stream.fireAlarm();
    assertThat(end.stream.isClosed()).isTrue();
  }

  @Test
  void shouldNotAnswerAnotherRevisionBehindItsOwnFin() {
    MpaEndpoint end = responder();
    end.startup.closeSend();
    byte[] request = PeerOctets.request(C, NONE);
    request[17] = 3;
    end.stream.receive(request);
    assertThat(end.stream.takeSent()).isEmpty();
    assertThat(end.handler.detail).isEqualTo("MPA Request: Rev is 3, not 1 to 2");
  }

  @Test
  void shouldNotWaitForEverForTheFinOfAPeerThatDeclined() {
    MpaEndpoint end = initiator();
    end.stream.receive(PeerOctets.reply(C | R, NONE));
    assertThat(end.stream.alarm()).isEqualTo(Long.MAX_VALUE);
    end.startup.closeSend();
    end.stream.fireAlarm();
    assertThat(end.stream.isClosed()).isTrue();
  }

  @Test
  @Tag("MPA-7.1.2-27")
  @Tag("ANA-8.1-02")
  void initiatorShouldNotWaitForEverEither() {
    MpaEndpoint end = initiator();
    end.stream.fireAlarm();
    assertRefused(end, "MPA Reply: Key is incomplete: 0 of 16 octets after 10000 ms");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 3, 255})
  @Tag("MPA-7.1.1-17")
  @Tag("MPAC-2.1-02")
  void responderShouldTellAnotherRevisionItsOwnAndClose(int revision) {
    MpaEndpoint end = responder();
    end.stream.receiveCut(PeerOctets.startup("MPA ID Req Frame", C, revision, 3, new byte[3]), 7);
    assertThat(end.handler.events).containsExactly("error 4");
    assertThat(end.handler.detail).isEqualTo("MPA Request: Rev is " + revision + ", not 1 to 2");
    assertThat(end.stream.takeSent()).isEqualTo(PeerOctets.reply(C | MpaEndpoint.R, NONE));
    assertThat(end.stream.isSendClosed()).isTrue();
    end.stream.receive(new byte[10]);
    end.stream.peerCloses();
    end.stream.end(CloseReason.NORMAL);
    assertThat(end.handler.events).containsExactly("error 4", "closed NORMAL");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2, 3, 255})
  @Tag("MPA-7.1.1-17")
  @Tag("MPA-7.1.2-15")
  @Tag("MPAC-2.2-01")
  void initiatorShouldCloseOnAnotherRevision(int revision) {
    MpaEndpoint end = initiator();
    end.stream.receive(PeerOctets.startup("MPA ID Rep Frame", C, revision, 0, NONE));
    assertThat(end.handler.events).containsExactly("error 4");
    assertThat(end.handler.detail).isEqualTo("MPA Reply: Rev is " + revision + ", not 1");
    assertThat(end.stream.isSendClosed()).isTrue();
    assertThat(end.stream.segments()).isEmpty();
    end.stream.fireAlarm();
    assertThat(end.handler.events).containsExactly("error 4", "closed ABORTED");
  }

  @ParameterizedTest
  @ValueSource(ints = {513, 65535})
  @Tag("MPA-7.1.1-20")
  @Tag("MPA-7.1.2-25")
  @Tag("MPA-7.1.2-26")
  void shouldRefuseTooMuchPrivateData(int pdLength) {
    MpaEndpoint responder = responder();
    responder.stream.receive(PeerOctets.startup("MPA ID Req Frame", C, 1, pdLength, NONE));
    assertRefused(responder, "MPA Request: PD_Length is " + pdLength + ", more than 512");
    MpaEndpoint initiator = initiator();
    initiator.stream.receive(PeerOctets.startup("MPA ID Rep Frame", C, 1, pdLength, NONE));
    assertRefused(initiator, "MPA Reply: PD_Length is " + pdLength + ", more than 512");
  }

  @Test
  @Tag("MPA-7.1.1-21")
  void shouldRefuseOctetsBehindARequest() {
    byte[] request = PeerOctets.join(PeerOctets.request(C, new byte[3]), new byte[1]);
    MpaEndpoint together = responder();
    together.stream.receive(request);
    assertRefused(
        together, "MPA Request: PD_Length does not match: octets follow the Private Data");

    MpaEndpoint later = responder();
    later.stream.receive(PeerOctets.request(C, NONE));
    later.stream.receive(new byte[1]);
    assertThat(later.handler.events).containsExactly("request ", "error 4", "closed ABORTED");
    assertThat(later.handler.detail).contains("PD_Length");
    later.startup.accept(NONE);
    assertThat(later.stream.segments()).isEmpty();
  }

  @Test
  @Tag("MPA-7.1.1-21")
  void shouldRefuseOctetsBehindAReplyBeforeOurFirstFpdu() {
    MpaEndpoint together = initiator();
    together.stream.receive(
        PeerOctets.join(PeerOctets.reply(C, NONE), PeerOctets.fpdu(new byte[10])));
    assertRefused(together, "MPA Reply: PD_Length does not match: octets follow the Private Data");

    MpaEndpoint later = initiator();
    later.stream.receive(PeerOctets.reply(C, NONE));
    later.stream.receive(PeerOctets.fpdu(new byte[10]));
    assertThat(later.handler.events)
        .containsExactly("full operation ", "error 4", "closed ABORTED");
  }

  @ParameterizedTest
  @CsvSource({
    "1, Key is incomplete: 1 of 16 octets",
    "16, 'M, C and R are missing'",
    "17, Rev is missing",
    "18, PD_Length is incomplete: 0 of 2 octets",
    "19, PD_Length is incomplete: 1 of 2 octets",
    "20, Private Data is incomplete: 0 of 5 octets",
    "24, Private Data is incomplete: 4 of 5 octets"
  })
  @Tag("MPA-7.1.1-21")
  void shouldNameTheFieldInWhichTheStreamEnds(int octets, String missing) {
    byte[] request = PeerOctets.request(C, new byte[5]);
    MpaEndpoint end = responder();
    end.stream.receive(request, 0, octets);
    end.stream.peerCloses();
    assertRefused(end, "MPA Request: " + missing + " when the peer closed");
  }

  @Test
  @Tag("MPA-8-03")
  void shouldReportAConnectionLostDuringStartup() {
    MpaEndpoint closed = responder();
    closed.stream.peerCloses();
    assertThat(closed.handler.events).containsExactly("error 1", "closed ABORTED");

    MpaEndpoint reset = initiator();
    reset.stream.end(CloseReason.RESET);
    assertThat(reset.handler.events).containsExactly("error 1", "closed RESET");

    MpaEndpoint deciding = responder();
    deciding.stream.receive(PeerOctets.request(C, NONE));
    deciding.stream.peerCloses();
    assertThat(deciding.handler.events).containsExactly("request ", "error 1", "closed ABORTED");

    MpaEndpoint refused = MpaEndpoint.initiator(DEFAULTS, NONE);
    refused.startup.onClosed(CloseReason.REFUSED);
    assertThat(refused.handler.events).containsExactly("error 1", "closed REFUSED");
  }

  @Test
  @Tag("MPA-7.1.3-02")
  void shouldRefuseRandomOctetsWhateverTheyAre() {
    Random random = new Random(44);
    for (int round = 0; round < 500; round++) {
      byte[] octets = new byte[1 + random.nextInt(600)];
      random.nextBytes(octets);
      MpaEndpoint end = responder();
      end.stream.receiveCut(octets, 1 + random.nextInt(40));
      if (!end.stream.isClosed()) {
        end.stream.peerCloses();
      }
      assertThat(end.handler.events).containsExactly("error 4", "closed ABORTED");
      assertThat(end.handler.detail).startsWith("MPA Request: Key ");
    }
  }

  @Test
  @Tag("MPA-7.1.2-04")
  void shouldNeverAcceptAFrameThatIsNotOne() {
    Random random = new Random(45);
    for (int round = 0; round < 2000; round++) {
      byte[] request = PeerOctets.request(C, new byte[random.nextInt(20)]);
      int at = random.nextInt(20);
      request[at] ^= (byte) (1 << random.nextInt(8));
      MpaEndpoint end = responder();
      end.stream.receiveCut(request, 1 + random.nextInt(40));
      if (!end.stream.isClosed()) {
        end.stream.peerCloses();
      }
      boolean flagsOnly = at == StartupFrame.FLAGS;
      assertThat(end.handler.events.contains("error 4")).isEqualTo(!flagsOnly);
    }
  }
}
