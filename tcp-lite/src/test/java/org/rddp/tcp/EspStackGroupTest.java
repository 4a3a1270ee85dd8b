package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntSupplier;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.device.FlowSteering;
import org.rddp.device.FrameDevice;
import org.rddp.device.SteeredDevice;
import org.rddp.group.StackGroup;
import org.rddp.group.StackMember;
import org.rddp.ip.AssociationDatabase;
import org.rddp.ip.AssociationSettings;
import org.rddp.ip.EspCounters;
import org.rddp.ip.HostAddress;
import org.rddp.ip.IpSecurity;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.PolicyAction;
import org.rddp.ip.SecurityPolicy;
import org.rddp.ip.UsedKeys;
import org.rddp.ip.esp.EspSuite;
import org.rddp.ip.esp.JceCiphers;
import org.rddp.simulation.ImpairedDevice;
import org.rddp.simulation.WireSettings;
import org.rddp.wire.Esp;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Icmpv4;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Memory;
import org.rddp.wire.Toeplitz;

/**
 * Several stacks with one address that share security associations, and a host with one stack.
 * Everything must be in ESP. Packets of one come to several queues, as with RFC 9611.
 */
class EspStackGroupTest extends GroupedStacks {
  private static final int SPI = 0x1000;
  private static final SecurityPolicy POLICY = new SecurityPolicy(List.of(), PolicyAction.REQUIRE);

  private AssociationDatabase associations;

  EspStackGroupTest() {
    theirs = stack(link[1], 2, StackGroup.alone(), associations(2, 1), 0);
  }

  private static HostAddress address(boolean ipv6, int host) {
    return HostAddress.parse((ipv6 ? "2001:db8::" : "10.0.0.") + host);
  }

  private static AssociationDatabase associations(int host, int stacks) {
    return new AssociationDatabase(
        List.of(address(false, host), address(true, host)),
        new JceCiphers(),
        new UsedKeys(new byte[] {1}),
        stacks);
  }

  private TcpStack stack(
      FrameDevice below, int host, StackMember member, AssociationDatabase shared, int number) {
    return new TcpStack(
        below,
        interfaceAddress(host),
        TcpSettings.DEFAULTS.withTimeWait(MILLISECOND),
        member,
        new IpSecurity(POLICY, shared, number),
        random.split(),
        now);
  }

  /** Begins with so many stacks, and a share of our packets that comes twice. */
  private void start(int stacks, double duplicate, IntSupplier queue) {
    byte[] key = new byte[40];
    random.nextBytes(key);
    FlowSteering steering = new FlowSteering(new Toeplitz(key), FlowSteering.evenTable(stacks));
    FrameDevice below =
        new ImpairedDevice(link[0], 5, WireSettings.PERFECT.withDuplicate(duplicate));
    device = new SteeredDevice(below, stacks, steering);
    device.steerSealed(queue);
    associations = associations(1, stacks);
    StackGroup group = new StackGroup(stacks);
    for (int i = 0; i < stacks; i++) {
      ours.add(stack(device.queue(i), 1, group.member(i), associations, i));
    }
  }

  /** Adds an association for each direction, by one of our stacks. */
  private void associate(int by, boolean ipv6, boolean tunnel, EspSuite suite, int spi) {
    for (int from = 1; from <= 2; from++) {
      HostAddress source = address(ipv6, from);
      HostAddress destination = address(ipv6, 3 - from);
      byte[] keys = new byte[suite.keyOctets()];
      random.nextBytes(keys);
      for (TcpStack each : List.of(ours.get(by), theirs)) {
        HostAddress peer = address(ipv6, each.equals(theirs) ? 1 : 2);
        each.security()
            .add(
                AssociationSettings.usual(spi + from, source, destination, tunnel, suite, peer),
                keys,
                0,
                now);
      }
    }
  }

  private long sum(ToLongFunction<EspCounters> counter) {
    return ours.stream().mapToLong(each -> counter.applyAsLong(each.security().counters())).sum();
  }

  /** Packets that the other host has sealed, less those that waited in vain for a MAC address. */
  private long arrived() {
    return theirs.security().counters().sealed - theirs.ipCounters().unresolved;
  }

  private long handedOver() {
    return ours.stream().mapToLong(each -> each.ipCounters().handedOver).sum();
  }

  @ParameterizedTest(name = "{0}, IPv6 {1}, tunnel {2}")
  @CsvSource({
    "AES128_GCM16, false, false",
    "AES256_GCM16, true, true",
    "AES128_SHA256, true, false",
    "NULL_SHA1, false, true"
  })
  @DisplayName("each number is used once, and each packet is opened once, whatever its queue")
  void shouldShareAssociations(EspSuite suite, boolean ipv6, boolean tunnel) {
    SplittableRandom queues = new SplittableRandom(3);
    start(3, 0.2, () -> queues.nextInt(3));
    associate(1, ipv6, tunnel, suite, SPI);
    finish(connectOut(address(ipv6, 2)));
    EspCounters far = theirs.security().counters();
    assertThat(far.replayed + far.forged + far.mismatched).as("at the other host").isZero();
    assertThat(far.opened).isEqualTo(sum(each -> each.sealed));
    assertThat(ours).allSatisfy(each -> assertThat(each.security().counters().sealed).isPositive());
    assertThat(sum(each -> each.forged + each.mismatched + each.unknownSpi)).isZero();
    assertThat(sum(each -> each.replayed)).as("came twice").isPositive();
    assertThat(sum(each -> each.opened)).isEqualTo(arrived());
    assertThat(ours.stream().filter(each -> each.security().counters().opened > 0))
        .as("the association belongs to one of them")
        .hasSize(1);
    assertThat(handedOver()).isGreaterThan(sum(each -> each.opened) / 2);
    close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  @DisplayName("an association is opened where it comes to, and others get the segments in clear")
  void shouldOpenWhereItComes(int queue) {
    start(3, 0, () -> queue);
    associate(0, false, false, EspSuite.AES128_GCM16, SPI);
    finish(connectOut(address(false, 2)));
    EspCounters there = ours.get(queue).security().counters();
    assertThat(there.opened).isPositive().isEqualTo(arrived());
    close();
  }

  @Test
  @DisplayName("a forged packet does not decide where an association is opened")
  void shouldNotFollowAForgedPacket() {
    int[] queue = new int[1];
    start(3, 0, () -> queue[0]);
    byte[] keys = keys();
    byte[] out = keys();
    add(ours.getFirst(), 1, out);
    add(theirs, 1, out);
    add(ours.getFirst(), 2, keys);
    add(theirs, 2, keys());
    List<Peer> peers = connectOut(address(false, 2));
    for (int i = 0; i < 20; i++) {
      turn();
    }
    assertThat(sum(each -> each.forged)).as("by other keys").isPositive();
    assertThat(theirs.security().delete(SPI + 2, address(false, 1))).isTrue();
    queue[0] = 2;
    add(theirs, 2, keys);
    finish(peers);
    EspCounters there = ours.get(2).security().counters();
    assertThat(there.opened).isPositive().isEqualTo(sum(each -> each.opened));
    close();
  }

  private byte[] keys() {
    byte[] keys = new byte[EspSuite.AES128_GCM16.keyOctets()];
    random.nextBytes(keys);
    return keys;
  }

  /** Adds an association from a host to the other one to a stack. */
  private void add(TcpStack stack, int from, byte[] keys) {
    HostAddress peer = address(false, stack.equals(theirs) ? 1 : 2);
    stack
        .security()
        .add(
            AssociationSettings.usual(
                SPI + from,
                address(false, from),
                address(false, 3 - from),
                false,
                EspSuite.AES128_GCM16,
                peer),
            keys,
            0,
            now);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  @DisplayName("a change that one stack makes is the others', too, at their next turn")
  void shouldTakeChangesOver(int by) {
    SplittableRandom queues = new SplittableRandom(3);
    start(2, 0, () -> queues.nextInt(2));
    associate(by, false, false, EspSuite.AES128_GCM16, SPI);
    List<Peer> peers = connectOut(address(false, 2));
    for (int i = 1; i < 8; i++) {
      turn();
      turn();
      int spi = SPI + 16 * i;
      associate(i % 2, false, false, EspSuite.AES128_GCM16, spi);
      turn();
      turn();
      for (int from = 1; from <= 2; from++) {
        HostAddress destination = address(false, 3 - from);
        assertThat(ours.get(by).security().delete(spi - 16 + from, destination)).isTrue();
        assertThat(theirs.security().delete(spi - 16 + from, destination)).isTrue();
      }
    }
    finish(peers);
    assertThat(ours).allSatisfy(each -> assertThat(each.security().associations()).hasSize(2));
    assertThat(sum(each -> each.associations)).isEqualTo(2);
    close();
  }

  @Test
  @DisplayName("RFC 4301 section 8.2.1: each stack learns the MTU of a tunnel's path, and its end")
  void shouldTellTheMtuOfATunnelsPath() {
    start(2, 0, () -> 0);
    EspSuite suite = EspSuite.AES128_GCM16;
    // IPv6 in a tunnel of IPv4, so that the connections' path is another than the tunnel's.
    for (int from = 1; from <= 2; from++) {
      byte[] keys = new byte[suite.keyOctets()];
      random.nextBytes(keys);
      for (TcpStack each : List.of(ours.getFirst(), theirs)) {
        HostAddress peer = address(true, each.equals(theirs) ? 1 : 2);
        HostAddress source = address(false, from);
        HostAddress destination = address(false, 3 - from);
        each.security()
            .add(
                AssociationSettings.usual(SPI + from, source, destination, true, suite, peer),
                keys,
                0,
                now);
      }
    }
    theirs.listen(PORT, (stream, address, port) -> new Recorder());
    List<TcpConnection> connections = new ArrayList<>();
    for (TcpStack each : ours) {
      connections.add(each.connect(address(true, 2), PORT, new Recorder()));
    }
    for (int i = 0; i < 20; i++) {
      turn();
    }
    assertThat(connections)
        .allSatisfy(each -> assertThat(each.state()).isEqualTo(TcpState.ESTABLISHED));
    List<Integer> before = connections.stream().map(TcpConnection::emss).toList();
    tellTooBig(1000);
    turn();
    turn();
    assertThat(connections.stream().map(each -> each.emss() + 500)).isEqualTo(before);
    now += 601_000 * MILLISECOND;
    turn();
    assertThat(connections.stream().map(TcpConnection::emss)).isEqualTo(before);
    connections.forEach(TcpConnection::abort);
    turn();
    close();
  }

  /** A router reports that our first packet to the other host was too large. */
  private void tellTooBig(int mtu) {
    int octets = Icmpv4.HEADER + Ipv4.HEADER + Esp.HEADER;
    int us = ((Ipv4Address) address(false, 1)).bits();
    int them = ((Ipv4Address) address(false, 2)).bits();
    long packet = link[1].pool().allocate();
    long frame = link[1].pool().address(packet);
    long message = frame + Ethernet.HEADER + Ipv4.HEADER;
    long quoted = message + Icmpv4.HEADER;
    Ethernet.write(frame, link[0].macAddress(), link[1].macAddress(), Ethernet.TYPE_IPV4);
    Ipv4.write(frame + Ethernet.HEADER, Ipv4.HEADER + octets, Ipv4.PROTOCOL_ICMP, them, us);
    Ipv4.write(quoted, 1500, Esp.PROTOCOL, us, them);
    Memory.putInt(quoted + Ipv4.HEADER, SPI + 1);
    Memory.putInt(quoted + Ipv4.HEADER + Integer.BYTES, 1);
    Icmpv4.write(message, Icmpv4.UNREACHABLE, Icmpv4.FRAGMENTATION_NEEDED, mtu, octets);
    link[1].pool().window(packet, frame, Ethernet.HEADER + Ipv4.HEADER + octets);
    assertThat(link[1].transmit(new long[] {packet}, 0, 1)).isEqualTo(1);
  }
}
