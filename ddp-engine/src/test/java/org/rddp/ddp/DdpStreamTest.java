package org.rddp.ddp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.rddp.ddp.DdpFixture.tagged;
import static org.rddp.ddp.DdpFixture.untagged;

import java.io.ByteArrayOutputStream;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.receiving.QueueSettings;
import org.rddp.ddp.segment.DdpError;
import org.rddp.ddp.segment.DdpHeader;
import org.rddp.mpa.MpaError;
import org.rddp.tcp.testing.InMemoryTcpPair;

/** Sending, and the ways in which a stream ends (RFC 5041 sections 5.3, 5.4 and 6). */
class DdpStreamTest {
  private static final int WRITE = 0x40;
  private static final int SEND = 0x43;

  private final GuardedMemory memory = new GuardedMemory(10_000);

  private DdpFixture sending() {
    for (int i = 0; i < memory.length(); i++) {
      memory.put(i, new byte[] {(byte) (31 * i)});
    }
    return DdpFixture.sending(DdpFixture.EMSS, 4, 4);
  }

  @Test
  @Tag("DDP-5.3-01") // messages in the order of the posts
  @Tag("DDP-5.2-01") // no segment above MULPDU
  @Tag("DDP-5.2-03") // all octets
  @Tag("DDP-5.3-02") // segments by rising offsets
  @Tag("DDP-4.1-04") // the last one last
  @Tag("DDP-5.4-01") // completed when MPA has it
  @Tag("DDP-4.4-01") // a header in each
  @Tag("DDP-4.1-06") // reserved bits are zero
  @Tag("DDP-4.1-08") // the version
  @Tag("DDP-4.1-09") // the same version in all
  void shouldSendMessagesInTheOrderInWhichTheyWerePosted() {
    DdpFixture ddp = sending();
    assertThat(
            ddp.stream.postTagged(
                1, WRITE, new StreamRequest().memory(memory.address(), 3000).remote(7, 0)))
        .isTrue();
    assertThat(
            ddp.stream.postUntagged(2, SEND, 0, 0, new StreamRequest().memory(memory.address(), 0)))
        .isTrue();
    assertThat(
            ddp.stream.postUntagged(
                3, SEND, 0, 0, new StreamRequest().memory(memory.address() + 3000, 2000)))
        .isTrue();
    ddp.run();

    assertThat(ddp.ulp.events())
        .containsExactly("sent 1 octets 3000", "sent 2 octets 0", "sent 3 octets 2000");
    assertThat(ddp.peer.received()).allMatch(ulpdu -> ulpdu.length <= 1442);
    assertThat(ddp.peer.receivedHex().stream().map(hex -> hex.substring(0, 28)))
        .containsExactly(
            "8140" + "00000007" + "0000000000000000",
            "8140" + "00000007" + "0000000000000594",
            "c140" + "00000007" + "0000000000000b28",
            "4143" + "00000000" + "00000000" + "00000001",
            "0143" + "00000000" + "00000000" + "00000002",
            "4143" + "00000000" + "00000000" + "00000002");
    ByteArrayOutputStream payload = new ByteArrayOutputStream();
    for (byte[] ulpdu : ddp.peer.received()) {
      int header = ulpdu[0] < 0 ? DdpHeader.TAGGED_LENGTH : DdpHeader.UNTAGGED_LENGTH;
      payload.write(ulpdu, header, ulpdu.length - header);
    }
    assertThat(memory.octets()).startsWith(payload.toByteArray());
    assertThat(payload.size()).isEqualTo(5000);
    assertThat(ddp.engine.sendCounters().segments).isEqualTo(6);
    assertThat(ddp.engine.sendCounters().octets).isEqualTo(5000);
  }

  @Test
  void shouldEndAStreamWhoseUserFailsWhileItSends() {
    DdpFixture ddp = sending();
    ddp.ulp.onSent =
        () -> {
          throw new IllegalStateException("the user fails");
        };
    ddp.stream.postUntagged(1, SEND, 0, 0, new StreamRequest().memory(memory.address(), 0));
    ddp.stream.postUntagged(2, SEND, 0, 0, new StreamRequest().memory(memory.address(), 0));

    assertThatThrownBy(() -> ddp.engine.send(8)).hasMessage("the user fails");
    assertThat(ddp.ulp.events())
        .containsExactly("sent 1 octets 0", "send flushed 2", "closed ABORTED");
    assertThat(ddp.engine.send(8)).isZero();
  }

  @Test
  @Tag("DDP-4.3-06")
  @Tag("DDP-4.3-07")
  void shouldNumberTheMessagesOfEachQueueByThemselves() {
    DdpFixture ddp = sending();
    for (int qn : new int[] {0, 1, 1, 0}) {
      ddp.stream.postUntagged(0, SEND, 0, qn, new StreamRequest().memory(memory.address(), 0));
    }
    ddp.run();
    assertThat(ddp.peer.receivedHex().stream().map(hex -> hex.substring(12, 28)))
        .containsExactly(
            "00000000" + "00000001",
            "00000001" + "00000001",
            "00000001" + "00000002",
            "00000000" + "00000002");
  }

  @Test
  @Tag("DDP-3-01")
  @Tag("DDP-3-02")
  void shouldFollowMulpduBetweenSegments() {
    DdpFixture ddp = sending();
    ddp.stream.postTagged(
        1, WRITE, new StreamRequest().memory(memory.address(), 3000).remote(7, 0));
    assertThat(ddp.engine.send(1)).isEqualTo(1);
    ddp.tcp.setEmss(548);
    ddp.run();
    assertThat(ddp.peer.received().stream().map(ulpdu -> ulpdu.length))
        .containsExactly(1442, 542, 542, 14 + 3000 - 1428 - 2 * 528);
  }

  @Test
  @Tag("DDP-5.2-02")
  void shouldRefuseAMessageTooLong() {
    DdpFixture ddp = sending();
    assertThatThrownBy(() ->
            ddp.stream.postTagged(1, WRITE, new StreamRequest().memory(0, 1L << 32).remote(7, 0)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(
            () -> ddp.stream.postUntagged(1, SEND, 0, 0, new StreamRequest().memory(0, 1L << 32)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ddp.stream.postReceive(0, new StreamRequest(1).memory(0, -1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldTakeNoMoreThanTheQueuesHold() {
    DdpFixture ddp = sending();
    for (int i = 0; i < 16; i++) {
      assertThat(
              ddp.stream.postTagged(
                  i, WRITE, new StreamRequest().memory(memory.address(), 1).remote(7, 0)))
          .isTrue();
    }
    assertThat(
            ddp.stream.postTagged(
                16, WRITE, new StreamRequest().memory(memory.address(), 1).remote(7, 0)))
        .isFalse();
    assertThat(
            ddp.stream.postUntagged(
                16, SEND, 0, 0, new StreamRequest().memory(memory.address(), 1)))
        .isFalse();
    ddp.run();
    assertThat(ddp.ulp.events()).hasSize(16);
    assertThat(
            ddp.stream.postTagged(
                16, WRITE, new StreamRequest().memory(memory.address(), 1).remote(7, 0)))
        .isTrue();
    for (int i = 0; i < 4; i++) {
      assertThat(ddp.stream.postReceive(1, new StreamRequest(i).memory(memory.address(), 1)))
          .isTrue();
    }
    assertThat(ddp.stream.postReceive(1, new StreamRequest(4).memory(memory.address(), 1)))
        .isFalse();
  }

  @Test
  void shouldWaitWhileTcpTakesNothing() {
    DdpFixture ddp = sending();
    ddp.tcp.setWindow(0);
    ddp.stream.postTagged(
        1, WRITE, new StreamRequest().memory(memory.address(), 5000).remote(7, 0));
    ddp.run();
    assertThat(ddp.ulp.events()).isEmpty();
    ddp.tcp.setWindow(1);
    ddp.run();
    assertThat(ddp.ulp.events()).containsExactly("sent 1 octets 5000");
  }

  @Test
  void shouldHoldAResponderUntilTheInitiatorHasSpoken() {
    DdpFixture ddp = DdpFixture.receiving(1);
    ddp.stream.postTagged(1, WRITE, new StreamRequest().memory(memory.address(), 1).remote(7, 0));
    ddp.run();
    assertThat(ddp.ulp.events()).isEmpty();
    assertThat(ddp.receive(tagged(0xc1, 0, 0, "")))
        .containsExactly("tagged 40 stag 00000000 to 0 octets 0", "sent 1 octets 1");
  }

  @Test
  @Tag("DDP-6.2.1-01") // what was posted goes first
  @Tag("DDP-6.2.1-02") // no posts afterwards
  @Tag("DDP-6.2.1-06") // the other half goes on
  @Tag("DDP-6.2-02") // the connection ends with it
  @Tag("DDP-3-12") // once both halves have ended
  void shouldSendEverythingBeforeItCloses() {
    DdpFixture ddp = sending();
    ddp.stream.postReceive(0, new StreamRequest(9).memory(memory.address(), 10));
    ddp.stream.postTagged(
        1, WRITE, new StreamRequest().memory(memory.address(), 5000).remote(7, 0));
    ddp.stream.close();
    assertThat(ddp.stream.sender().acceptsMessages()).isFalse();
    assertThat(
            ddp.stream.postTagged(
                2, WRITE, new StreamRequest().memory(memory.address(), 1).remote(7, 0)))
        .isFalse();
    assertThat(
            ddp.stream.postUntagged(2, SEND, 0, 0, new StreamRequest().memory(memory.address(), 1)))
        .isFalse();
    ddp.run();
    assertThat(ddp.ulp.events()).containsExactly("sent 1 octets 5000");
    assertThat(ddp.peer.received()).hasSize(4);
    assertThat(ddp.peer.events()).containsExactly("full operation", "peer closed");

    assertThat(ddp.receive(untagged(0x41, 0, 1, 0, "01")))
        .as("the other half still works")
        .containsExactly("untagged 4300000000 qn 0 msn 1 id 9 octets 1");
    ddp.peer.mpa().closeSend();
    ddp.run();
    assertThat(ddp.ulp.events()).containsExactly("peer closed", "closed NORMAL");
  }

  @Test
  @Tag("DDP-6.2.1-06")
  void shouldCloseOurHalfWhenThePeerClosesBeforeTheFirstFpdu() {
    DdpFixture ddp = DdpFixture.receiving(4);
    ddp.stream.postUntagged(1, SEND, 0, 0, new StreamRequest().memory(memory.address(), 10));
    ddp.run();
    ddp.stream.close();
    ddp.run();
    ddp.peer.mpa().closeSend();
    ddp.run();
    assertThat(ddp.ulp.events()).containsExactly("send flushed 1", "peer closed", "closed NORMAL");
  }

  @Test
  @Tag("DDP-6.2.1-04")
  @Tag("DDP-6.2.1-05")
  @Tag("DDP-3-10")
  @Tag("DDP-3-11")
  void shouldKeepSendingAfterThePeerHasClosed() {
    DdpFixture ddp = sending();
    ddp.peer.mpa().closeSend();
    ddp.run();
    assertThat(ddp.ulp.events()).containsExactly("peer closed");
    ddp.stream.postTagged(1, WRITE, new StreamRequest().memory(memory.address(), 1).remote(7, 0));
    ddp.run();
    assertThat(ddp.ulp.events()).containsExactly("sent 1 octets 1");
    assertThat(ddp.peer.received()).hasSize(1);
    ddp.stream.close();
    ddp.run();
    assertThat(ddp.ulp.events()).containsExactly("closed NORMAL");
  }

  @Test
  @Tag("DDP-6.2.1-03")
  void shouldFailWhenSomethingComesAfterThePeerHasClosed() {
    DdpFixture ddp = DdpFixture.receiving(1);
    ddp.stream.onPeerClosed();
    assertThat(ddp.receive(tagged(0xc1, 0, 0, "")))
        .containsExactly("peer closed", "error LOCAL_CATASTROPHIC");
  }

  @Test
  void shouldGiveBackWhatAResponderCanNeverSend() {
    DdpFixture ddp = DdpFixture.receiving(1);
    ddp.stream.postTagged(1, WRITE, new StreamRequest().memory(memory.address(), 1).remote(7, 0));
    ddp.peer.mpa().closeSend();
    ddp.run();
    assertThat(ddp.ulp.events()).containsExactly("send flushed 1", "peer closed");
    ddp.stream.close();
    ddp.run();
    assertThat(ddp.ulp.events()).containsExactly("closed NORMAL");
  }

  @Test
  @Tag("DDP-3-03")
  void shouldGiveEverythingBackWhenAborted() {
    DdpFixture ddp = sending();
    ddp.tcp.setWindow(2);
    ddp.stream.postReceive(1, new StreamRequest(9).memory(memory.address(), 10));
    ddp.stream.postTagged(
        1, WRITE, new StreamRequest().memory(memory.address(), 5000).remote(7, 0));
    ddp.stream.postTagged(2, WRITE, new StreamRequest().memory(memory.address(), 1).remote(7, 0));
    ddp.engine.send(1000);
    ddp.stream.abort();
    assertThat(ddp.ulp.events())
        .containsExactly(
            "send flushed 1", "send flushed 2", "receive flushed qn 1 id 9", "closed ABORTED");
    assertThat(ddp.engine.send(1000)).isZero();
    ddp.run();
    assertThat(ddp.peer.events()).endsWith("closed RESET");
    assertThat(ddp.tcp.freePackets()).isEqualTo(ddp.tcp.packets());
  }

  @Test
  @Tag("DDP-3-03")
  @Tag("DDP-6.2.2-01")
  @Tag("DDP-6.2.2-02")
  @Tag("DDP-7-01")
  void shouldGiveEverythingBackWhenTheConnectionIsLost() {
    DdpFixture ddp = sending();
    ddp.tcp.setWindow(0);
    ddp.stream.postReceive(0, new StreamRequest(9).memory(memory.address(), 10));
    ddp.stream.postTagged(
        1, WRITE, new StreamRequest().memory(memory.address(), 5000).remote(7, 0));
    ddp.tcp.cut();
    assertThat(ddp.ulp.events())
        .containsExactly(
            "send flushed 1",
            "receive flushed qn 0 id 9",
            "llp error CONNECTION_LOST",
            "closed TIMEOUT");
    assertThat(ddp.stream.sender().acceptsMessages()).isFalse();
  }

  @Test
  @Tag("DDP-7-01")
  @Tag("DDP-7.2-06")
  @Tag("DDP-6.2.2-01")
  @Tag("DDP-6.2.2-03")
  void shouldPassAnErrorOfMpaOnAndStillSend() {
    DdpFixture ddp = sending();
    ddp.stream.postReceive(0, new StreamRequest(9).memory(memory.address(), 10));
    LlpFailure.report(ddp.stream, MpaError.CRC);
    assertThat(ddp.ulp.events()).containsExactly("receive flushed qn 0 id 9", "llp error CRC");
    assertThat(
            ddp.stream.postUntagged(1, 0x47, 0, 1, new StreamRequest().memory(memory.address(), 4)))
        .isTrue();
    ddp.run();
    assertThat(ddp.ulp.events()).containsExactly("sent 1 octets 4");
    assertThat(ddp.peer.received()).hasSize(1);
    assertThat(DdpError.LLP_TYPE).isEqualTo(3);
  }

  @Test
  @Tag("DDP-7.1-19") // one more message
  @Tag("DDP-6.2.2-03") // our half stays open
  @Tag("DDP-6.2-01") // DDP does not end it
  @Tag("DDP-6.2.2-04") // before the user does
  @Tag("DDP-3-09") // then nothing more is sent
  void shouldSendOneMoreMessageAfterAnError() {
    DdpFixture ddp = DdpFixture.receiving(1, 1);
    ddp.receive(tagged(0xc1, 0, 0, ""));
    ddp.tcp.setWindow(0);
    ddp.stream.postTagged(
        1, WRITE, new StreamRequest().memory(memory.address(), 5000).remote(7, 0));
    ddp.ulp.onError =
        () -> {
          assertThat(
                  ddp.stream.postUntagged(
                      2, 0x47, 0, 1, new StreamRequest().memory(memory.address(), 4)))
              .isTrue();
          assertThat(
                  ddp.stream.postUntagged(
                      3, 0x47, 0, 1, new StreamRequest().memory(memory.address(), 4)))
              .isFalse();
        };
    assertThat(ddp.receive(tagged(0xc1, 1, 0, "01")))
        .containsExactly("send flushed 1", "error INVALID_STAG");
    ddp.tcp.setWindow(9);
    ddp.run();
    assertThat(ddp.ulp.events()).containsExactly("sent 2 octets 4");
    assertThat(ddp.peer.receivedHex().getLast()).startsWith("4147" + "00000000" + "00000001");
    assertThat(ddp.peer.events()).containsExactly("full operation");

    ddp.stream.close();
    ddp.run();
    assertThat(ddp.peer.events()).containsExactly("full operation", "peer closed");
    assertThat(
            ddp.stream.postUntagged(4, 0x47, 0, 1, new StreamRequest().memory(memory.address(), 4)))
        .isFalse();
  }

  @Test
  void shouldReportOnlyTheFirstError() {
    DdpFixture ddp = DdpFixture.receiving(1);
    assertThat(ddp.receive(tagged(0xc1, 1, 0, "01"), tagged(0xc3, 1, 0, "01")))
        .containsExactly("error INVALID_STAG");
    ddp.tcp.cut();
    assertThat(ddp.ulp.events()).containsExactly("llp error CONNECTION_LOST", "closed TIMEOUT");
  }

  @Test
  void shouldDeclineARequestAndClose() {
    DdpEngine engine = new DdpEngine(new TaggedBuffers(1, new Random(1)));
    DdpSettings settings = new DdpSettings(1, 1, List.of(QueueSettings.buffered(1)));
    ProtectionDomain domain = new ProtectionDomain("p");
    RecordingUlp asking = new RecordingUlp();
    RecordingUlp asked = new RecordingUlp();
    byte[] question = HexFormat.of().parseHex("cafe");
    DdpStream initiator = asking.initiator(engine, domain, settings, question);
    DdpStream responder = asked.responder(engine, domain, settings);
    InMemoryTcpPair tcp = new InMemoryTcpPair(asking.startup, asked.startup, 1448);
    Runnable turn = () -> engine.send(10);
    initiator.postTagged(1, WRITE, new StreamRequest().memory(memory.address(), 1).remote(1, 0));
    tcp.run(turn);
    assertThat(asked.events()).containsExactly("request cafe");
    asked.startup.reject(new byte[0]);
    responder.close();
    asked.startup.closeSend();
    tcp.run(turn);
    assertThat(asking.events()).containsExactly("rejected", "peer closed");
    initiator.close();
    asking.startup.closeSend();
    tcp.run(turn);
    assertThat(asking.events()).containsExactly("send flushed 1", "closed NORMAL");
    assertThat(asked.events()).contains("closed NORMAL");
  }

  @Test
  @Tag("DDP-6.1-01")
  void shouldBeginAtBothEndsAndInBothDirectionsTogether() {
    DdpEngine engine = new DdpEngine(new TaggedBuffers(1, new Random(1)));
    DdpSettings settings = new DdpSettings(1, 1, List.of(QueueSettings.buffered(1)));
    ProtectionDomain domain = new ProtectionDomain("p");
    RecordingUlp asking = new RecordingUlp();
    RecordingUlp asked = new RecordingUlp();
    DdpStream initiator = asking.initiator(engine, domain, settings, new byte[0]);
    DdpStream responder = asked.responder(engine, domain, settings);
    InMemoryTcpPair tcp = new InMemoryTcpPair(asking.startup, asked.startup, 1448);
    Runnable turn = () -> engine.send(10);
    initiator.postReceive(0, new StreamRequest(1).memory(memory.address(), 10));
    responder.postReceive(0, new StreamRequest(2).memory(memory.address() + 10, 10));
    initiator.postUntagged(3, SEND, 0, 0, new StreamRequest().memory(memory.address() + 20, 1));
    responder.postUntagged(4, SEND, 0, 0, new StreamRequest().memory(memory.address() + 30, 2));
    tcp.run(turn);
    assertThat(asking.events()).isEmpty();
    assertThat(asked.events()).containsExactly("request ");
    assertThat(engine.sendCounters().segments).isZero();

    asked.startup.accept(new byte[0]);
    tcp.run(turn);
    assertThat(asking.events())
        .containsExactly(
            "full operation", "sent 3 octets 1", "untagged 4300000000 qn 0 msn 1 id 1 octets 2");
    assertThat(asked.events())
        .containsExactly(
            "full operation", "untagged 4300000000 qn 0 msn 1 id 2 octets 1", "sent 4 octets 2");
  }

  @Test
  void shouldFlushAStreamThatHasNotBegun() {
    DdpEngine engine = new DdpEngine(new TaggedBuffers(1, new Random(1)));
    DdpSettings settings = new DdpSettings(1, 1, List.of(QueueSettings.buffered(1)));
    RecordingUlp ulp = new RecordingUlp();
    DdpStream stream = ulp.responder(engine, new ProtectionDomain("p"), settings);
    RawUlpduPeer peer = RawUlpduPeer.initiator();
    InMemoryTcpPair tcp = new InMemoryTcpPair(ulp.startup, peer.transport(), 1448);
    stream.postReceive(0, new StreamRequest(5).memory(memory.address(), 1));
    tcp.run(() -> {});
    stream.close();
    assertThat(ulp.events()).containsExactly("request ", "receive flushed qn 0 id 5");
    ulp.startup.abort();
    assertThat(ulp.events()).containsExactly("closed ABORTED");
  }
}
