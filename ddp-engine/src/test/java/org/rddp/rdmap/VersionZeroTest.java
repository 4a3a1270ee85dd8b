package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.GuardedMemory;
import org.rddp.ddp.LoopedTcp;
import org.rddp.ddp.RawUlpduPeer;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.mpa.MpaSettings;

/** Version 0 of DDP and RDMAP, where MPA says so (RFC 5044 section 3 and appendix C). */
class VersionZeroTest {
  private static final MpaSettings OLD = MpaSettings.DEFAULTS.withStartKey(true);

  private final DdpEngine engine = new DdpEngine(new TaggedBuffers(8, new Random(1)));
  private final ProtectionDomain domain = new ProtectionDomain("p");
  private final GuardedMemory memory = new GuardedMemory(64);
  private final RecordingRdmap user = new RecordingRdmap();
  private final RawUlpduPeer peer = RawUlpduPeer.initiator(OLD);
  private final RdmapStream stream =
      RdmapStream.responder(engine, domain, new RdmapSettings(OLD, 4, 4), user);
  private LoopedTcp tcp;

  @BeforeEach
  void establish() {
    stream.postReceive(new StreamRequest(1).memory(memory.address(), 8));
    stream.postSend(new StreamRequest(2).memory(memory.address(), 0));
    tcp = LoopedTcp.join(stream.transport(), peer.transport(), 1448);
    run();
    stream.accept(new byte[0]);
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
}
