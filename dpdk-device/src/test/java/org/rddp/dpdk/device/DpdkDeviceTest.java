package org.rddp.dpdk.device;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.rddp.device.FrameDevice;
import org.rddp.device.Offloads;
import org.rddp.dpdk.Eal;
import org.rddp.dpdk.EalArguments;
import org.rddp.dpdk.EthernetPort;
import org.rddp.dpdk.MbufFlags;
import org.rddp.dpdk.MbufLayout;
import org.rddp.dpdk.Mempool;
import org.rddp.dpdk.PortSettings;
import org.rddp.dpdk.RingPair;
import org.rddp.wire.Memory;

/** Two devices over a pair of rings, DPDK without huge pages. */
@RequiresDpdk
class DpdkDeviceTest {
  private static final int PACKETS = 2048;
  private static final int DESCRIPTORS = 256;
  private static final int ROOM = 2048;

  private static final int LONGEST = 16384;
  private static final int LONG_PACKETS = 32;
  private static final int CUTS = Offloads.CHECKSUM | Offloads.SEGMENTATION;

  private static final List<Mempool> MEMPOOLS = new ArrayList<>();
  private static RingPair rings;
  private static DpdkDevice one;
  private static DpdkDevice two;
  private final long[] packets = new long[DpdkDevice.BURST];

  @BeforeAll
  static void open() {
    Eal.init(EalArguments.ordinaryPages(128).withLogLevel("error").list());
    rings = RingPair.create("test", DESCRIPTORS);
    Mempool link = mempool();
    one = device(rings.first(), link, 1);
    two = device(rings.second(), link, 2);
    Eal.registerThread();
  }

  private static Mempool mempool() {
    Mempool mempool =
        Mempool.create("pool" + MEMPOOLS.size(), PACKETS, 256, MbufLayout.HEADROOM + ROOM, -1);
    MEMPOOLS.add(mempool);
    return mempool;
  }

  private static Mempool longMempool() {
    int octets = MbufLayout.HEADROOM + LONGEST + 64;
    Mempool mempool = Mempool.create("long" + MEMPOOLS.size(), LONG_PACKETS, 8, octets, -1);
    MEMPOOLS.add(mempool);
    return mempool;
  }

  private static DpdkDevice device(EthernetPort port, Mempool link, long macAddress) {
    Mempool mempool = mempool();
    port.configure(
        PortSettings.DEFAULTS.withSlots(DESCRIPTORS, DESCRIPTORS).withMtu(1500), mempool);
    port.start();
    return new DpdkDevice(
        port,
        new MbufPool(mempool, longMempool()),
        new RingOutput(link, null),
        macAddress,
        1500,
        LONGEST,
        RingOutput.OFFLOADS,
        FrameDevice.POLLED,
        port::stop);
  }

  @AfterAll
  static void close() {
    Eal.unregisterThread();
    one.close();
    two.close();
    rings.close();
    MEMPOOLS.forEach(Mempool::close);
    Eal.cleanup();
  }

  @AfterEach
  void shouldHaveEveryPacketBack() {
    assertThat(one.pool().available()).isEqualTo(one.pool().capacity());
    assertThat(two.pool().available()).isEqualTo(two.pool().capacity());
    MEMPOOLS.stream()
        .filter(each -> each.name().startsWith("long"))
        .forEach(each -> assertThat(each.available()).isEqualTo(LONG_PACKETS));
  }

  private static long frame(DpdkDevice device, int length, int fill) {
    long packet = device.pool().allocate();
    long address = device.pool().address(packet);
    Memory.fill(address, length, fill);
    device.pool().window(packet, address, length);
    return packet;
  }

  @Test
  void shouldCarryCopiesOfShortFrames() {
    int length = RingOutput.LEAST_PASSED - 1;
    long kept = frame(one, length, 7);
    one.requestOffload(kept, 14, 20, 20, 0);
    one.pool().retain(kept);
    packets[0] = kept;

    assertThat(one.transmit(packets, 0, 1)).isEqualTo(1);
    assertThat(one.pool().shared(kept)).isFalse();
    Memory.fill(one.pool().address(kept), length, 9);
    assertThat(two.receive(packets)).isEqualTo(1);

    assertThat(packets[0]).isNotEqualTo(kept);
    assertThat(two.pool().length(packets[0])).isEqualTo(length);
    assertThat(Memory.getByte(two.pool().address(packets[0]) + length - 1)).isEqualTo(7);
    two.pool().release(packets[0]);
    one.pool().release(kept);
    assertThat(two.receive(packets)).isZero();
  }

  @Test
  void shouldPassLongTcpSegmentsOn() {
    long kept = frame(one, 1514, 7);
    one.requestOffload(kept, 14, 20, 20, 0);
    one.pool().retain(kept);
    packets[0] = kept;

    assertThat(one.transmit(packets, 0, 1)).isEqualTo(1);
    assertThat(one.pool().shared(kept)).isTrue();
    assertThat(two.receive(packets)).isEqualTo(1);

    assertThat(packets[0]).isEqualTo(kept);
    assertThat(two.checksum(kept)).isEqualTo(Offloads.GOOD);
    two.pool().retain(kept);
    two.pool().release(kept);
    assertThat(one.pool().shared(kept)).as("held by the receiver").isTrue();
    two.pool().release(kept);
    assertThat(one.pool().shared(kept)).isFalse();
    one.pool().release(kept);
  }

  @Test
  void shouldReturnWhatTheReceiverReleasesLast() {
    packets[0] = frame(one, 1514, 7);
    one.requestOffload(packets[0], 14, 20, 20, 0);
    assertThat(one.transmit(packets, 0, 1)).isEqualTo(1);
    assertThat(one.pool().available()).isEqualTo(one.pool().capacity() - 1);

    assertThat(two.receive(packets)).isEqualTo(1);
    assertThat(two.pool().shared(packets[0])).isFalse();
    two.pool().release(packets[0]);

    assertThat(one.pool().available()).isEqualTo(one.pool().capacity());
  }

  @Test
  void shouldSayAfterAFullRingThatNoChecksumWasComputed() {
    int filled = 0;
    packets[0] = frame(one, 60, 1);
    while (one.transmit(packets, 0, 1) == 1) {
      packets[0] = frame(one, 60, 1);
      filled++;
    }
    one.pool().release(packets[0]);
    long late = frame(one, 1514, 7);
    one.requestOffload(late, 14, 20, 20, 0);
    packets[0] = late;
    assertThat(one.transmit(packets, 0, 1)).isZero();
    assertThat(releaseReceived(two)).isEqualTo(filled);

    packets[0] = late;
    assertThat(one.transmit(packets, 0, 1)).isEqualTo(1);
    assertThat(two.receive(packets)).isEqualTo(1);
    assertThat(packets[0]).isEqualTo(late);
    assertThat(two.checksum(late)).isEqualTo(Offloads.GOOD);
    two.pool().release(late);
  }

  /** Each end releases at the same time what both hold: no count may be lost. */
  @Test
  void shouldCountTheReferencesOfBothEnds() throws Exception {
    for (int round = 0; round < 200; round++) {
      long[] held = new long[DpdkDevice.BURST];
      for (int i = 0; i < held.length; i++) {
        held[i] = frame(one, 1514, i);
        one.requestOffload(held[i], 14, 20, 20, 0);
        one.pool().retain(held[i]);
      }
      assertThat(one.transmit(held, 0, held.length)).isEqualTo(held.length);
      assertThat(two.receive(packets)).isEqualTo(held.length);
      Thread receiver = Thread.ofPlatform().start(() -> releaseAll(two, packets, held.length));
      releaseAll(one, held, held.length);
      receiver.join();
    }
  }

  private static void releaseAll(DpdkDevice device, long[] all, int count) {
    for (int i = 0; i < count; i++) {
      device.pool().release(all[i]);
    }
  }

  private int releaseReceived(DpdkDevice device) {
    int received = 0;
    int burst;
    while ((burst = device.receive(packets)) > 0) {
      releaseAll(device, packets, burst);
      received += burst;
    }
    return received;
  }

  @Test
  void shouldCarryLongFramesAmongOthers() {
    assertThat(one.longestFrame()).isEqualTo(LONGEST);
    assertThat(one.pool().longCapacity()).isEqualTo(LONG_PACKETS);
    int length = LONGEST + 14;
    for (int i = 0; i < 10; i++) {
      packets[i] = i % 3 == 1 ? longFrame(length, i) : frame(one, 60 + i, i);
    }
    assertThat(one.transmit(packets, 0, 10)).isEqualTo(10);
    assertThat(two.receive(packets)).isEqualTo(10);
    for (int i = 0; i < 10; i++) {
      int octets = i % 3 == 1 ? length : 60 + i;
      assertThat(two.pool().length(packets[i])).isEqualTo(octets);
      assertThat(Memory.getByte(two.pool().address(packets[i]) + octets - 1)).isEqualTo(i);
      two.pool().release(packets[i]);
    }
  }

  private static long longFrame(int length, int fill) {
    long packet = one.pool().allocateLong();
    Memory.fill(one.pool().address(packet), length, fill);
    one.pool().window(packet, one.pool().address(packet), length);
    return packet;
  }

  @Test
  void shouldGivePacketsRoomForHeadersAndAFrame() {
    long packet = one.pool().allocate();

    assertThat(one.pool().length(packet)).isZero();
    assertThat(one.pool().address(packet) - one.pool().start(packet))
        .isEqualTo(MbufLayout.HEADROOM);
    assertThat(one.pool().end(packet) - one.pool().address(packet)).isEqualTo(one.pool().room());
    assertThat(one.pool().room()).isGreaterThanOrEqualTo(1514);
    one.pool().release(packet);
  }

  @Test
  void shouldGiveOutEveryPacketAndThenNone() {
    long[] all = new long[one.pool().capacity()];
    for (int i = 0; i < all.length; i++) {
      all[i] = one.pool().allocate();
      assertThat(all[i]).isNotZero();
    }

    assertThat(one.pool().allocate()).isZero();
    assertThat(all).doesNotHaveDuplicates();
    for (long packet : all) {
      one.pool().release(packet);
    }
  }

  @Test
  void shouldLeaveWhatTheRingDoesNotTakeToTheCaller() {
    int sent = 0;
    while (true) {
      packets[0] = frame(one, 60, 1);
      if (one.transmit(packets, 0, 1) == 0) {
        one.pool().release(packets[0]);
        break;
      }
      sent++;
    }

    assertThat(sent).isEqualTo(255);
    assertThat(releaseReceived(two)).isEqualTo(sent);
  }

  @Test
  void shouldCopyAChainIntoOnePacket() {
    MbufPool pool = (MbufPool) one.pool();
    long first = frame(one, 1000, 1);
    long second = frame(one, 500, 2);
    Memory.putLongNative(first + MbufLayout.NEXT, second);
    Memory.putShortNative(first + MbufLayout.NB_SEGS, 2);
    Memory.putIntNative(first + MbufLayout.PKT_LEN, 1500);

    long packet = pool.linearise(first);

    assertThat(pool.length(packet)).isEqualTo(1500);
    assertThat(Memory.getByte(pool.address(packet) + 999)).isEqualTo(1);
    assertThat(Memory.getByte(pool.address(packet) + 1000)).isEqualTo(2);
    pool.release(packet);
  }

  @Test
  void shouldCopyALongChainAndDropOneThatNoPacketHolds() {
    MbufPool pool = (MbufPool) one.pool();
    long first = frame(one, 2000, 1);
    long second = frame(one, 2000, 2);
    Memory.putLongNative(first + MbufLayout.NEXT, second);
    Memory.putShortNative(first + MbufLayout.NB_SEGS, 2);
    Memory.putIntNative(first + MbufLayout.PKT_LEN, 4000);
    long packet = pool.linearise(first);
    assertThat(pool.length(packet)).isEqualTo(4000);
    assertThat(Memory.getByte(pool.address(packet) + 3999)).isEqualTo(2);
    pool.release(packet);

    long longer = frame(one, 2000, 1);
    Memory.putLongNative(longer + MbufLayout.NEXT, frame(one, 2000, 2));
    Memory.putShortNative(longer + MbufLayout.NB_SEGS, 2);
    Memory.putIntNative(longer + MbufLayout.PKT_LEN, LONGEST + 100);
    assertThat(pool.linearise(longer)).isZero();
  }

  @Test
  void shouldPassReceivedAndTransmittedFramesToACapture() {
    List<String> captured = new ArrayList<>();
    one.capture(
        (time, address, length) -> captured.add(length + " of " + Memory.getByte(address + 9)));
    packets[0] = frame(one, 100, 3);
    one.transmit(packets, 0, 1);
    packets[0] = frame(two, 200, 4);
    two.transmit(packets, 0, 1);
    one.pool().release(receiveOne(one));
    two.pool().release(receiveOne(two));
    one.capture(null);
    packets[0] = frame(one, 60, 5);
    one.transmit(packets, 0, 1);
    two.pool().release(receiveOne(two));

    assertThat(captured).containsExactly("100 of 3", "200 of 4");
  }

  private long receiveOne(DpdkDevice device) {
    assertThat(device.receive(packets)).isEqualTo(1);
    return packets[0];
  }

  /** An allocation per frame shows in every round; the JIT's own allocations do not. */
  @Test
  void shouldAllocateNoHeapMemoryPerFrame() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 200 && least > 0; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      exchange(20_000);
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }

    assertThat(least).isZero();
  }

  private void exchange(int frames) {
    for (int i = 0; i < frames; i++) {
      packets[0] = frame(one, 64, i);
      one.transmit(packets, 0, 1);
      two.receive(packets);
      two.pool().release(packets[0]);
    }
  }

  @Test
  void shouldTellItsAddressAndMtu() {
    assertThat(one.macAddress()).isNotEqualTo(two.macAddress());
    assertThat(one.mtu()).isEqualTo(1500);
    one.refreshLink();
    assertThat(one.up()).isTrue();
  }

  @Test
  void shouldTellAPortWhatIsLeftToIt() {
    DpdkDevice card = card(CUTS | Offloads.IP_CHECKSUM);
    long packet = frame(card, 100, 1);
    card.requestOffload(packet, 18, 20, 32, 0);
    assertThat(flags(packet)).isEqualTo(MbufFlags.TX_IPV4 | MbufFlags.TX_TCP_CHECKSUM);
    assertThat(Memory.getLongNative(packet + MbufLayout.TX_OFFLOAD))
        .isEqualTo(MbufFlags.txOffload(18, 20, 32, 0));
    card.requestOffload(packet, 14, 20, 20, 1460);
    assertThat(flags(packet) & MbufFlags.TX_TCP_SEGMENT).isNotZero();
    assertThat(flags(packet) & MbufFlags.TX_IP_CHECKSUM).isNotZero();
    card.requestOffload(packet, 14, 40, 20, 0);
    assertThat(flags(packet)).isEqualTo(MbufFlags.TX_IPV6 | MbufFlags.TX_TCP_CHECKSUM);
    card.requestOffload(packet, 14, 40, 20, 1440);
    assertThat(flags(packet))
        .as("no checksum of IPv6's header")
        .isEqualTo(MbufFlags.TX_IPV6 | MbufFlags.TX_TCP_CHECKSUM | MbufFlags.TX_TCP_SEGMENT);
    assertThat(Memory.getLongNative(packet + MbufLayout.TX_OFFLOAD))
        .isEqualTo(MbufFlags.txOffload(14, 40, 20, 1440));
    one.pool().release(packet);
    packet = one.pool().allocate();
    assertThat(flags(packet)).isZero();
    one.pool().release(packet);
  }

  @Test
  void shouldClearTheIpChecksumOfWhatThePortCuts() {
    DpdkDevice card = card(CUTS | Offloads.IP_CHECKSUM);
    for (int[] request : new int[][] {{20, 0}, {20, 16}, {40, 16}}) {
      long packet = frame(card, 100, 0x11);
      card.requestOffload(packet, 14, request[0], 20, request[1]);
      packets[0] = packet;
      assertThat(card.transmit(packets, 0, 1)).isEqualTo(1);
      assertThat(two.receive(packets)).isEqualTo(1);
      long ip = two.pool().address(packets[0]) + 14;
      assertThat(Memory.getShort(ip + 10))
          .isEqualTo(request[0] == 20 && request[1] > 0 ? 0 : 0x1111);
      assertThat(Memory.getShort(ip + 8)).isEqualTo(0x1111);
      one.pool().release(packets[0]);
    }
  }

  @Test
  void shouldKeepTheIpChecksumOfAFrameThatVirtioPassesOn() {
    DpdkDevice virtio = card(CUTS | Offloads.SUM_WITH_LENGTH);
    packets[0] = frame(virtio, 100, 0x11);
    virtio.requestOffload(packets[0], 14, 20, 20, 16);
    assertThat(flags(packets[0]))
        .isEqualTo(MbufFlags.TX_IPV4 | MbufFlags.TX_TCP_CHECKSUM | MbufFlags.TX_TCP_SEGMENT);
    assertThat(virtio.transmit(packets, 0, 1)).isEqualTo(1);
    assertThat(two.receive(packets)).isEqualTo(1);
    assertThat(Memory.getShort(two.pool().address(packets[0]) + 14 + 10)).isEqualTo(0x1111);
    one.pool().release(packets[0]);
  }

  @Test
  void shouldHandOnWhatAPortSaysOfAFrame() {
    DpdkDevice card = card(Offloads.VERDICT);
    long packet = frame(card, 100, 1);
    assertThat(card.checksum(packet)).isEqualTo(Offloads.UNKNOWN);
    flags(packet, MbufFlags.RX_L4_GOOD);
    assertThat(card.checksum(packet)).isEqualTo(Offloads.GOOD);
    flags(packet, MbufFlags.RX_L4_NONE);
    assertThat(card.checksum(packet)).as("of any card").isEqualTo(Offloads.UNKNOWN);
    assertThat(card(Offloads.VERDICT | Offloads.INTACT).checksum(packet))
        .as("passed on in memory")
        .isEqualTo(Offloads.GOOD);
    flags(packet, MbufFlags.RX_L4_BAD);
    assertThat(card.checksum(packet)).isEqualTo(Offloads.BAD);
    assertThat(card(Offloads.NONE).checksum(packet)).isEqualTo(Offloads.UNKNOWN);
    one.pool().release(packet);
  }

  @Test
  void shouldCarryOverARingWhetherTheChecksumWasOmitted() {
    packets[0] = frame(one, 100, 1);
    packets[1] = frame(one, 100, 2);
    one.requestOffload(packets[1], 14, 20, 20, 0);
    assertThat(one.transmit(packets, 0, 2)).isEqualTo(2);
    assertThat(two.receive(packets)).isEqualTo(2);
    assertThat(two.checksum(packets[0])).isEqualTo(Offloads.UNKNOWN);
    assertThat(two.checksum(packets[1])).isEqualTo(Offloads.GOOD);
    two.pool().release(packets[0]);
    two.pool().release(packets[1]);
  }

  /** The port of the first device, as if it could do more. */
  private static DpdkDevice card(int offloads) {
    return new DpdkDevice(
        one.port(),
        (MbufPool) one.pool(),
        null,
        1,
        1500,
        1500,
        offloads,
        FrameDevice.POLLED,
        () -> {});
  }

  private static long flags(long packet) {
    return Memory.getLongNative(packet + MbufLayout.OL_FLAGS);
  }

  private static void flags(long packet, long flags) {
    Memory.putLongNative(packet + MbufLayout.OL_FLAGS, flags);
  }
}
