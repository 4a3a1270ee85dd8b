package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rddp.device.CapturedDevice;
import org.rddp.device.FrameDevice;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.device.OffloadingDevice;
import org.rddp.device.Offloads;
import org.rddp.ip.HostAddress;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv6Address;
import org.rddp.ip.Ipv6Network;
import org.rddp.simulation.OctetPattern;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv6;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Memory;
import org.rddp.wire.Tcp;

/** Two stacks on a link, each with both families, that connect over IPv6. */
class Ipv6ConnectionTest {
  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1000 * MILLISECOND;
  private static final Ipv6Address OURS = Ipv6Address.parse("2001:db8::1");
  private static final Ipv6Address THEIRS = Ipv6Address.parse("2001:db8::2");

  private final NativePacketPool ourPool = new NativePacketPool(1024, 9100);
  private final NativePacketPool theirPool = new NativePacketPool(1024, 9100);
  private final LoopedDevice[] link = LoopedDevice.pair(ourPool, theirPool, 1500, 256);
  private final List<byte[]> frames = new ArrayList<>();
  private long now = SECOND;
  private TcpStack ours;
  private TcpStack theirs;

  Ipv6ConnectionTest() {
    FrameDevice captured =
        new CapturedDevice(
            link[0], (sent, address, length) -> frames.add(Memory.bytes(address, length)));
    start(captured, TcpSettings.DEFAULTS);
  }

  private void start(FrameDevice device, TcpSettings settings) {
    ours = stack(device, 1, settings);
    theirs = stack(link[1], 2, settings);
  }

  private TcpStack stack(FrameDevice device, int host, TcpSettings settings) {
    InterfaceAddress address =
        new InterfaceAddress(Ipv4Address.parse("10.0.0." + host), 24).withIpv6(network(host));
    return stack(device, host, address, settings);
  }

  private TcpStack stack(
      FrameDevice device, int host, InterfaceAddress address, TcpSettings settings) {
    return new TcpStack(device, address, settings, new SplittableRandom(host), now);
  }

  private static Ipv6Network network(int host) {
    return new Ipv6Network(Ipv6Address.parse("2001:db8::" + host), 64, "secret " + host);
  }

  private void turn() {
    turn(ours);
    turn(theirs);
    now += MILLISECOND / 10;
  }

  private void turn(TcpStack stack) {
    stack.receive(now);
    stack.advance(now);
    stack.transmit(now);
  }

  /** Transfers so many octets in both directions over one connection. */
  private void transfer(HostAddress to, int octets) {
    Peer client = peer(octets);
    Peer server = peer(octets);
    TcpListener listener =
        theirs.listen(
            7,
            (stream, address, port) -> {
              assertThat(address.getClass()).isEqualTo(to.getClass());
              return server;
            });
    TcpConnection connection = ours.connect(to, 7, client);
    assertThat(connection.remoteAddress()).isEqualTo(to);
    long deadline = now + 600 * SECOND;
    while (client.closed == null || server.closed == null) {
      turn();
      assertThat(now).as("still at it").isLessThan(deadline);
    }
    listener.close();
    assertThat(client.wrong).isNull();
    assertThat(server.wrong).isNull();
    assertThat(client.closed).isEqualTo(CloseReason.NORMAL);
    assertThat(server.closed).isEqualTo(CloseReason.NORMAL);
    assertThat(client.received).isEqualTo(octets);
    assertThat(server.received).isEqualTo(octets);
    assertThat(connection.remoteAddress()).as("after the end").isEqualTo(to);
  }

  private static Peer peer(int octets) {
    return new Peer(new OctetPattern(1), new OctetPattern(1), octets, 0, 1);
  }

  private void expectEveryPacketBack() {
    ours.close();
    theirs.close();
    link[0].close();
    link[1].close();
    assertThat(ourPool.available()).isEqualTo(ourPool.capacity());
    assertThat(theirPool.available()).isEqualTo(theirPool.capacity());
  }

  @Test
  void shouldFindTheNeighbourAndTransfer() {
    transfer(THEIRS, 1_000_000);
    assertThat(ours.ipCounters().solicitations).isEqualTo(1);
    assertThat(theirs.ipCounters().advertisements).isEqualTo(1);
    assertThat(ours.ipCounters().arpRequests).isZero();
    assertThat(ours.counters().checksumErrors + theirs.counters().checksumErrors).isZero();
    assertThat(ours.counters().retransmitted).isZero();
    assertThat(ours.connections()).isEqualTo(1);
    expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 8200 8.1, 8.3: the checksum covers both addresses; the MSS leaves 40 octets")
  void shouldWriteHeadersOfIpv6() {
    transfer(THEIRS, 100_000);
    long memory = Memory.allocate(2048);
    long ip = memory + Ethernet.HEADER;
    long tcp = ip + Ipv6.HEADER;
    int longest = 0;
    int label = -1;
    for (byte[] frame : frames) {
      Memory.copy(frame, 0, memory, frame.length);
      assertThat(Ethernet.type(memory)).isEqualTo(Ethernet.TYPE_IPV6);
      int length = Ipv6.payloadLength(ip);
      longest = Math.max(longest, Ipv6.HEADER + length);
      boolean sent = Ipv6.sourceLow(ip) == OURS.low();
      if (Ipv6.nextHeader(ip) == Ipv4.PROTOCOL_TCP && sent) {
        long sum =
            Checksum.pseudoHeader(
                OURS.high(), OURS.low(), THEIRS.high(), THEIRS.low(), Ipv4.PROTOCOL_TCP, length);
        assertThat(Tcp.intact(tcp, length, sum)).isTrue();
        assertThat(Ipv6.hopLimit(ip)).isEqualTo(64);
        assertThat(label).as("RFC 6437: one label").isIn(-1, Ipv6.flowLabel(ip));
        label = Ipv6.flowLabel(ip);
        if ((Tcp.flags(tcp) & Tcp.SYN) != 0) {
          assertThat(Memory.getInt(tcp + Tcp.HEADER)).as("MSS").isEqualTo(0x0204_0000 | 1440);
        }
      }
    }
    assertThat(longest).isEqualTo(1500);
    assertThat(label).isPositive();
  }

  @Test
  @DisplayName("RFC 8200 8.1: a card that computes checksums finds the pseudo header's sum")
  void shouldLeaveChecksumsToTheCard() {
    OffloadingDevice card = new OffloadingDevice(link[0], Offloads.CHECKSUM | Offloads.VERDICT);
    start(card, TcpSettings.DEFAULTS);
    transfer(THEIRS, 100_000);
    assertThat(card.completed).isGreaterThan(70);
    assertThat(ours.counters().checksumErrors + theirs.counters().checksumErrors).isZero();
    expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 8201 5.2: a card that can cuts the segments that the path no longer carries")
  void shouldLeaveCuttingToTheCard() {
    FrameDevice captured =
        new CapturedDevice(
            link[0], (sent, address, length) -> frames.add(Memory.bytes(address, length)));
    OffloadingDevice card =
        new OffloadingDevice(captured, Offloads.CHECKSUM | Offloads.SEGMENTATION);
    start(card, TcpSettings.DEFAULTS);
    Peer client = peer(50_000);
    Peer server = peer(50_000);
    theirs.listen(7, (stream, address, port) -> server);
    ours.connect(THEIRS, 7, client);
    boolean told = false;
    long deadline = now + 600 * SECOND;
    while (client.closed == null || server.closed == null) {
      turn(ours);
      byte[] last = frames.isEmpty() ? new byte[0] : frames.getLast();
      if (!told && last.length == Ethernet.HEADER + 1500) {
        told = true;
        tellTooBig(last, 1280);
        loseEverythingFor(2 * SECOND);
      }
      turn(theirs);
      now += MILLISECOND / 10;
      assertThat(now).as("still at it").isLessThan(deadline);
    }
    assertThat(server.wrong).isNull();
    assertThat(server.received).isEqualTo(50_000);
    assertThat(ours.counters().pathMtuLowered).isEqualTo(1);
    assertThat(card.cut).isPositive();
    assertThat(ours.counters().split).isZero();
    expectEveryPacketBack();
  }

  /** A claim counts once the retransmission timer has confirmed it (RFC 5927 section 7.2). */
  private void loseEverythingFor(long duration) {
    long[] burst = new long[64];
    for (long end = now + duration; now < end; now += MILLISECOND) {
      turn(ours);
      for (int i = link[1].receive(burst) - 1; i >= 0; i--) {
        theirPool.release(burst[i]);
      }
    }
  }

  /** The peer reports that a frame of ours is longer than the path's MTU. */
  private void tellTooBig(byte[] frame, int mtu) {
    int quoted = 100;
    int length = Icmpv6.HEADER + quoted;
    long packet = theirPool.allocate();
    long start = theirPool.address(packet);
    long ip = start + Ethernet.HEADER;
    long message = ip + Ipv6.HEADER;
    Ethernet.write(start, link[0].macAddress(), link[1].macAddress(), Ethernet.TYPE_IPV6);
    Ipv6.write(
        ip, length, Ipv6.ICMPV6, 64, 0, 0, THEIRS.high(), THEIRS.low(), OURS.high(), OURS.low());
    Icmpv6.write(message, Icmpv6.PACKET_TOO_BIG, 0, mtu);
    for (int i = 0; i < quoted; i++) {
      Memory.putByte(message + Icmpv6.HEADER + i, frame[Ethernet.HEADER + i]);
    }
    Icmpv6.complete(message, length, Icmpv6.pseudoHeader(ip, length));
    theirPool.window(packet, start, Ethernet.HEADER + Ipv6.HEADER + length);
    assertThat(link[1].transmit(new long[] {packet}, 0, 1)).isEqualTo(1);
  }

  @Test
  void shouldServeBothFamiliesAtOnePort() {
    transfer(THEIRS, 50_000);
    transfer(Ipv4Address.parse("10.0.0.2"), 50_000);
    assertThat(ours.ipCounters().arpRequests).isEqualTo(1);
    expectEveryPacketBack();
  }

  @Test
  void shouldTransferWithoutIpv4() {
    ours = stack(link[0], 1, new InterfaceAddress(network(1)), TcpSettings.DEFAULTS);
    transfer(THEIRS, 50_000);
    theirs = stack(link[1], 2, new InterfaceAddress(network(2)), TcpSettings.DEFAULTS);
    transfer(THEIRS, 50_000);
    assertThat(ours.ipCounters().arpRequests + theirs.ipCounters().arpReplies).isZero();
    assertThatThrownBy(() -> ours.connect(Ipv4Address.parse("10.0.0.2"), 7, peer(0)))
        .isInstanceOf(NoRouteException.class)
        .hasMessage(
            "10.0.0.2 is IPv4, and the interface has no IPv4 address: connect to another address of the host, or give the interface one");
    expectEveryPacketBack();
  }

  @Test
  void shouldSayThatIpv6IsMissing() {
    InterfaceAddress ipv4 = new InterfaceAddress(Ipv4Address.parse("10.0.0.1"), 24);
    ours = stack(link[0], 1, ipv4, TcpSettings.DEFAULTS);
    assertThatThrownBy(() -> ours.connect(THEIRS, 7, peer(0)))
        .isInstanceOf(NoRouteException.class)
        .hasMessageContaining("is IPv6, and the interface has no IPv6 address");
  }

  @Test
  void shouldTransferBetweenLinkLocalAddresses() {
    Ipv6Address local = network(2).linkLocal(link[1].macAddress());
    assertThat(local.linkLocal()).isTrue();
    transfer(local, 50_000);
    expectEveryPacketBack();
  }

  @Test
  void shouldConnectToItself() {
    Peer client = peer(100_000);
    Peer server = peer(100_000);
    ours.listen(7, (stream, address, port) -> server);
    ours.connect(OURS, 7, client);
    while (client.closed == null || server.closed == null) {
      turn();
    }
    assertThat(client.wrong).isNull();
    assertThat(server.received).isEqualTo(100_000);
    assertThat(frames).isEmpty();
    expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 4862 5.4: addresses are checked before they are used")
  void shouldConnectOnceTheAddressIsChecked() {
    ours.announce(now);
    theirs.announce(now);
    transfer(THEIRS, 1000);
    assertThat(ours.counters().retransmitted).as("the SYN").isPositive();
    assertThat(ours.ipCounters().addressConflicts).isZero();
    assertThat(ours.ipCounters().listenerReports).isEqualTo(2);
    expectEveryPacketBack();
  }

  @Test
  @DisplayName("RFC 4862 5.4.3: two hosts that check one address at a time do not both give it up")
  void shouldGiveAnAddressToOneOfTwoHostsThatBeginTogether() {
    theirs = stack(link[1], 2, new InterfaceAddress(network(1)), TcpSettings.DEFAULTS);
    ours.announce(now);
    theirs.announce(now);
    long end = now + 60 * SECOND;
    while (now < end) {
      turn();
      now += 10 * MILLISECOND;
    }
    assertThat(ours.ipCounters().addressConflicts).isPositive();
    assertThat(theirs.ipCounters().addressConflicts).isPositive();
    assertThat(ours.ipCounters().addressDuplicates + theirs.ipCounters().addressDuplicates)
        .isEqualTo(1);
    expectEveryPacketBack();
  }

  @Test
  void shouldRefuseWhatItCannotReach() {
    Peer client = peer(0);
    assertThatThrownBy(() -> ours.connect(Ipv6Address.parse("2001:db8:1::1"), 7, client))
        .isInstanceOf(NoRouteException.class)
        .hasMessageContaining("2001:db8:1::1 is not in the interface's network");
    assertThatThrownBy(() -> ours.connect(Ipv6Address.parse("ff02::1"), 7, client))
        .isInstanceOf(NoRouteException.class);
    assertThatThrownBy(() -> ours.connect(Ipv6Address.parse("::ffff:10.0.0.2"), 7, client))
        .isInstanceOf(NoRouteException.class);
  }

  @Test
  @DisplayName("RFC 4987: cookies work for 128-bit addresses")
  void shouldAcceptByCookie() {
    TcpSettings settings = TcpSettings.DEFAULTS.withBacklog(1).withPeerBacklog(1);
    start(link[0], settings);
    Peer first = peer(10_000);
    Peer second = peer(10_000);
    List<Peer> servers = new ArrayList<>();
    theirs.listen(
        7,
        (stream, address, port) -> {
          servers.add(peer(10_000));
          return servers.getLast();
        });
    ours.connect(THEIRS, 7, first);
    ours.connect(THEIRS, 7, second);
    long deadline = now + 60 * SECOND;
    while (first.closed == null || second.closed == null) {
      turn();
      assertThat(now).isLessThan(deadline);
    }
    assertThat(first.closed).isEqualTo(CloseReason.NORMAL);
    assertThat(second.closed).isEqualTo(CloseReason.NORMAL);
    assertThat(theirs.counters().synCookiesAccepted).isPositive();
    assertThat(servers).hasSize(2).allSatisfy(each -> assertThat(each.received).isEqualTo(10_000));
  }

  @Test
  void shouldServeSoManyThatBurstsArePrefetched() {
    int count = 1200;
    start(link[0], TcpSettings.DEFAULTS.withPeerConnections(count).withPeerBacklog(count));
    List<Peer> clients = new ArrayList<>();
    List<Peer> servers = new ArrayList<>();
    theirs.listen(
        7,
        (stream, address, port) -> {
          servers.add(peer(2000));
          return servers.getLast();
        });
    for (int i = 0; i < count; i++) {
      clients.add(peer(2000));
      ours.connect(THEIRS, 7, clients.getLast());
      turn();
    }
    assertThat(theirs.connections()).isGreaterThan(1024);
    long deadline = now + 600 * SECOND;
    while (clients.stream().anyMatch(each -> each.closed == null)) {
      turn();
      assertThat(now).isLessThan(deadline);
    }
    assertThat(clients).allSatisfy(each -> assertThat(each.received).isEqualTo(2000));
    assertThat(servers).hasSize(count);
    expectEveryPacketBack();
  }

  @ParameterizedTest
  @CsvSource({"3, 3, 3", "3, 40, 24"})
  @DisplayName("A network of 64 bits may have eight times the connections of an address")
  void shouldLimitTheNetworkOfAPeer(int limit, int attempts, int allowed) {
    start(link[0], TcpSettings.DEFAULTS.withPeerConnections(limit));
    int opened = 0;
    for (int i = 0; i < attempts; i++) {
      Ipv6Address remote = attempts == limit ? THEIRS : new Ipv6Address(OURS.high(), 100 + i);
      try {
        ours.connect(remote, 7, peer(0));
        opened++;
      } catch (IllegalStateException refused) {
        assertThat(refused).hasMessageContaining("the limit of");
      }
    }
    assertThat(opened).isEqualTo(allowed);
    ours.close();
  }
}
