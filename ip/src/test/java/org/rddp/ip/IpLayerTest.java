package org.rddp.ip;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.rddp.device.NativePacketPool;
import org.rddp.device.ScriptedDevice;
import org.rddp.group.StackGroup;
import org.rddp.wire.Arp;
import org.rddp.wire.Checksum;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv4;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;

/** IP (RFC 791), ARP (RFC 826) and ICMP (RFC 792) on one interface. */
class IpLayerTest {
  private static final long SECOND = 1_000_000_000L;
  private static final int OURS = Ipv4Address.parse("10.0.0.1").bits();
  private static final int PEER = Ipv4Address.parse("10.0.0.2").bits();
  private static final int GATEWAY = Ipv4Address.parse("10.0.0.254").bits();
  private static final int FAR = Ipv4Address.parse("192.0.2.7").bits();
  private static final long PEER_MAC = 0x02_00_00_00_00_02L;
  private static final long OTHER_MAC = 0x02_00_00_00_00_66L;
  private static final int PAYLOAD = 40;

  private final NativePacketPool pool = new NativePacketPool(64, 2048);
  private final ScriptedDevice device = new ScriptedDevice(pool, 1500);
  private final List<String> heard = new ArrayList<>();
  private final TransportHandler transport =
      new TransportHandler() {
        @Override
        public boolean wantsPrefetch() {
          return ahead;
        }

        @Override
        public void addToPrefetch(int source, long address, int length) {
          heard.add("expect " + new Ipv4Address(source) + " " + length);
        }

        @Override
        public void prefetch() {
          heard.add("look");
        }

        @Override
        public void onDatagram(
            int source, long sum, long mac, int ecn, long address, int length, long packet) {
          lastEcn = ecn;
          heard.add(new Ipv4Address(source) + " " + length);
        }

        @Override
        public void onUnreachable(
            int code, Path path, int localPort, int remotePort, int sequence) {
          heard.add(
              "unreachable " + code + " " + path.remote() + " " + localPort + " " + remotePort);
        }

        @Override
        public void onTooBig(Path path, int mtu, int localPort, int remotePort, int sequence) {
          heard.add("too big " + mtu + " " + path.remote() + " " + localPort + " " + remotePort);
        }

        @Override
        public void onPathMtu(Path path) {
          heard.add("path " + path.mtu() + " " + path.remote());
        }
      };
  private final IpLayer ip =
      new IpLayer(
          device,
          new InterfaceAddress(
              new Ipv4Address(OURS), 24, Optional.of(new Ipv4Address(GATEWAY)), 1400),
          StackGroup.alone(),
          transport,
          new SplittableRandom(1));
  private final long frame = Memory.allocate(4096);
  private long now;
  private int lastEcn;
  private boolean ahead;

  private void receive(int length) {
    device.put(Memory.bytes(frame, length));
    ip.receive(now);
    ip.transmit();
  }

  private void arp(int operation, long senderMac, int sender, int target) {
    long destination = operation == Arp.REPLY ? ScriptedDevice.OUR_MAC : Ethernet.BROADCAST;
    Ethernet.write(frame, destination, senderMac, Ethernet.TYPE_ARP);
    Arp.write(frame + Ethernet.HEADER, operation, senderMac, sender, 0, target);
    receive(Ethernet.HEADER + Arp.LENGTH);
  }

  private void packet(int protocol, int source, int destination) {
    Ethernet.write(frame, ScriptedDevice.OUR_MAC, PEER_MAC, Ethernet.TYPE_IPV4);
    int total = Ipv4.HEADER + PAYLOAD;
    Ipv4.write(frame + Ethernet.HEADER, total, protocol, source, destination);
  }

  private Path open(int remote) {
    return open(ip, remote);
  }

  private static Path open(IpLayer ip, int remote) {
    Path path = ip.path(remote);
    assertThat(path.open()).isTrue();
    return path;
  }

  private void send(Path path) {
    long packet = pool.allocate();
    path.send(packet, pool.address(packet), PAYLOAD, Ipv4.NOT_ECT, now);
    ip.transmit();
  }

  /** The next frame sent, copied to where the views look; its length, 0 for none. */
  private int sent() {
    byte[] next = device.take();
    if (next == null) {
      return 0;
    }
    Memory.copy(next, 0, frame, next.length);
    return next.length;
  }

  private void expectRequest(int target) {
    expectRequest(Ethernet.BROADCAST, target);
  }

  private void expectRequest(long mac, int target) {
    assertThat(sent()).isEqualTo(Ethernet.HEADER + Arp.LENGTH);
    assertThat(Ethernet.destination(frame)).isEqualTo(mac);
    assertThat(Arp.operation(frame + Ethernet.HEADER)).isEqualTo(Arp.REQUEST);
    assertThat(Arp.targetIp(frame + Ethernet.HEADER)).isEqualTo(target);
    assertThat(Arp.senderIp(frame + Ethernet.HEADER)).isEqualTo(OURS);
  }

  private void expectPacket(long mac, int destination) {
    assertThat(sent()).isEqualTo(Ethernet.HEADER + Ipv4.HEADER + PAYLOAD);
    assertThat(Ethernet.type(frame)).isEqualTo(Ethernet.TYPE_IPV4);
    assertThat(Ethernet.destination(frame)).isEqualTo(mac);
    assertThat(Ipv4.destination(frame + Ethernet.HEADER)).isEqualTo(destination);
  }

  @Test
  void shouldAskForAnAddressAndSendWhatWaitedForIt() {
    Path peer = open(PEER);
    send(peer);
    send(peer);
    expectRequest(PEER);
    assertThat(sent()).isZero();
    arp(Arp.REPLY, PEER_MAC, PEER, OURS);
    expectPacket(PEER_MAC, PEER);
    expectPacket(PEER_MAC, PEER);
    send(peer);
    expectPacket(PEER_MAC, PEER);
    assertThat(pool.available()).isEqualTo(pool.capacity());
  }

  @Test
  void shouldLetOnlySoManyPacketsWait() {
    Path peer = open(PEER);
    for (int i = 0; i < 10; i++) {
      send(peer);
    }
    assertThat(pool.available()).isEqualTo(pool.capacity() - 4);
    assertThat(ip.counters().unresolved).isEqualTo(6);
  }

  @Test
  void shouldAskThreeTimesAndGiveUp() {
    send(open(PEER));
    for (int i = 0; i < 3; i++) {
      expectRequest(PEER);
      now += SECOND;
      assertThat(ip.nextDeadline()).isEqualTo(now);
      ip.advance(now);
      ip.transmit();
    }
    assertThat(sent()).isZero();
    assertThat(ip.counters().unresolved).isEqualTo(1);
    assertThat(pool.available()).isEqualTo(pool.capacity());
    assertThat(ip.nextDeadline()).isEqualTo(Long.MAX_VALUE);
    send(open(PEER));
    expectRequest(PEER);
  }

  @Test
  void shouldConfirmAnAddressAfterAMinuteOfUseAndKeepUsingItMeanwhile() {
    Path peer = open(PEER);
    send(peer);
    expectRequest(PEER);
    arp(Arp.REPLY, PEER_MAC, PEER, OURS);
    expectPacket(PEER_MAC, PEER);
    now += 60 * SECOND;
    send(peer);
    expectRequest(PEER_MAC, PEER);
    expectPacket(PEER_MAC, PEER);
    arp(Arp.REPLY, PEER_MAC, PEER, OURS);
    now += 60 * SECOND;
    send(peer);
    expectRequest(PEER_MAC, PEER);
    expectPacket(PEER_MAC, PEER);
  }

  @Test
  void shouldAnswerARequestForOurAddressAndLearnNothingFromIt() {
    arp(Arp.REQUEST, PEER_MAC, PEER, OURS);
    assertThat(sent()).isEqualTo(Ethernet.HEADER + Arp.LENGTH);
    assertThat(Ethernet.destination(frame)).isEqualTo(PEER_MAC);
    assertThat(Arp.operation(frame + Ethernet.HEADER)).isEqualTo(Arp.REPLY);
    assertThat(Arp.senderMac(frame + Ethernet.HEADER)).isEqualTo(ScriptedDevice.OUR_MAC);
    assertThat(Arp.targetIp(frame + Ethernet.HEADER)).isEqualTo(PEER);
    send(open(PEER));
    expectRequest(PEER);
  }

  @Test
  void shouldNotAnswerARequestForAnotherAddress() {
    arp(Arp.REQUEST, PEER_MAC, PEER, GATEWAY);
    assertThat(sent()).isZero();
  }

  @Test
  void shouldIgnoreAReplyThatItDidNotAskFor() {
    arp(Arp.REPLY, OTHER_MAC, PEER, OURS);
    Path peer = open(PEER);
    send(peer);
    expectRequest(PEER);
    arp(Arp.REPLY, PEER_MAC, PEER, OURS);
    expectPacket(PEER_MAC, PEER);
    arp(Arp.REPLY, OTHER_MAC, PEER, OURS);
    send(peer);
    expectPacket(PEER_MAC, PEER);
  }

  @Test
  void shouldSendToTheGatewayWhatIsNotOnTheLink() {
    Path far = open(FAR);
    assertThat(far.hop).isSameAs(open(GATEWAY).hop);
    send(far);
    expectRequest(GATEWAY);
    arp(Arp.REPLY, OTHER_MAC, GATEWAY, OURS);
    expectPacket(OTHER_MAC, FAR);
  }

  @Test
  void shouldForgetNeighboursThatNobodyUsesWhenThereAreTooMany() {
    IpLayer wide =
        new IpLayer(
            device,
            new InterfaceAddress(new Ipv4Address(OURS), 8),
            StackGroup.alone(),
            transport,
            new SplittableRandom(1));
    Neighbour used = open(wide, PEER).hop;
    for (int i = 0; i < 5000; i++) {
      open(wide, PEER + 1 + i).close();
    }
    assertThat(wide.path(PEER).route()).isSameAs(used);
    for (int i = 0; i < 1023; i++) {
      open(wide, PEER + 10_000 + i);
    }
    assertThat(wide.path(PEER + 20_000).open()).isFalse();
  }

  @Test
  void shouldHaveOnePathToAnAddress() {
    Path kept = ip.path(PEER);
    kept.acquire();
    for (int i = 1; i <= 5000; i++) {
      Path other = ip.path(PEER + i);
      assertThat(ip.path(PEER + i)).isSameAs(other);
    }
    assertThat(ip.path(PEER)).isSameAs(kept);
    assertThat(ip.path(new Ipv4Address(PEER))).isSameAs(kept);
    kept.release();
    assertThat(ip.path(PEER).remote()).isEqualTo(new Ipv4Address(PEER));
  }

  @Test
  void shouldHandUpTcpPackets() {
    packet(Ipv4.PROTOCOL_TCP, PEER, OURS);
    receive(Ethernet.HEADER + Ipv4.HEADER + PAYLOAD + 6);
    assertThat(heard).containsExactly("10.0.0.2 40");
    assertThat(pool.available()).isEqualTo(pool.capacity());
  }

  @Test
  @DisplayName("RFC 3168 5: the ECN codepoint of a packet is handed up")
  void shouldHandUpTheEcnCodepoint() {
    packet(Ipv4.PROTOCOL_TCP, PEER, OURS);
    int total = Ipv4.HEADER + PAYLOAD;
    Ipv4.write(frame + Ethernet.HEADER, total, Ipv4.PROTOCOL_TCP, PEER, OURS, Ipv4.CE);
    receive(Ethernet.HEADER + total);
    assertThat(heard).containsExactly("10.0.0.2 40");
    assertThat(lastEcn).isEqualTo(Ipv4.CE);
  }

  @Test
  @DisplayName("RFC 3168 5: the transport chooses the ECN codepoint, and the checksum covers it")
  void shouldSendWithTheEcnCodepoint() {
    Path peer = open(PEER);
    long packet = pool.allocate();
    peer.send(packet, pool.address(packet), PAYLOAD, Ipv4.ECT_0, now);
    ip.transmit();
    expectRequest(PEER);
    arp(Arp.REPLY, PEER_MAC, PEER, OURS);
    expectPacket(PEER_MAC, PEER);
    assertThat(Ipv4.ecn(frame + Ethernet.HEADER)).isEqualTo(Ipv4.ECT_0);
    assertThat(Ipv4.intact(frame + Ethernet.HEADER)).isTrue();
  }

  @Test
  void shouldSkipIpOptions() {
    packet(Ipv4.PROTOCOL_TCP, PEER, OURS);
    long header = frame + Ethernet.HEADER;
    Memory.putByte(header, 0x46);
    Memory.putInt(header + Ipv4.HEADER, 0x01010101);
    Memory.putShort(header + 10, 0);
    Memory.putShort(header + 10, Checksum.field(Checksum.sum(header, 24)));
    receive(Ethernet.HEADER + Ipv4.HEADER + PAYLOAD);
    assertThat(heard).containsExactly("10.0.0.2 36");
  }

  @Test
  void shouldDropAndCountWhatIsNotForUsOrNotSound() {
    int length = Ethernet.HEADER + Ipv4.HEADER + PAYLOAD;
    packet(Ipv4.PROTOCOL_TCP, PEER, PEER + 1);
    receive(length);
    packet(Ipv4.PROTOCOL_TCP, OURS, OURS);
    receive(length);
    packet(Ipv4.PROTOCOL_TCP, Ipv4Address.parse("10.0.0.255").bits(), OURS);
    receive(length);
    packet(Ipv4.PROTOCOL_TCP, Ipv4Address.parse("224.0.0.1").bits(), OURS);
    receive(length);
    assertThat(ip.counters().addressErrors).isEqualTo(4);
    packet(Ipv4.PROTOCOL_TCP, PEER, OURS);
    Memory.putByte(frame + Ethernet.HEADER + 8, 3);
    receive(length);
    assertThat(ip.counters().checksumErrors).isEqualTo(1);
    packet(Ipv4.PROTOCOL_TCP, PEER, OURS);
    receive(length - 1);
    receive(10);
    assertThat(ip.counters().malformed).isEqualTo(2);
    packet(17, PEER, OURS);
    receive(length);
    assertThat(ip.counters().unknownProtocols).isEqualTo(1);
    packet(Ipv4.PROTOCOL_TCP, PEER, OURS);
    Ethernet.write(frame, OTHER_MAC, PEER_MAC, Ethernet.TYPE_IPV4);
    receive(length);
    Ethernet.write(frame, Ethernet.BROADCAST, PEER_MAC, Ethernet.TYPE_IPV4);
    receive(length);
    Ethernet.write(frame, ScriptedDevice.OUR_MAC, PEER_MAC, 0x86dd);
    receive(length);
    assertThat(ip.counters().framesIgnored).isEqualTo(3);
    assertThat(heard).isEmpty();
    assertThat(pool.available()).isEqualTo(pool.capacity());
  }

  @Test
  void shouldAnswerAnEchoWithoutKnowingTheNeighbour() {
    packet(Ipv4.PROTOCOL_ICMP, FAR, OURS);
    long message = frame + Ethernet.HEADER + Ipv4.HEADER;
    Memory.fill(message, PAYLOAD, 0x5a);
    Memory.putInt(message, Icmpv4.ECHO << 24);
    Memory.putShort(message + 2, Checksum.field(Checksum.sum(message, PAYLOAD)));
    receive(Ethernet.HEADER + Ipv4.HEADER + PAYLOAD);
    expectPacket(PEER_MAC, FAR);
    assertThat(Ipv4.source(frame + Ethernet.HEADER)).isEqualTo(OURS);
    assertThat(Icmpv4.type(message)).isEqualTo(Icmpv4.ECHO_REPLY);
    assertThat(Icmpv4.wellFormed(message, PAYLOAD)).isTrue();
    assertThat(Memory.getByte(message + PAYLOAD - 1)).isEqualTo(0x5a);
    assertThat(pool.available()).isEqualTo(pool.capacity());
  }

  @Test
  void shouldHandUpWhatAnIcmpErrorIsAbout() {
    packet(Ipv4.PROTOCOL_ICMP, PEER, OURS);
    long message = frame + Ethernet.HEADER + Ipv4.HEADER;
    Memory.fill(message, PAYLOAD, 0);
    Memory.putShort(message, (Icmpv4.UNREACHABLE << 8) | Icmpv4.PORT_UNREACHABLE);
    Ipv4.write(message + Icmpv4.HEADER, 500, Ipv4.PROTOCOL_TCP, OURS, FAR);
    Memory.putInt(message + Icmpv4.HEADER + Ipv4.HEADER, 50_000 << 16 | 7);
    Memory.putShort(message + 2, Checksum.field(Checksum.sum(message, PAYLOAD)));
    receive(Ethernet.HEADER + Ipv4.HEADER + PAYLOAD);
    assertThat(heard).containsExactly("unreachable 3 192.0.2.7 50000 7");
    Memory.putByte(message + 30, 1);
    receive(Ethernet.HEADER + Ipv4.HEADER + PAYLOAD);
    assertThat(ip.counters().checksumErrors).isEqualTo(1);
  }

  @Test
  @Tag("MPAA-5.1-01")
  @Tag("D03-13.2-03")
  void shouldSetDontFragment() {
    Path peer = open(PEER);
    send(peer);
    expectRequest(PEER);
    arp(Arp.REPLY, PEER_MAC, PEER, OURS);
    expectPacket(PEER_MAC, PEER);
    assertThat(Ipv4.dontFragment(frame + Ethernet.HEADER)).isTrue();
  }

  @Test
  void shouldTakeTheLeastOfTheMtus() {
    assertThat(ip.mtu()).isEqualTo(1400);
    InterfaceAddress any = new InterfaceAddress(new Ipv4Address(OURS), 24);
    assertThat(
            new IpLayer(device, any, StackGroup.alone(), transport, new SplittableRandom(1)).mtu())
        .isEqualTo(1500);
    ScriptedDevice jumbo = new ScriptedDevice(pool, 9000);
    assertThat(
            new IpLayer(jumbo, any, StackGroup.alone(), transport, new SplittableRandom(1)).mtu())
        .isEqualTo(2048 - Ethernet.HEADER);
  }

  @Test
  void shouldGiveBackWhatWaitsOnClose() {
    send(open(PEER));
    device.accepts = 0;
    arp(Arp.REQUEST, PEER_MAC, PEER, OURS);
    assertThat(pool.available()).isLessThan(pool.capacity());
    ip.close();
    assertThat(pool.available()).isEqualTo(pool.capacity());
  }

  @Test
  void shouldReadAddresses() {
    assertThat(Ipv4Address.parse("255.0.10.1").bits()).isEqualTo(0xff000a01);
    assertThat(Ipv4Address.parse("255.0.10.1")).hasToString("255.0.10.1");
    for (String wrong :
        List.of(
            "",
            "1.2.3",
            "1.2.3.4.5",
            "1.2.3.256",
            "1..2.3",
            "1.2.3.x",
            "1.2.3.",
            "1.2.3.0004",
            " 1.2.3.4")) {
      assertThatThrownBy(() -> Ipv4Address.parse(wrong))
          .as(wrong)
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(Ipv4Address.parse("224.0.0.1").unicast()).isFalse();
    assertThat(Ipv4Address.parse("0.0.0.0").unicast()).isFalse();
  }

  @Test
  void shouldRefuseImpossibleInterfaces() {
    Ipv4Address host = new Ipv4Address(OURS);
    assertThatThrownBy(() -> new InterfaceAddress(host, 33))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new InterfaceAddress(host, 24, Optional.empty(), 67))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new InterfaceAddress(Ipv4Address.parse("255.255.255.255"), 24))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void shouldReportTheTransportOfABurstBeforeItsPackets() {
    ahead = true;
    packet(Ipv4.PROTOCOL_TCP, PEER, OURS);
    byte[] whole = Memory.bytes(frame, Ethernet.HEADER + Ipv4.HEADER + PAYLOAD);
    device.put(whole);
    device.put(Memory.bytes(frame, Ethernet.HEADER + Ipv4.HEADER + PAYLOAD - 1));
    device.put(Memory.bytes(frame, Ethernet.HEADER - 1));
    Ipv4.write(frame + Ethernet.HEADER, Ipv4.HEADER + 7, Ipv4.PROTOCOL_TCP, PEER, OURS);
    device.put(Memory.bytes(frame, Ethernet.HEADER + Ipv4.HEADER + 7));
    device.put(whole);
    ip.receive(now);
    assertThat(heard)
        .containsExactly(
            "expect 10.0.0.2 40",
            "expect 10.0.0.2 7",
            "expect 10.0.0.2 40",
            "look",
            "10.0.0.2 40",
            "10.0.0.2 7",
            "10.0.0.2 40");
  }

  @Test
  void shouldReportNothingOfASinglePacket() {
    ahead = true;
    packet(Ipv4.PROTOCOL_TCP, PEER, OURS);
    receive(Ethernet.HEADER + Ipv4.HEADER + PAYLOAD);
    assertThat(heard).containsExactly("10.0.0.2 40");
  }

  @Test
  void shouldReleaseEveryPacketOfABurstWhoseProcessingFails() {
    IpScript script = new IpScript();
    script.failure = new IllegalStateException("the transport has failed");
    for (int i = 0; i < 3; i++) {
      script.build(Ipv4.PROTOCOL_TCP, IpScript.PEER, 40, 0);
      script.put();
    }
    assertThatThrownBy(() -> script.ip.receive(script.now)).isSameAs(script.failure);
    assertThat(script.heard).hasSize(1);
    script.expectEveryPacketBack();
  }
}
