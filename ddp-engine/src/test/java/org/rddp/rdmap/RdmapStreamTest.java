package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.GuardedMemory;
import org.rddp.ddp.RawUlpduPeer;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.mpa.MpaSettings;
import org.rddp.tcp.testing.InMemoryTcpPair;

class RdmapStreamTest {
  private static final byte[] NONE = {};
  private static final RdmapSettings SETTINGS = new RdmapSettings(MpaSettings.DEFAULTS, 4, 4);

  private final DdpEngine engine = new DdpEngine(new TaggedBuffers(8, new Random(5040)));
  private final ProtectionDomain domain = new ProtectionDomain("p");
  private final GuardedMemory memory = new GuardedMemory(4096);
  private final RecordingRdmap user = new RecordingRdmap();
  private RawUlpduPeer peer;
  private RdmapStream stream;
  private InMemoryTcpPair tcp;

  /** A Responder, whose peer may send anything at once. */
  @BeforeEach
  void establish() {
    stream = user.responder(engine, domain, SETTINGS);
    peer = RawUlpduPeer.initiator();
    tcp = new InMemoryTcpPair(user.startup, peer.transport(), 1448);
    run();
    assertThat(user.events()).containsExactly("request ");
    user.startup.accept(NONE);
    run();
    assertThat(user.events()).containsExactly("established ");
  }

  private void run() {
    tcp.run(() -> engine.send(1000));
  }

  private List<String> receive(String... ulpdus) {
    for (String ulpdu : ulpdus) {
      peer.send(ulpdu);
    }
    run();
    return user.events();
  }

  private int register(int rights) {
    return engine
        .taggedBuffers()
        .register(domain, null, memory.address(), memory.length(), 0, rights);
  }

  /** An empty Write frees a Responder to send. */
  private void release() {
    assertThat(receive("c140 00000000 0000000000000000")).isEmpty();
  }

  @Test
  @Tag("RDMAP-4.1-01")
  @Tag("RDMAP-4.1-04")
  @Tag("RDMAP-4.1-05")
  @Tag("RDMAP-4.3-01")
  void shouldSendAndWriteWithTheirOctets() {
    release();
    memory.put(0, new byte[] {1, 2, 3, 4});
    assertThat(stream.postSend(new StreamRequest(7).memory(memory.address(), 4))).isTrue();
    assertThat(
            stream.postWrite(
                new StreamRequest(8)
                    .memory(memory.address() + 1, 2)
                    .remote(0xcafe, 0x1_0000_0000L)))
        .isTrue();
    run();
    assertThat(user.events()).containsExactly("send 7 done 4", "write 8 done 2");
    assertThat(peer.receivedHex())
        .containsExactly(
            "4143" + "00000000" + "00000000" + "00000001" + "00000000" + "01020304",
            "c140" + "0000cafe" + "0000000100000000" + "0203");
  }

  @Test
  void shouldTakeAReceiveThatIsPostedAtTheLastMoment() {
    user.onReceiveMissing =
        () -> stream.postReceive(new StreamRequest(9).memory(memory.address(), 100));
    assertThat(receive("4143 00000000 00000000 00000001 00000000 0a0b0c"))
        .containsExactly("receive 9 done 3");
  }

  @Test
  @Tag("RDMAP-5.3-01")
  void shouldReceiveASend() {
    stream.postReceive(new StreamRequest(9).memory(memory.address(), 100));
    assertThat(receive("4143 00000000 00000000 00000001 00000000 0a0b0c"))
        .containsExactly("receive 9 done 3");
    assertThat(memory.octets()).startsWith(10, 11, 12, GuardedMemory.POISON);
  }

  @Test
  @Tag("RDMAP-5.1-01")
  void shouldPlaceAWriteWithoutReportingIt() {
    int stag = register(AccessRights.REMOTE_WRITE);
    assertThat(receive("c140 %08x 0000000000000001 0a0b0c".formatted(stag))).isEmpty();
    assertThat(memory.octets()).startsWith(GuardedMemory.POISON, 10, 11, 12, GuardedMemory.POISON);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, AccessRights.LOCAL_WRITE, AccessRights.REMOTE_READ})
  @Tag("RDMAP-5.1-02")
  @Tag("RDMAP-8.1.1-05")
  void shouldRefuseAWriteThatTheRightsDoNotAllow(int rights) {
    int stag = register(rights);
    assertThat(receive("c140 %08x 0000000000000001 0a0b0c".formatted(stag)))
        .containsExactly("error 1/1/0");
    memory.assertUntouched();
  }

  @ParameterizedTest
  @ValueSource(ints = {0x00, 0x80, 0xc0})
  @Tag("RDMAP-4.1-02")
  void shouldRefuseAnotherVersion(int version) {
    int stag = register(AccessRights.REMOTE_WRITE);
    assertThat(receive("c1%02x %08x 0000000000000000 01".formatted(version, stag)))
        .containsExactly("error 0/2/5");
    memory.assertUntouched();
  }

  @ParameterizedTest
  @ValueSource(ints = {0x03, 0x83, 0xc3})
  @Tag("RDMAP-4.1-02")
  void shouldRefuseASendOfAnotherVersion(int octet) {
    stream.postReceive(new StreamRequest(9).memory(memory.address(), 100));
    assertThat(receive("41%02x 00000000 00000000 00000001 00000000 01".formatted(octet)))
        .containsExactly("receive 9 flushed 0", "error 0/2/5");
    memory.assertUntouched();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 15})
  @Tag("RDMAP-7.2-02")
  @Tag("RDMAP-4.1-05")
  void shouldRefuseAnOpcodeThatIsNoWrite(int opcode) {
    int stag = register(AccessRights.ALL);
    assertThat(receive("c1%02x %08x 0000000000000000 01".formatted(0x40 | opcode, stag)))
        .containsExactly("error 0/2/6");
    memory.assertUntouched();
  }

  @Test
  @Tag("RDMAP-7.2-02")
  void shouldRefuseAnUnknownOpcodeOnAnUnknownQueueForTheOpcode() {
    assertThat(receive("414c 00000000 00000009 00000001 00000000 01")).endsWith("error 0/2/6");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 7, 10, 11, 12, 15})
  @Tag("RDMAP-7.2-02")
  @Tag("RDMAP-4.1-05")
  void shouldRefuseAnOpcodeThatIsNoSend(int opcode) {
    stream.postReceive(new StreamRequest(9).memory(memory.address(), 100));
    assertThat(receive("41%02x 00000000 00000000 00000001 00000000 01".formatted(0x40 | opcode)))
        .containsExactly("receive 9 flushed 0", "error 0/2/6");
    memory.assertUntouched();
  }

  @Test
  @Tag("RDMAP-4.1-03")
  void shouldIgnoreReservedBits() {
    stream.postReceive(new StreamRequest(9).memory(memory.address(), 100));
    assertThat(receive("4173 00000000 00000000 00000001 00000000 01"))
        .containsExactly("receive 9 done 1");
  }

  @ParameterizedTest
  @CsvSource({
    "c140 deadbeef 0000000000000000 01, 1/1/0",
    "c141 deadbeef 0000000000000000 01, 0/2/6",
    "c142 deadbeef 0000000000000000 01, 0/2/6",
    "c040 deadbeef 0000000000000000 01, 1/1/4",
    "4143 00000000 00000000 00000001 00000000 01, 1/2/2",
    "4143 00000000 00000000 00000000 00000000 01, 1/2/3",
    "4143 00000000 00000007 00000001 00000000 01, 1/2/1",
    "4243 00000000 00000000 00000001 00000000 01, 1/2/6",
    "41, 1/0/0"
  })
  @Tag("RDMAP-7.1-01")
  void shouldReportTheLayerOfAnError(String ulpdu, String error) {
    assertThat(receive(ulpdu)).containsExactly("error " + error);
  }

  @Test
  @Tag("RDMAP-5.4-02")
  void shouldEndEveryRequestOnceWhenItFails() {
    tcp.setWindow(0);
    stream.postReceive(new StreamRequest(1).memory(memory.address(), 10));
    stream.postReceive(new StreamRequest(2).memory(memory.address(), 10));
    stream.postSend(new StreamRequest(3).memory(memory.address(), 10));
    stream.postWrite(new StreamRequest(4).memory(memory.address(), 10).remote(1, 0));
    assertThat(receive("c140 deadbeef 0000000000000000 01"))
        .containsExactly(
            "send 3 flushed 0",
            "write 4 flushed 0",
            "receive 1 flushed 0",
            "receive 2 flushed 0",
            "error 1/1/0");

    assertThat(stream.postReceive(new StreamRequest(5).memory(memory.address(), 10))).isTrue();
    assertThat(stream.postSend(new StreamRequest(6).memory(memory.address(), 10))).isTrue();
    assertThat(stream.postWrite(new StreamRequest(7).memory(memory.address(), 10).remote(1, 0)))
        .isTrue();
    assertThat(user.events())
        .containsExactly("receive 5 flushed 0", "send 6 flushed 0", "write 7 flushed 0");
    stream.abort();
    assertThat(user.events()).containsExactly("closed ABORTED");
  }

  @Test
  void shouldEndEveryRequestOnceWhenAborted() {
    stream.postReceive(new StreamRequest(1).memory(memory.address(), 10));
    stream.postSend(new StreamRequest(2).memory(memory.address(), 10));
    stream.abort();
    assertThat(user.events())
        .containsExactly("send 2 flushed 0", "receive 1 flushed 0", "closed ABORTED");
  }

  @Test
  @Tag("RDMAP-6.2-01")
  void shouldEndWhatIsPostedToBeSentAfterClosing() {
    release();
    stream.postReceive(new StreamRequest(1).memory(memory.address(), 10));
    stream.close();
    stream.postSend(new StreamRequest(2).memory(memory.address(), 10));
    assertThat(user.events()).containsExactly("send 2 flushed 0");
    stream.postReceive(new StreamRequest(3).memory(memory.address(), 10));
    run();
    assertThat(receive("4143 00000000 00000000 00000001 00000000 01"))
        .containsExactly("receive 1 done 1");
    peer.mpa().closeSend();
    run();
    assertThat(user.events())
        .containsExactly("peer closed", "receive 3 flushed 0", "closed NORMAL");
  }

  @Test
  void shouldTakeNoMoreThanTheQueuesHold() {
    for (int i = 0; i < 4; i++) {
      assertThat(stream.postReceive(new StreamRequest(i).memory(memory.address(), 1))).isTrue();
      assertThat(stream.postSend(new StreamRequest(i).memory(memory.address(), 1))).isTrue();
    }
    assertThat(stream.postReceive(new StreamRequest(4).memory(memory.address(), 1))).isFalse();
    assertThat(stream.postSend(new StreamRequest(4).memory(memory.address(), 1))).isFalse();
    assertThat(stream.postWrite(new StreamRequest(4).memory(memory.address(), 1).remote(1, 0)))
        .isFalse();
    assertThat(user.events()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 1L << 32, Long.MIN_VALUE})
  void shouldRefuseALengthThatNoMessageHas(long length) {
    assertThat(stream.postReceive(new StreamRequest(1).memory(memory.address(), length))).isTrue();
    assertThat(stream.postSend(new StreamRequest(2).memory(memory.address(), length))).isTrue();
    assertThat(stream.postWrite(new StreamRequest(3).memory(memory.address(), length).remote(1, 0)))
        .isTrue();
    assertThat(user.events())
        .containsExactly(
            "receive 1 length error 0", "send 2 length error 0", "write 3 length error 0");
  }

  @Test
  void shouldPassPrivateDataBothWays() {
    RecordingRdmap asking = new RecordingRdmap();
    RecordingRdmap asked = new RecordingRdmap();
    byte[] question = {1, 2, 3};
    asking.initiator(engine, domain, SETTINGS, question);
    asked.responder(engine, domain, SETTINGS);
    InMemoryTcpPair link = new InMemoryTcpPair(asking.startup, asked.startup, 1448);
    link.run(() -> engine.send(10));
    assertThat(asked.events()).containsExactly("request 010203");
    asked.startup.accept(new byte[] {4, 5});
    link.run(() -> engine.send(10));
    assertThat(asking.events()).containsExactly("established 0405");
    assertThat(asked.events()).containsExactly("established ");
  }

  @Test
  void shouldPassARejection() {
    RecordingRdmap asking = new RecordingRdmap();
    RecordingRdmap asked = new RecordingRdmap();
    RdmapStream initiator = asking.initiator(engine, domain, SETTINGS, NONE);
    RdmapStream responder = asked.responder(engine, domain, SETTINGS);
    InMemoryTcpPair link = new InMemoryTcpPair(asking.startup, asked.startup, 1448);
    initiator.postSend(new StreamRequest(1).memory(memory.address(), 1));
    link.run(() -> engine.send(10));
    asked.startup.reject(new byte[] {9});
    link.run(() -> engine.send(10));
    assertThat(asking.events()).containsExactly("rejected 09");
    initiator.close();
    asking.startup.closeSend();
    responder.close();
    asked.startup.closeSend();
    link.run(() -> engine.send(10));
    assertThat(asking.events()).containsExactly("send 1 flushed 0", "peer closed", "closed NORMAL");
  }
}
