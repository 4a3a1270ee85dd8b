package org.rddp.mpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.mpa.MpaEndpoint.C;
import static org.rddp.mpa.MpaEndpoint.NONE;
import static org.rddp.mpa.MpaEndpoint.R;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.device.NativePacketPool;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.testing.InMemoryTcpStream;
import org.rddp.wire.Memory;

/** Delayed startup (RFC 5044 figure 9) and the plain stream after a reject. */
class StreamingModeTest {
  private static final byte[] ULPDU = {9, 8, 7, 6, 5};

  /** A program that reads up to a full stop and then starts MPA. */
  private static final class Talker implements StreamingHandler {
    final InMemoryTcpStream tcp = new InMemoryTcpStream(new NativePacketPool(16, 2304), 1460, 0x5a);
    final RecordingHandler mpaHandler = new RecordingHandler();
    final List<String> events = new ArrayList<>();
    final ByteArrayOutputStream heard = new ByteArrayOutputStream();
    final StreamingMode streaming = new StreamingMode(this);
    final MpaConnection mpa;
    boolean started;

    Talker(boolean initiator) {
      mpa =
          initiator
              ? MpaConnection.initiator(MpaSettings.DEFAULTS, NONE, mpaHandler)
              : MpaConnection.responder(MpaSettings.DEFAULTS, mpaHandler);
    }

    Talker open() {
      tcp.open(streaming);
      return this;
    }

    int say(String text) {
      byte[] octets = text.getBytes(StandardCharsets.US_ASCII);
      long address = Memory.allocate(octets.length);
      Memory.copy(octets, 0, address, octets.length);
      return streaming.send(address, octets.length);
    }

    @Override
    public void onOpen(StreamingMode opened) {
      events.add("open");
    }

    @Override
    public int onOctets(long address, int length) {
      for (int at = 0; at < length; at++) {
        int octet = Memory.getByte(address + at);
        heard.write(octet);
        if (octet == '.' && !started) {
          started = true;
          streaming.start(mpa);
          return at + 1;
        }
      }
      return length;
    }

    @Override
    public void onSendable() {
      events.add("sendable");
    }

    @Override
    public void onPeerClosed() {
      events.add("peer closed");
    }

    @Override
    public void onClosed(CloseReason reason) {
      events.add("closed " + reason);
    }

    String heard() {
      return heard.toString(StandardCharsets.US_ASCII);
    }
  }

  @Test
  @DisplayName("RFC 5044 7.1.5: plain octets before their turn wait, and so does what follows them")
  @Tag("MPA-7.1.5-01")
  @Tag("D03-5.1.2-05")
  void shouldTakeOctetsInOrderWhenSegmentsAreNot() {
    Talker talker = new Talker(false).open();
    talker.mpaHandler.uponRequest = () -> talker.mpa.accept(NONE);
    byte[] octets = PeerOctets.join(text("Hello there."), PeerOctets.request(C, NONE));
    talker.tcp.arrive(octets, 0, 20, octets.length - 20);
    talker.tcp.arrive(octets, 0, 3, 4);
    assertThat(talker.heard()).isEmpty();
    talker.tcp.arrive(octets, 0, 0, 3);
    assertThat(talker.heard()).isEqualTo("Hello t");
    talker.tcp.arrive(octets, 0, 7, 13);
    assertThat(talker.heard()).isEqualTo("Hello there.");
    assertThat(talker.mpaHandler.events).containsExactly("request ", "full operation ");
    assertThat(talker.tcp.consumed()).isEqualTo(octets.length);
    assertThat(talker.tcp.pool().available()).isEqualTo(talker.tcp.pool().capacity());
  }

  @Test
  @DisplayName(
      "RFC 5044 7.1.2: what came before its turn is plain again behind a Reply that declines")
  void shouldGoOnInOrderBehindAReject() {
    Talker talker = new Talker(true).open();
    talker.tcp.receive(text("."));
    byte[] octets = PeerOctets.join(PeerOctets.reply(R, NONE), text("Never mind"));
    talker.tcp.arrive(octets, 1, 25, 5);
    talker.tcp.arrive(octets, 1, 10, 12);
    talker.tcp.arrive(octets, 1, 0, 10);
    assertThat(talker.heard()).isEqualTo(".Ne");
    talker.tcp.arrive(octets, 1, 22, 3);
    assertThat(talker.heard()).isEqualTo(".Never mind");
    assertThat(talker.mpaHandler.events).containsExactly("rejected ");
    assertThat(talker.tcp.consumed()).isEqualTo(1 + octets.length);
    assertThat(talker.tcp.pool().available()).isEqualTo(talker.tcp.pool().capacity());
  }

  @Test
  @DisplayName("RFC 5044 7.1: plain octets that wait are given back when the connection goes")
  void shouldGiveBackWhatWaits() {
    Talker talker = new Talker(true).open();
    talker.tcp.arrive(text("Hello"), 0, 2, 3);
    talker.tcp.end(CloseReason.RESET);
    assertThat(talker.events).containsExactly("open", "closed RESET");
    assertThat(talker.tcp.pool().available()).isEqualTo(talker.tcp.pool().capacity());
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 6, 1000})
  @Tag("MPA-1.2-03")
  @Tag("MPA-7.1-01")
  @Tag("MPA-7.1-02")
  @Tag("MPA-7.1-04")
  @Tag("MPA-7.1.5-01")
  void initiatorShouldStartWhereTheStreamSaysSo(int cut) {
    Talker talker = new Talker(true).open();
    assertThat(talker.say("Hello")).isEqualTo(5);
    assertThat(talker.tcp.takeSent()).isEqualTo(text("Hello"));
    talker.tcp.receiveCut(text("Hello yourself."), cut);
    assertThat(talker.heard()).isEqualTo("Hello yourself.");
    assertThat(talker.tcp.takeSent()).isEqualTo(PeerOctets.request(C, NONE));
    talker.tcp.receiveCut(PeerOctets.reply(C, NONE), cut);
    assertThat(talker.mpaHandler.events).containsExactly("full operation ");
    long payload = Memory.allocate(8);
    Memory.copy(ULPDU, 0, payload, ULPDU.length);
    talker.mpa.send(payload, 0, payload, ULPDU.length);
    assertThat(talker.tcp.takeSent()).isEqualTo(PeerOctets.fpdu(ULPDU));
    talker.tcp.receiveCut(PeerOctets.fpdu(ULPDU), cut);
    assertThat(talker.mpaHandler.ulpdus).containsExactly(ULPDU);
    assertThatThrownBy(() -> talker.say("more")).isInstanceOf(IllegalStateException.class);
  }

  @Test
  @Tag("MPA-7.1.3-01")
  @Tag("MPA-7.1.5-02")
  void aRequestRightBehindTheLastStreamingOctetShouldNotBeLost() {
    Talker talker = new Talker(false).open();
    talker.tcp.receive(
        PeerOctets.join(text("Let us go."), PeerOctets.request(C, PeerOctets.hex("aa"))));
    assertThat(talker.heard()).isEqualTo("Let us go.");
    assertThat(talker.mpaHandler.events).containsExactly("request aa");
    assertThat(talker.tcp.consumed()).isEqualTo(31);
    talker.mpa.accept(NONE);
    talker.tcp.receive(PeerOctets.fpdu(ULPDU));
    assertThat(talker.mpaHandler.positions).containsExactly(31L);
  }

  @Test
  @Tag("MPA-7.1.4-01")
  @Tag("D03-5.1.1-02")
  void anyAmountMayGoBeforeMpa() {
    Talker talker = new Talker(false).open();
    String much = "x".repeat(3000);
    assertThat(talker.say(much)).isEqualTo(3000);
    assertThat(talker.tcp.segments()).hasSize(3);
    talker.tcp.receiveCut(text(much + "."), 1000);
    talker.tcp.receive(PeerOctets.request(C, NONE));
    assertThat(talker.heard()).hasSize(3001);
    assertThat(talker.mpaHandler.events).containsExactly("request ");
  }

  @Test
  @Tag("MPA-7.1.2-07")
  @Tag("MPA-7.1.2-08")
  void responderShouldHaveThePlainStreamBackAfterItsReject() {
    Talker talker = new Talker(false).open();
    talker.tcp.receive(text("."));
    talker.tcp.receive(PeerOctets.request(C, NONE));
    talker.mpa.reject(NONE);
    assertThat(talker.tcp.takeSent()).isEqualTo(PeerOctets.reply(C | R, NONE));
    talker.tcp.receive(text("then plain. yes."));
    assertThat(talker.heard()).isEqualTo(".then plain. yes.");
    assertThat(talker.say("fine")).isEqualTo(4);
    assertThat(talker.tcp.takeSent()).isEqualTo(text("fine"));
    talker.tcp.peerCloses();
    assertThat(talker.events).containsExactly("open", "peer closed");
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 19, 25, 1000})
  @Tag("MPA-7.1.2-16")
  @Tag("MPA-7.1.2-17")
  void initiatorShouldHaveThePlainStreamBackAfterAReject(int cut) {
    Talker talker = new Talker(true).open();
    talker.tcp.receive(text("."));
    talker.tcp.takeSent();
    byte[] declined = PeerOctets.reply(C | R, PeerOctets.hex("0102"));
    talker.tcp.receiveCut(PeerOctets.join(declined, text("sorry. really.")), cut);
    assertThat(talker.mpaHandler.events).containsExactly("rejected 0102");
    assertThat(talker.heard()).isEqualTo(".sorry. really.");
    assertThat(talker.tcp.consumed()).isEqualTo(37);
    assertThat(talker.say("never mind")).isEqualTo(10);
    talker.streaming.closeSend();
    assertThat(talker.tcp.isSendClosed()).isTrue();
  }

  @Test
  @Tag("ANA-8.1-05")
  void mpaShouldNotBeginWithAPeerThatDoesNotAgreeToIt() {
    // The program starts MPA at a full stop: this peer never says one.
    Talker refused = new Talker(true).open();
    refused.say("MPA?");
    refused.tcp.takeSent();
    refused.tcp.receive(text("500 unknown command"));
    refused.tcp.peerCloses();
    assertThat(refused.events).containsExactly("open", "peer closed");
    Talker waiting = new Talker(true).open();
    waiting.say("MPA?");
    waiting.tcp.takeSent();
    waiting.streaming.abort();
    assertThat(waiting.events).as("its timer").containsExactly("open", "closed ABORTED");
    for (Talker talker : List.of(refused, waiting)) {
      assertThat(talker.mpaHandler.events).isEmpty();
      assertThat(talker.tcp.segments()).as("no octet of MPA").isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 1000})
  @Tag("ANA-8.1-06")
  void plainTextBehindAPromiseOfMpaShouldBeRefused(int cut) {
    Talker talker = new Talker(false).open();
    talker.tcp.receiveCut(text("Hello.GET / HTTP/1.1"), cut);
    assertThat(talker.heard()).isEqualTo("Hello.");
    assertThat(talker.mpaHandler.events).containsExactly("error 4", "closed ABORTED");
    assertThat(talker.mpaHandler.detail).isEqualTo("MPA Request: Key octet 0 is 0x47, not 0x4d");
    assertThat(talker.events).containsExactly("open", "closed ABORTED");
  }

  @Test
  void shouldTellBothUsersOfTheEnd() {
    Talker talker = new Talker(true).open();
    talker.tcp.receive(text("."));
    talker.tcp.end(CloseReason.RESET);
    assertThat(talker.mpaHandler.events).containsExactly("error 1", "closed RESET");
    assertThat(talker.events).containsExactly("open", "closed RESET");
  }

  @Test
  @Tag("MPA-7.1.2-24")
  void theStartupTimeoutShouldRunFromTheStartOfMpa() {
    Talker talker = new Talker(false).open();
    assertThat(talker.tcp.alarm()).isEqualTo(Long.MAX_VALUE);
    talker.tcp.setNow(talker.tcp.now() + 60_000_000_000L);
    talker.tcp.receive(text("."));
    assertThat(talker.tcp.alarm()).isEqualTo(talker.tcp.now() + 10_000_000_000L);
    talker.tcp.fireAlarm();
    assertThat(talker.mpaHandler.events).containsExactly("error 4", "closed ABORTED");
    assertThat(talker.events).containsExactly("open", "closed ABORTED");
  }

  @Test
  void shouldTakeWhatThereAreWindowsAndPacketsFor() {
    Talker talker = new Talker(true).open();
    talker.tcp.setWindowOpen(false);
    assertThat(talker.say("Hello")).isZero();
    talker.tcp.makeSendable();
    assertThat(talker.events).containsExactly("open", "sendable");
    assertThat(talker.say("Hello")).isEqualTo(5);
  }

  @Test
  void shouldRefuseWhatHasNoPlace() {
    Talker early = new Talker(true);
    assertThatThrownBy(() -> early.streaming.start(early.mpa))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> early.say("Hello")).isInstanceOf(IllegalStateException.class);
    Talker twice = new Talker(true).open();
    twice.tcp.receive(text("."));
    assertThatThrownBy(() -> twice.streaming.start(twice.mpa))
        .isInstanceOf(IllegalStateException.class);
  }
}
