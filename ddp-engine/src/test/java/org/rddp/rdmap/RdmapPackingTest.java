package org.rddp.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.ddp.GuardedMemory;
import org.rddp.ddp.RawUlpduPeer;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.mpa.MpaSettings;
import org.rddp.simulation.WireSettings;

/** Small writes share segments where packing is on, and no octet waits for a timer. */
class RdmapPackingTest {
  private static final int PORT = 7;
  private static final byte[] NONE = {};

  /** EMSS is 1448 with timestamps. */
  private static final int MTU = 1500;

  private final RdmapNetwork world = new RdmapNetwork(1, MTU, WireSettings.PERFECT);
  private final RawUlpduPeer peer = RawUlpduPeer.responder();
  private final RecordingRdmap handler = new RecordingRdmap();
  private final GuardedMemory memory = new GuardedMemory(10_000);

  private RdmapStream stream(boolean packing) {
    RdmapSettings settings = new RdmapSettings(MpaSettings.DEFAULTS.withPacking(packing), 1024, 8);
    RdmapStream stream = handler.initiator(world.left.engine, world.left.domain, settings, NONE);
    world.right.stack.listen(PORT, (opened, address, port) -> peer.transport());
    world.left.stack.connect(world.right.address, PORT, handler.startup);
    world.runUntil(() -> peer.events().contains("full operation"));
    return stream;
  }

  private long segments() {
    return world.right.stack.counters().segmentsIn;
  }

  private long packed(boolean packing, int writes) {
    RdmapStream stream = stream(packing);
    for (int i = 0; i < writes; i++) {
      assertThat(stream.postWrite(new StreamRequest(i).memory(memory.address(), 1).remote(7, i)))
          .isTrue();
    }
    long before = segments();
    world.runUntil(() -> peer.received().size() == writes);
    long taken = segments() - before;
    world.close();
    return taken;
  }

  @Test
  @Tag("MPAA-2-02")
  @DisplayName("RFC 5044 A.2: sixty writes of one octet share a segment; 64 are sent per turn")
  void shouldPackWritesOfAnOctet() {
    assertThat(packed(true, 600)).isBetween(10L, 20L);
  }

  @Test
  @DisplayName("RFC 5044 A.2: without packing each write has a segment")
  void shouldNotPackOtherwise() {
    assertThat(packed(false, 600)).isGreaterThanOrEqualTo(600);
  }

  @Test
  @Tag("MPAA-2-02")
  @Tag("MPA-4.5-04")
  @DisplayName("RFC 5044 A.2: the tail of a message and the start of the next share a segment")
  void shouldFillTheSegmentWithTheNextMessage() {
    RdmapStream stream = stream(true);
    stream.postWrite(new StreamRequest(1).memory(memory.address(), 1000).remote(7, 0));
    stream.postWrite(new StreamRequest(2).memory(memory.address(), 3000).remote(7, 0));
    long before = segments();
    world.runUntil(() -> peer.received().size() == 4);
    List<Integer> lengths = peer.received().stream().map(ulpdu -> ulpdu.length).toList();
    // 14 octets of header each; 1020 octets of segment leave 428, and an FPDU adds 6.
    assertThat(lengths).containsExactly(1014, 422, 1442, 14 + 3000 - 408 - 1428);
    assertThat(segments() - before).isEqualTo(3);
    world.close();
  }
}
