package org.rddp.bench.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.rddp.device.FrameDevice;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Tcp;

class ForwarderTest {
  private static final int FRAMES = 2000;
  private static final int OCTETS = 100;
  private static final int TCP = Ethernet.HEADER + Ipv4.HEADER;
  private static final LinkSettings CLEAN = new LinkSettings(0, 10, 0, 1 << 20, 1);

  private long now;
  private final NativePacketPool pool = new NativePacketPool(4096, 2048);
  private final LoopedDevice[] left = LoopedDevice.pair(pool, pool, 1500, 64);
  private final LoopedDevice[] right = LoopedDevice.pair(pool, pool, 1500, 64);
  private final Forwarder forwarder = new Forwarder(left[1], right[1], CLEAN, () -> now);

  @AfterEach
  void shouldHaveGivenEveryPacketBack() {
    forwarder.clear();
    for (FrameDevice each : List.of(left[0], left[1], right[0], right[1])) {
      each.close();
    }
    assertThat(pool.available()).isEqualTo(pool.capacity());
  }

  /** Sends numbered frames one way, and gives the numbers of those that arrive. */
  private List<Integer> send(FrameDevice from, FrameDevice to, int type, int protocol) {
    List<Integer> arrived = new ArrayList<>();
    long[] packets = new long[64];
    for (int number = 0; number < FRAMES; number++) {
      long packet = pool.allocate();
      long frame = pool.address(packet);
      pool.window(packet, frame, OCTETS);
      Ethernet.write(frame, Ethernet.BROADCAST, 1, type);
      Ipv4.write(frame + Ethernet.HEADER, OCTETS - Ethernet.HEADER, protocol, 1, 2);
      Tcp.write(frame + TCP, 1, 7, number, 0, Tcp.HEADER, Tcp.ACK, 0);
      packets[0] = packet;
      assertThat(from.transmit(packets, 0, 1)).isEqualTo(1);
      for (int i = 0; i < 2; i++) {
        now += 10_000;
        forwarder.turn();
      }
      int count = to.receive(packets);
      for (int i = 0; i < count; i++) {
        arrived.add(Tcp.sequence(pool.address(packets[i]) + TCP));
        pool.release(packets[i]);
      }
    }
    return arrived;
  }

  private List<Integer> sendTcp() {
    return send(left[0], right[0], Ethernet.TYPE_IPV4, Ipv4.PROTOCOL_TCP);
  }

  @Test
  void shouldCarryEveryFrameOfACleanLinkBothWays() {
    assertThat(sendTcp()).hasSize(FRAMES).isSorted();
    assertThat(send(right[0], left[0], Ethernet.TYPE_IPV4, Ipv4.PROTOCOL_TCP)).hasSize(FRAMES);
    assertThat(forwarder.counts()).isEqualTo(new LinkCounts(2 * FRAMES, 0, 0, 0, 0, 0));
  }

  @Test
  void shouldLoseTheSameFramesForTheSameSeed() {
    LinkSettings shape = new LinkSettings(0.01, 10, 0, 1 << 20, 3);
    forwarder.configure(shape);
    List<Integer> first = sendTcp();
    LinkCounts counts = forwarder.counts();
    assertThat(counts.lost()).isBetween(5L, 50L).isEqualTo(FRAMES - first.size());
    forwarder.configure(shape);
    assertThat(sendTcp()).isEqualTo(first);
    assertThat(forwarder.counts()).isEqualTo(counts);
    forwarder.configure(new LinkSettings(0.01, 10, 0, 1 << 20, 4));
    assertThat(sendTcp()).isNotEqualTo(first);
  }

  @Test
  void shouldLoseOthersTheOtherWay() {
    forwarder.configure(new LinkSettings(0.01, 10, 0, 1 << 20, 3));
    List<Integer> there = sendTcp();
    assertThat(send(right[0], left[0], Ethernet.TYPE_IPV4, Ipv4.PROTOCOL_TCP)).isNotEqualTo(there);
  }

  @Test
  void shouldNeitherLoseNorCountWhatIsNotTcp() {
    forwarder.configure(new LinkSettings(1, 10, 0, 1 << 20, 1));
    assertThat(send(left[0], right[0], Ethernet.TYPE_ARP, Ipv4.PROTOCOL_TCP)).hasSize(FRAMES);
    assertThat(send(left[0], right[0], Ethernet.TYPE_IPV4, Ipv4.PROTOCOL_ICMP)).hasSize(FRAMES);
    assertThat(sendTcp()).isEmpty();
    assertThat(forwarder.counts()).isEqualTo(new LinkCounts(FRAMES, FRAMES, 0, 0, 0, 0));
  }

  @Test
  void shouldDropWhatTheQueueHasNoRoomFor() {
    // 10 ms for each frame, of which one may wait.
    forwarder.configure(new LinkSettings(0, 0.0001, 0, 1, 1));
    int arrived = sendTcp().size();
    assertThat(arrived).isBetween(1, 20);
    assertThat(forwarder.counts().dropped()).isGreaterThan(FRAMES - 30);
  }

  @Test
  void shouldMarkBeyondAThreshold() {
    // 20 us for each frame, of which one comes in 20 us.
    forwarder.configure(new LinkSettings(0, 0.03, 0, 1 << 20, 1).marking(500));
    assertThat(sendTcp().size()).isGreaterThan(FRAMES / 2);
    LinkCounts counts = forwarder.counts();
    assertThat(counts.marked()).isZero();
    assertThat(counts.longest()).isGreaterThan(500);
    assertThat(counts.queue()).isBetween(1.0, (double) counts.longest());
  }
}
