package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.GuardedMemory;
import org.rddp.ddp.RawUlpduPeer;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.mpa.MpaSettings;
import org.rddp.tcp.testing.InMemoryTcpPair;

/** Version 0 of DDP and RDMAP, where MPA says so (RFC 5044 section 3 and appendix C). */
class VersionZeroTest {
  private static final MpaSettings OLD = MpaSettings.DEFAULTS.withStartKey(true);

  private final DdpEngine engine = new DdpEngine(new TaggedBuffers(8, new Random(1)));
  private final ProtectionDomain domain = new ProtectionDomain("p");
  private final GuardedMemory memory = new GuardedMemory(64);
  private final RecordingRdmap user = new RecordingRdmap();
  private final RawUlpduPeer peer = RawUlpduPeer.initiator(OLD);
  private final RdmapStream stream = user.responder(engine, domain, new RdmapSettings(OLD, 4, 4));
  private InMemoryTcpPair tcp;

  @BeforeEach
  void establish() {
    stream.postReceive(new StreamRequest(1).memory(memory.address(), 8));
    stream.postSend(new StreamRequest(2).memory(memory.address(), 0));
    tcp = new InMemoryTcpPair(user.startup, peer.transport(), 1448);
    run();
    user.startup.accept(new byte[0]);
    run();
    assertThat(user.events()).containsExactly("request ", "established ");
  }

  private void run() {
    tcp.run(() -> engine.send(100));
  }

  @Test
  @Tag("RDMAP-4.1-02")
  @Tag("DDP-4.1-09")
  void shouldSpeakVersionZero() {
    int stag =
        engine
            .taggedBuffers()
            .register(domain, null, memory.address(), 64, 0, AccessRights.REMOTE_READ);
    peer.send("4003 00000000 00000000 00000001 00000000 0a");
    peer.send(
        "4001 00000000 00000001 00000001 00000000 00000007 0000000000000000 00000001 %08x"
                .formatted(stag)
            + "0000000000000000");
    run();
    assertThat(user.events()).containsExactly("receive 1 done 1", "send 2 done 0");
    assertThat(peer.receivedHex())
        .containsExactlyInAnyOrder(
            "4003" + "00000000" + "00000000" + "00000001" + "00000000",
            "c002" + "00000007" + "0000000000000000" + "0a");
  }

  @Test
  @Tag("RDMAP-4.1-02")
  void shouldRefuseVersionOneThere() {
    peer.send("4043 00000000 00000000 00000001 00000000 0a");
    run();
    assertThat(user.events()).endsWith("error 0/2/5");
    memory.assertUntouched();
  }

  @Test
  @Tag("DDP-4.1-09")
  void shouldRefuseDdpOfVersionOneThere() {
    peer.send("4103 00000000 00000000 00000001 00000000 0a");
    run();
    assertThat(user.events()).endsWith("error 1/2/6");
    memory.assertUntouched();
  }

  /** Immediate Data, the same with Solicited Event, an Atomic Request and an Atomic Response. */
  @ParameterizedTest
  @CsvSource({"8, 0, 8", "9, 0, 8", "a, 1, 52", "b, 3, 12"})
  @Tag("RDMAPX-4-02")
  @Tag("RDMAPX-8.2-01")
  void shouldNotKnowTheMessagesOfVersionOne(String opcode, int qn, int octets) {
    String header = "400%s 00000000 %08x 00000001 00000000".formatted(opcode, qn);
    peer.send(header + "00".repeat(octets));
    run();
    assertThat(user.events()).endsWith("error 0/2/6");
    memory.assertUntouched();
  }

  @Test
  @Tag("RDMAPX-4-02")
  void shouldRefuseToPostTheMessagesOfVersionOne() {
    peer.send("c000 00000000 0000000000000000");
    run();
    user.events();
    stream.postImmediate(new StreamRequest(3).immediate(7));
    stream.postWriteImmediate(new StreamRequest(4).memory(memory.address(), 1).immediate(7));
    stream.postFetchAdd(new StreamRequest(5).memory(memory.address(), 8));
    stream.postCompareSwap(new StreamRequest(6).memory(memory.address(), 8));
    run();
    assertThat(user.events())
        .containsExactly(
            "send 3 not supported 0",
            "write 4 not supported 0",
            "atomic 5 not supported 0",
            "atomic 6 not supported 0");
    assertThat(peer.receivedHex()).hasSize(1);
  }

  /** The stream's version is not known when it is posted. */
  @Test
  @Tag("RDMAP-7.1-03")
  @Tag("RDMAPX-8.1-02")
  void shouldSendATerminateInsteadOfAMessageOfVersionOne() {
    RecordingRdmap program = new RecordingRdmap();
    RdmapStream initiator =
        program.initiator(engine, domain, new RdmapSettings(OLD, 4, 4), new byte[0]);
    initiator.postImmediate(new StreamRequest(3).immediate(7));
    RawUlpduPeer responder = RawUlpduPeer.responder(OLD);
    new InMemoryTcpPair(program.startup, responder.transport(), 1448).run(() -> engine.send(100));
    assertThat(program.events()).containsExactly("established ", "send 3 flushed 0", "error 0/0/0");
    assertThat(responder.receivedHex())
        .containsExactly("4007" + "00000000" + "00000002" + "00000001" + "00000000" + "00000000");
  }
}
