package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.GuardedMemory;
import org.rddp.ddp.RawUlpduPeer;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.Rtr;
import org.rddp.tcp.testing.InMemoryTcpPair;
import org.rddp.tcp.testing.PlainPeer;

/** RFC 6581: the Initiator's RTR lets the Responder be the first to send. */
class ReadyToReceiveTest {
  private static final byte[] NONE = {};

  /** Octets of the Initiator's Request. */
  private static final int REQUEST = 24;

  private static final MpaSettings PEER_TO_PEER =
      MpaSettings.DEFAULTS.withRevision(2).withPeerToPeer(true);

  private final DdpEngine engine = new DdpEngine(new TaggedBuffers(8, new Random(6581)));
  private final ProtectionDomain domain = new ProtectionDomain("p");
  private final GuardedMemory memory = new GuardedMemory(4096);
  private final RecordingRdmap user = new RecordingRdmap();
  private final RecordingRdmap other = new RecordingRdmap();

  private static RdmapSettings settings(Rtr... kinds) {
    return new RdmapSettings(PEER_TO_PEER.withRtr(Set.of(kinds)), 4, 4, 3, 2);
  }

  private void run(InMemoryTcpPair tcp) {
    tcp.run(() -> engine.send(1000));
  }

  /** An Initiator, and a peer that has accepted it. */
  private RawUlpduPeer accepted() {
    RawUlpduPeer peer = RawUlpduPeer.responder(MpaSettings.DEFAULTS.withReads(3, 2));
    run(new InMemoryTcpPair(user.startup, peer.transport(), 1448));
    return peer;
  }

  @ParameterizedTest
  @CsvSource({
    "WRITE, c140 00000001 0000000000000000",
    "READ, 4141 00000000 00000001 00000001 00000000 00000001 0000000000000000 00000000 00000001"
        + " 0000000000000000",
    "SEND, 4143 00000000 00000000 00000001 00000000"
  })
  @Tag("P2P-9.2-04")
  @Tag("P2P-5-01")
  @Tag("P2P-5-02")
  void initiatorShouldSendItBeforeAnythingThatWasPosted(Rtr kind, String rtr) {
    RdmapStream stream = user.initiator(engine, domain, settings(kind), NONE);
    memory.put(0, new byte[] {7});
    stream.postSend(new StreamRequest(1).memory(memory.address(), 1));
    stream.postWrite(new StreamRequest(2).memory(memory.address(), 1).remote(5, 0));
    RawUlpduPeer peer = accepted();
    int msn = kind == Rtr.SEND ? 2 : 1;
    assertThat(peer.receivedHex())
        .containsExactly(
            rtr.replace(" ", ""),
            "4143" + "00000000" + "00000000" + "%08x".formatted(msn) + "00000000" + "07",
            "c140" + "00000005" + "0000000000000000" + "07");
    assertThat(user.events()).containsExactly("established ", "send 1 done 1", "write 2 done 1");
  }

  @ParameterizedTest
  @EnumSource(Rtr.class)
  @Tag("P2P-5-01")
  @Tag("P2P-9.2-05")
  void theRespondersProgramShouldBeTheFirstToSend(Rtr kind) {
    RdmapStream first = user.initiator(engine, domain, settings(kind), NONE);
    RdmapStream second = other.responder(engine, domain, settings(kind));
    InMemoryTcpPair tcp = new InMemoryTcpPair(user.startup, other.startup, 1448);
    first.postReceive(new StreamRequest(1).memory(memory.address(), 16));
    second.postReceive(new StreamRequest(2).memory(memory.address() + 64, 16));
    run(tcp);
    assertThat(other.events()).containsExactly("request ");
    other.startup.accept(NONE);
    memory.put(1024, new byte[] {1, 2, 3});
    second.postSend(new StreamRequest(3).memory(memory.address() + 1024, 3));
    run(tcp);
    assertThat(other.events()).containsExactly("established ", "send 3 done 3");
    assertThat(user.events()).containsExactly("established ", "receive 1 done 3");
    assertThat(memory.octets()).startsWith(1, 2, 3, GuardedMemory.POISON);

    first.postSend(new StreamRequest(4).memory(memory.address() + 1024, 2));
    run(tcp);
    assertThat(other.events()).containsExactly("receive 2 done 2");
    first.close();
    second.close();
    run(tcp);
    assertThat(user.events()).containsExactly("send 4 done 2", "peer closed", "closed NORMAL");
    assertThat(other.events()).containsExactly("peer closed", "closed NORMAL");
  }

  @ParameterizedTest
  @EnumSource(Rtr.class)
  @Tag("P2P-9.2-03")
  @Tag("P2P-5-01")
  void responderShouldTakeAnyOfTheRtrsThatItHasNamed(Rtr sent) {
    RdmapStream first = user.initiator(engine, domain, settings(sent), NONE);
    RdmapStream second = other.responder(engine, domain, settings(Rtr.values()));
    InMemoryTcpPair tcp = new InMemoryTcpPair(user.startup, other.startup, 1448);
    second.postReceive(new StreamRequest(2).memory(memory.address() + 64, 16));
    second.postReceive(new StreamRequest(3).memory(memory.address() + 128, 16));
    run(tcp);
    other.startup.accept(NONE);
    memory.put(1024, new byte[] {1, 2, 3});
    for (int i = 0; i < 2; i++) {
      first.postSend(new StreamRequest(4 + i).memory(memory.address() + 1024, 3));
    }
    run(tcp);
    assertThat(other.events())
        .containsExactly("request ", "established ", "receive 2 done 3", "receive 3 done 3");
  }

  @Test
  @Tag("P2P-9.2-08")
  void responderShouldRefuseAnRtrThatItHasNotNamed() {
    user.responder(engine, domain, settings(Rtr.READ, Rtr.SEND));
    RawUlpduPeer peer = RawUlpduPeer.initiator(PEER_TO_PEER.withReads(3, 2));
    InMemoryTcpPair tcp = new InMemoryTcpPair(user.startup, peer.transport(), 1448);
    run(tcp);
    user.startup.accept(NONE);
    run(tcp);
    peer.send("c140 00000001 0000000000000000");
    run(tcp);
    assertThat(user.events()).containsExactly("request ", "established ", "error 2/0/7");
  }

  @Test
  void aReadBehindTheRtrsShouldHaveItsOwnAnswer() {
    RdmapStream first = user.initiator(engine, domain, settings(Rtr.READ), NONE);
    other.responder(engine, domain, settings(Rtr.READ));
    InMemoryTcpPair tcp = new InMemoryTcpPair(user.startup, other.startup, 1448);
    memory.put(512, new byte[] {9, 8, 7});
    int source = register(AccessRights.REMOTE_READ);
    int sink = register(AccessRights.LOCAL_WRITE);
    for (int i = 0; i < 3; i++) {
      first.postRead(new StreamRequest(i).local(sink, i, 1).remote(source, 512 + i));
    }
    run(tcp);
    other.startup.accept(NONE);
    run(tcp);
    assertThat(user.events())
        .containsExactly("established ", "read 0 done 1", "read 1 done 1", "read 2 done 1");
    assertThat(memory.octets()).startsWith(9, 8, 7, GuardedMemory.POISON);
  }

  private int register(int rights) {
    return engine
        .taggedBuffers()
        .register(domain, null, memory.address(), memory.length(), 0, rights);
  }

  @ParameterizedTest
  @CsvSource({
    "WRITE, 4143 00000000 00000000 00000001 00000000",
    "WRITE, c140 00000001 0000000000000000 01",
    "WRITE, 8140 00000001 0000000000000000",
    "READ, c140 00000001 0000000000000000",
    "READ, 4141 00000000 00000001 00000001 00000000 00000001 0000000000000000 00000001 00000001"
        + " 0000000000000000",
    "SEND, c140 00000001 0000000000000000",
    "SEND, 4145 00000000 00000000 00000001 00000000"
  })
  @Tag("P2P-9.2-08")
  @Tag("P2P-8-02")
  void responderShouldReportAFirstMessageThatIsNotTheOneAwaited(Rtr kind, String ulpdu) {
    user.responder(engine, domain, settings(kind));
    RawUlpduPeer peer = RawUlpduPeer.initiator(PEER_TO_PEER.withReads(3, 2).withRtr(Set.of(kind)));
    InMemoryTcpPair tcp = new InMemoryTcpPair(user.startup, peer.transport(), 1448);
    run(tcp);
    user.startup.accept(NONE);
    run(tcp);
    peer.send(ulpdu);
    run(tcp);
    assertThat(user.events()).containsExactly("request ", "established ", "error 2/0/7");
    assertThat(peer.receivedHex()).hasSize(1);
    assertThat(peer.receivedHex().get(0)).startsWith("4147").contains("2007");
  }

  /** An Initiator that cannot do as it was told says so in place of the RTR. */
  @Test
  @Tag("RDMAP-5.4-03")
  void responderShouldNotAnswerATerminateThatComesInPlaceOfTheRtr() {
    user.responder(engine, domain, settings(Rtr.WRITE));
    RawUlpduPeer peer = RawUlpduPeer.initiator(PEER_TO_PEER.withRtr(Set.of(Rtr.WRITE)));
    InMemoryTcpPair tcp = new InMemoryTcpPair(user.startup, peer.transport(), 1448);
    run(tcp);
    user.startup.accept(NONE);
    run(tcp);
    peer.send("4147 00000000 00000002 00000001 00000000 20070000");
    run(tcp);
    assertThat(user.events()).containsExactly("request ", "established ", "error 2/0/7");
    assertThat(peer.receivedHex()).isEmpty();
  }

  @Test
  @Tag("P2P-9.2-08")
  void responderShouldWaitForTheWholeRtr() {
    user.responder(engine, domain, settings(Rtr.SEND));
    RawUlpduPeer peer = RawUlpduPeer.initiator(PEER_TO_PEER.withRtr(Set.of(Rtr.SEND)));
    InMemoryTcpPair tcp = new InMemoryTcpPair(user.startup, peer.transport(), 1448);
    run(tcp);
    user.startup.accept(NONE);
    run(tcp);
    peer.send("0143 00000000 00000000 00000001 00000000");
    peer.send("c140 00000001 0000000000000000");
    run(tcp);
    assertThat(user.events()).containsExactly("request ", "established ", "error 2/0/7");
  }

  @Test
  @Tag("P2P-9.2-08")
  void responderShouldRefuseASendWithOctets() {
    RdmapStream stream = user.responder(engine, domain, settings(Rtr.SEND));
    RawUlpduPeer peer = RawUlpduPeer.initiator(PEER_TO_PEER.withRtr(Set.of(Rtr.SEND)));
    InMemoryTcpPair tcp = new InMemoryTcpPair(user.startup, peer.transport(), 1448);
    run(tcp);
    user.startup.accept(NONE);
    run(tcp);
    stream.postReceive(new StreamRequest(1).memory(memory.address(), 64));
    peer.send("4143 00000000 00000000 00000001 00000000 0102");
    run(tcp);
    assertThat(user.events())
        .containsExactly("request ", "established ", "receive 1 flushed 0", "error 1/2/4");
    memory.assertUntouched();
  }

  /** A Responder that answers a Request with the test's octets and records what follows. */
  private static PlainPeer responder(String privateData) {
    return new PlainPeer("") {
      @Override
      public void onSegment(long position, long address, int length, long packet) {
        super.onSegment(position, address, length, packet);
        if (heard().length() == 2 * REQUEST) {
          send(
              HexFormat.of()
                  .parseHex("4d504120494420526570204672616d65" + "50020004" + privateData));
        }
      }
    };
  }

  @ParameterizedTest
  @CsvSource({
    // ORD 9 to an IRD of 3; A clear; no kind named.
    "80038009, 6, 20060000",
    "00030002, 7, 20070000",
    "80030002, 7, 20070000"
  })
  @Tag("P2P-8-02")
  @Tag("P2P-9.1-04")
  @Tag("P2P-9.2-06")
  void initiatorShouldTellThePeerWhatCannotBe(String privateData, int error, String control) {
    RdmapSettings own = new RdmapSettings(PEER_TO_PEER, 4, 4, 3, 2);
    RdmapStream stream = user.initiator(engine, domain, own, NONE);
    stream.postSend(new StreamRequest(1).memory(memory.address(), 1));
    PlainPeer peer = responder(privateData);
    run(new InMemoryTcpPair(user.startup, peer, 1448));
    assertThat(user.events())
        .containsExactly("send 1 flushed 0", "error 2/0/" + error, "closed NORMAL");
    String terminate = peer.heard().substring(2 * REQUEST);
    assertThat(terminate)
        .startsWith("0016" + "4147" + "00000000" + "00000002" + "00000001" + "00000000" + control);
  }

  @Test
  void aRefusalShouldReachThePeerBeforeTheEnd() {
    user.responder(engine, domain, settings(Rtr.WRITE));
    PlainPeer peer = new PlainPeer("4d504120494420526571204672616d65" + "40090000");
    run(new InMemoryTcpPair(user.startup, peer, 1448));
    assertThat(user.events()).containsExactly("error 2/0/4", "closed NORMAL");
    assertThat(peer.heard()).isEqualTo("4d504120494420526570204672616d65" + "60010000");
  }
}
