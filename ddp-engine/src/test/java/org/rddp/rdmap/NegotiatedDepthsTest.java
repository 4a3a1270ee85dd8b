package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.rdmap.RdmapFixture.readRequest;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.GuardedMemory;
import org.rddp.ddp.RawUlpduPeer;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.mpa.MpaSettings;
import org.rddp.tcp.testing.InMemoryTcpPair;

/** IRD and ORD as both ends have agreed on them (RFC 6581 section 9.1), in use. */
class NegotiatedDepthsTest {
  private static final byte[] NONE = {};
  private static final int OWN = 16;
  private static final MpaSettings REVISION_2 = MpaSettings.DEFAULTS.withRevision(2);

  private final DdpEngine engine = new DdpEngine(new TaggedBuffers(8, new Random(9)));
  private final ProtectionDomain domain = new ProtectionDomain("p");
  private final GuardedMemory memory = new GuardedMemory(4096);
  private final RecordingRdmap user = new RecordingRdmap();
  private RdmapStream stream;
  private RawUlpduPeer peer;
  private InMemoryTcpPair tcp;

  private static RdmapSettings own() {
    return new RdmapSettings(REVISION_2, 32, 4, OWN, OWN);
  }

  private void run() {
    tcp.run(() -> engine.send(1000));
  }

  /** A Responder whose peer has sent that IRD and ORD; free to send. */
  private void responder(int peerIrd, int peerOrd) {
    stream = user.responder(engine, domain, own());
    peer = RawUlpduPeer.initiator(REVISION_2.withReads(peerIrd, peerOrd));
    tcp = new InMemoryTcpPair(user.startup, peer.transport(), 1448);
    run();
    user.startup.accept(NONE);
    run();
    peer.send("c140 00000000 0000000000000000");
    run();
    user.events();
  }

  /** An Initiator whose peer has replied with that IRD and ORD. */
  private void initiator(int peerIrd, int peerOrd) {
    stream = user.initiator(engine, domain, own(), NONE);
    peer = RawUlpduPeer.responder(MpaSettings.DEFAULTS.withReads(peerIrd, peerOrd));
    tcp = new InMemoryTcpPair(user.startup, peer.transport(), 1448);
  }

  private int register(int rights) {
    return engine
        .taggedBuffers()
        .register(domain, null, memory.address(), memory.length(), 0, rights);
  }

  private List<String> receive(String ulpdu) {
    peer.send(ulpdu);
    run();
    return user.events();
  }

  private static String atomicRequest(int msn, int stag) {
    return "414a 00000000 00000001 %08x 00000000".formatted(msn)
        + "00000002 0000beef %08x %016x".formatted(stag, 0)
        + "0".repeat(64);
  }

  @Test
  @Tag("RDMAP-5.2-02")
  @Tag("RDMAP-5.2-12")
  @Tag("RDMAP-8.1.1-11")
  void shouldRefuseMoreReadsThanWereNegotiated() {
    responder(8, 2);
    int source = register(AccessRights.REMOTE_READ);
    tcp.setWindow(0);
    assertThat(receive(readRequest(1, 1, 0, 1, source, 0))).isEmpty();
    assertThat(receive(readRequest(2, 1, 0, 1, source, 0))).isEmpty();
    assertThat(receive(readRequest(3, 1, 0, 1, source, 0))).containsExactly("error 1/2/2");
  }

  @Test
  @Tag("RDMAPX-5.2-08")
  @Tag("RDMAP-5.2-12")
  void shouldServeAsManyAtomicsInAdditionToTheReads() {
    responder(8, 2);
    int stag = register(AccessRights.REMOTE_READ | AccessRights.REMOTE_ATOMIC);
    tcp.setWindow(0);
    assertThat(receive(readRequest(1, 1, 0, 1, stag, 0))).isEmpty();
    assertThat(receive(atomicRequest(2, stag))).isEmpty();
    assertThat(receive(atomicRequest(3, stag))).isEmpty();
    assertThat(receive(readRequest(4, 1, 0, 1, stag, 0))).isEmpty();
    tcp.setWindow(1 << 16);
    run();
    assertThat(peer.received()).hasSize(4);
    tcp.setWindow(0);
    assertThat(receive(atomicRequest(5, stag))).isEmpty();
    assertThat(receive(atomicRequest(6, stag))).isEmpty();
    assertThat(receive(atomicRequest(7, stag))).containsExactly("error 1/2/2");
  }

  @Test
  @Tag("P2P-9.1-11")
  @Tag("RDMAP-5.2-12")
  void initiatorShouldServeAsManyReadsAsTheReplysOrd() {
    initiator(8, 5);
    run();
    memory.put(0, new byte[] {1});
    stream.postSend(new StreamRequest(1).memory(memory.address(), 1));
    run();
    user.events();
    int source = register(AccessRights.REMOTE_READ);
    tcp.setWindow(0);
    for (int msn = 1; msn <= 5; msn++) {
      assertThat(receive(readRequest(msn, 1, 0, 1, source, 0))).isEmpty();
    }
    assertThat(receive(readRequest(6, 1, 0, 1, source, 0))).containsExactly("error 1/2/2");
  }

  @Test
  @Tag("P2P-9.1-03")
  @Tag("RDMAP-5.2-01")
  void shouldHaveNoMoreReadsOutstandingThanThePeerServes() {
    initiator(3, 5);
    int sink = register(AccessRights.LOCAL_WRITE);
    for (int i = 0; i < 5; i++) {
      stream.postRead(new StreamRequest(i).local(sink, i, 1).remote(7, 0));
    }
    run();
    assertThat(peer.received()).hasSize(3);
    receive("c142 %08x %016x 01".formatted(sink, 0));
    assertThat(peer.received()).hasSize(4);
  }

  @Test
  void shouldRefuseReadsThatThePeerDoesNotServe() {
    initiator(0, 5);
    run();
    stream.postRead(new StreamRequest(1).local(0, 0, 0).remote(7, 0));
    assertThat(user.events()).containsExactly("established ", "read 1 not supported 0");
  }

  @Test
  @Tag("P2P-9.3-01")
  @Tag("P2P-8-01")
  void shouldTellThePeerOfALocalFailureThatHasNoNumber() {
    initiator(0, 5);
    stream.postRead(new StreamRequest(1).local(0, 0, 0).remote(7, 0));
    run();
    assertThat(user.events()).containsExactly("established ", "read 1 flushed 0", "error 2/0/5");
    assertThat(peer.receivedHex()).hasSize(1);
    assertThat(peer.receivedHex().getFirst()).startsWith("4147").endsWith("20050000");
  }

  @Test
  void depthsOfZeroShouldBeSettings() {
    RdmapSettings none = new RdmapSettings(REVISION_2, 4, 4, 0, 0);
    stream = user.responder(engine, domain, none);
    peer = RawUlpduPeer.initiator(REVISION_2.withReads(8, 8));
    tcp = new InMemoryTcpPair(user.startup, peer.transport(), 1448);
    run();
    user.startup.accept(NONE);
    run();
    user.events();
    assertThat(peer.mpa().negotiated().depths().peerIrd()).isZero();
    assertThat(receive(readRequest(1, 1, 0, 0, 1, 0))).containsExactly("error 1/2/2");
  }
}
