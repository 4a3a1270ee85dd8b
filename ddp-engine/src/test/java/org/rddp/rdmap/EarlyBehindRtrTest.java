package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.GuardedMemory;
import org.rddp.ddp.RawUlpduPeer;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.device.NativePacketPool;
import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.Rtr;
import org.rddp.tcp.testing.InMemoryTcpStream;

/** Sends that arrive before the RTR in front of them, which a peer's Markers locate. */
class EarlyBehindRtrTest {
  private static final byte[] NONE = {};
  private static final String SEND = "4143 00000000 00000000 %08x 00000000 %s";

  /** Octets of the two Sends: the second one holds the Marker at octet 512 of the stream. */
  private static final int FIRST = 200;

  private static final int SECOND = 400;
  private static final MpaSettings PEER_TO_PEER =
      MpaSettings.DEFAULTS.withRevision(2).withPeerToPeer(true);

  private final NativePacketPool pool = new NativePacketPool(64, 2048);
  private final GuardedMemory memory = new GuardedMemory(2048);
  private final RecordingRdmap user = new RecordingRdmap();

  private static String rtr(Rtr kind) {
    return switch (kind) {
      case WRITE -> "c140 00000001 0000000000000000";
      case SEND -> "4143 00000000 00000000 00000001 00000000";
      case READ -> "4141 00000000 00000001 00000001 00000000" + "00".repeat(28);
    };
  }

  /** The kind of the RTR decides whether a Send with number 2 is the first or the second. */
  @ParameterizedTest
  @EnumSource(Rtr.class)
  @Tag("P2P-9.2-03")
  void shouldGoToTheReceiveThatTheRtrLeavesThem(Rtr kind) {
    MpaSettings own = PEER_TO_PEER.withMarkers(true);
    DdpEngine engine = new DdpEngine(new TaggedBuffers(8, new Random(1)));
    RdmapStream stream =
        user.responder(engine, new ProtectionDomain("p"), new RdmapSettings(own, 4, 4, 3, 2));
    RawUlpduPeer peer = RawUlpduPeer.initiator(PEER_TO_PEER.withReads(3, 2));
    InMemoryTcpStream ours = new InMemoryTcpStream(pool, 1448, InMemoryTcpStream.NO_FILLER);
    InMemoryTcpStream theirs = new InMemoryTcpStream(pool, 1448, InMemoryTcpStream.NO_FILLER);
    ours.open(user.startup);
    theirs.open(peer.transport());
    ours.receive(theirs.takeSent());
    user.startup.accept(NONE);
    theirs.receive(ours.takeSent());
    stream.postReceive(new StreamRequest(1).memory(memory.address(), 512));
    stream.postReceive(new StreamRequest(2).memory(memory.address() + 1024, 512));
    user.events();

    int first = kind == Rtr.SEND ? 2 : 1;
    peer.send(rtr(kind));
    byte[] rtr = theirs.takeSent();
    peer.send(SEND.formatted(first, "11".repeat(FIRST)));
    byte[] one = theirs.takeSent();
    peer.send(SEND.formatted(first + 1, "22".repeat(SECOND)));
    byte[] two = theirs.takeSent();
    byte[] octets =
        ByteBuffer.allocate(rtr.length + one.length + two.length)
            .put(rtr)
            .put(one)
            .put(two)
            .array();
    long start = ours.receivePosition();
    ours.arrive(octets, start, rtr.length + one.length, two.length);
    memory.assertUntouched();
    ours.arrive(octets, start, 0, rtr.length + one.length);
    assertThat(user.events())
        .containsExactly("receive 1 done " + FIRST, "receive 2 done " + SECOND);
    assertThat(memory.octets()[0]).isEqualTo((byte) 0x11);
    assertThat(memory.octets()[FIRST]).isEqualTo(GuardedMemory.POISON);
    assertThat(memory.octets()[1024]).isEqualTo((byte) 0x22);
  }
}
