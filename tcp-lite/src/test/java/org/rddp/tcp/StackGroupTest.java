package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.device.FlowSteering;
import org.rddp.device.FrameDevice;
import org.rddp.device.SteeredDevice;
import org.rddp.group.StackGroup;
import org.rddp.group.StackMember;
import org.rddp.ip.HostAddress;
import org.rddp.ip.IpCounters;
import org.rddp.ip.Ipv4Address;
import org.rddp.wire.Toeplitz;

/** Stacks that share an address. The connections are over one family or the other. */
@ParameterizedClass
@ValueSource(strings = {"10.0.0.", "2001:db8::"})
class StackGroupTest extends GroupedStacks {
  private static final Ipv4Address V4_TWO = Ipv4Address.parse("10.0.0.2");
  private static final Ipv4Address V4_THREE = Ipv4Address.parse("10.0.0.3");
  private static final Ipv4Address V4_FOUR = Ipv4Address.parse("10.0.0.4");

  private TcpSettings settings = TcpSettings.DEFAULTS.withTimeWait(MILLISECOND);
  private final HostAddress ourAddress;
  private final HostAddress theirAddress;
  private StackGroup group;

  StackGroupTest(String network) {
    ourAddress = HostAddress.parse(network + 1);
    theirAddress = HostAddress.parse(network + 2);
    theirs = stack(link[1], 2, StackGroup.alone());
  }

  private TcpStack stack(FrameDevice below, int host, StackMember member) {
    return new TcpStack(below, interfaceAddress(host), settings, member, random.split(), now);
  }

  private void start(int stacks) {
    device = new SteeredDevice(link[0], stacks, steering(IntStream.range(0, stacks).toArray()));
    group = new StackGroup(stacks);
    for (int i = 0; i < stacks; i++) {
      ours.add(stack(device.queue(i), 1, group.member(i)));
    }
  }

  /** Gives each queue its share under another number. */
  private FlowSteering steering(int... numbers) {
    byte[] key = new byte[40];
    new SplittableRandom(3).nextBytes(key);
    int[] table = FlowSteering.evenTable(numbers.length);
    for (int i = 0; i < table.length; i++) {
      table[i] = numbers[table[i]];
    }
    return new FlowSteering(new Toeplitz(key), table);
  }

  private long sum(ToLongFunction<IpCounters> counter) {
    return ours.stream().mapToLong(each -> counter.applyAsLong(each.ipCounters())).sum();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8})
  void shouldLeaveFromPortsWhoseAnswersComeToTheirQueue(int stacks) {
    start(stacks);
    finish(connectOut(theirAddress));
    assertThat(sum(ip -> ip.handedOver)).isZero();
    assertThat(ours).allSatisfy(each -> assertThat(each.counters().established).isPositive());
    assertThat(theirs.ipCounters().announcements).isZero();
    close();
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 8})
  void shouldHandOverWhatComesToTheWrongQueue(int stacks) {
    start(stacks);
    device.steer(steering(IntStream.range(0, stacks).map(i -> (i + 1) % stacks).toArray()));
    finish(connectOut(theirAddress));
    assertThat(sum(ip -> ip.handedOver)).isGreaterThan(CONNECTIONS * 10);
    assertThat(sum(ip -> ip.handedOverIn)).isEqualTo(sum(ip -> ip.handedOver));
    close();
  }

  @Test
  void shouldGoOnWhenTheTableChanges() {
    start(4);
    List<Peer> peers = connectOut(theirAddress);
    for (int i = 0; i < 8; i++) {
      turn();
    }
    device.steer(steering(3, 1, 0, 2));
    finish(peers);
    assertThat(sum(ip -> ip.handedOver)).isPositive();
    close();
  }

  @Test
  void shouldConnectWhereQueuesCannotBeForetold() {
    start(4);
    device.hideSteering();
    finish(connectOut(theirAddress));
    close();
  }

  private List<Peer> connectIn(int... listening) {
    List<Peer> peers = new ArrayList<>();
    for (int index : listening) {
      ours.get(index).listen(7, accepting(peers));
    }
    for (int i = 0; i < CONNECTIONS; i++) {
      Peer client = peer(i);
      peers.add(client);
      theirs.connect(ourAddress, 7, client);
    }
    return peers;
  }

  @Test
  void shouldAcceptAtTheStackThatListensWhateverTheQueue() {
    start(4);
    finish(connectIn(2));
    assertThat(ours.get(2).counters().established).isEqualTo(CONNECTIONS);
    assertThat(sum(ip -> ip.handedOver)).isPositive();
    close();
  }

  @Test
  void shouldAcceptWhereItComesIfAllListen() {
    start(4);
    finish(connectIn(0, 1, 2, 3));
    assertThat(sum(ip -> ip.handedOver)).isZero();
    assertThat(ours.stream().filter(each -> each.counters().established > 0).count())
        .isGreaterThan(1);
    close();
  }

  /** The connections of the first stack go on though the second begins to listen as well. */
  @Test
  void shouldKeepConnectionsWhenAnotherBeginsToListenAndTheTableChanges() {
    start(2);
    List<Peer> peers = connectIn(0);
    while (ours.get(0).counters().established < CONNECTIONS) {
      turn();
    }
    ours.get(1).listen(7, (stream, address, port) -> new Recorder());
    device.steer(steering(1, 0));
    finish(peers);
    assertThat(ours.get(1).counters().established).isZero();
    close();
  }

  @ParameterizedTest
  @ValueSource(ints = {7, 60_000, 60_001})
  void shouldRefuseAPortWithoutAListenerOnce(int port) {
    start(4);
    ours.get(1).listen(7, (stream, address, remotePort) -> new Recorder()).close();
    ours.get(3).listen(7, (stream, address, remotePort) -> new Recorder()).close();
    Recorder client = new Recorder();
    theirs.connect(ourAddress, port, client);
    for (int i = 0; i < 8; i++) {
      turn();
    }
    assertThat(client.takeEvents()).containsExactly("closed REFUSED");
    assertThat(ours.stream().mapToLong(each -> each.counters().resetsOut).sum()).isEqualTo(1);
    close();
  }

  @Test
  void shouldConnectToAnotherStackOfItsOwnInterface() {
    start(3);
    List<Peer> peers = new ArrayList<>();
    ours.get(2).listen(7, accepting(peers));
    Peer client = peer(1);
    peers.add(client);
    ours.get(0).connect(ourAddress, 7, client);
    for (int i = 0; i < 8; i++) {
      turn();
    }
    finish(peers);
    assertThat(ours.get(2).counters().established).isEqualTo(1);
    close();
  }

  @Test
  void shouldAnnounceItsAddressOnce() {
    start(3);
    ours.forEach(each -> each.announce(now));
    turn();
    assertThat(sum(ip -> ip.announcements)).isEqualTo(1);
    close();
  }

  @Test
  void shouldLimitTheConnectionsOfAllItsStacksTogether() {
    settings = settings.withConnections(10).withPeerConnections(4);
    start(2);
    theirs.listen(7, (stream, address, port) -> peer(port));
    for (int i = 0; i < 4; i++) {
      ours.get(i % 2).connect(V4_TWO, 7, peer(i));
    }
    for (TcpStack each : ours) {
      assertThatThrownBy(() -> each.connect(V4_TWO, 7, peer(9)))
          .hasMessageContaining("the limit of 4 connections with 10.0.0.2 is reached");
    }
    for (int i = 0; i < 3; i++) {
      ours.get(0).connect(V4_THREE, 7, peer(i));
      ours.get(1).connect(V4_FOUR, 7, peer(i));
    }
    for (TcpStack each : ours) {
      assertThatThrownBy(() -> each.connect(V4_THREE, 7, peer(9)))
          .hasMessageContaining("the limit of 10 connections is reached");
    }
    close();
  }

  private static final int EPHEMERAL_PORTS = 16384;

  /** Connects from a stack to one address and port until no port is left. */
  private List<TcpConnection> connectUntilRefused(TcpStack stack) {
    List<TcpConnection> connections = new ArrayList<>();
    while (connections.size() <= EPHEMERAL_PORTS) {
      try {
        connections.add(stack.connect(theirAddress, 7, new Recorder()));
      } catch (IllegalStateException refused) {
        assertThat(refused).hasMessageContaining("no local port is left");
        return connections;
      }
    }
    throw new AssertionError("more connections than ports");
  }

  private void startWithManyConnections(int stacks) {
    settings = settings.withConnections(1 << 15).withPeerConnections(1 << 15);
    start(stacks);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 8})
  void shouldShareEveryPortTowardsOneAddressAndPort(int stacks) {
    startWithManyConnections(stacks);
    Set<Integer> ports = new HashSet<>();
    for (TcpStack each : ours) {
      List<TcpConnection> connections = connectUntilRefused(each);
      int share = EPHEMERAL_PORTS / stacks;
      assertThat(connections.size()).isBetween(share * 9 / 10, share * 11 / 10);
      connections.forEach(connection -> ports.add(connection.localPort()));
    }
    assertThat(ports).hasSize(EPHEMERAL_PORTS);
    close();
  }

  @Test
  void shouldUseAPortAgainWhenItsConnectionHasEnded() {
    startWithManyConnections(2);
    List<TcpConnection> first = connectUntilRefused(ours.get(0));
    first.forEach(TcpConnection::abort);
    assertThat(connectUntilRefused(ours.get(0))).hasSameSizeAs(first);
    close();
  }

  @Test
  void shouldNotUseAPortAtWhichAnotherStackListens() {
    startWithManyConnections(2);
    IntStream.range(60_000, 60_100)
        .forEach(port -> ours.get(1).listen(port, (stream, address, remote) -> new Recorder()));
    assertThat(connectUntilRefused(ours.get(0)))
        .extracting(TcpConnection::localPort)
        .noneMatch(port -> port >= 60_000 && port < 60_100);
    close();
  }

  /** Each stack would now choose other ports than before, of which the others have some. */
  @Test
  void shouldNotOpenTheConnectionOfAnotherStackWhenQueuesCannotBeForetoldAnyMore() {
    startWithManyConnections(4);
    List<TcpConnection> kept = connectUntilRefused(ours.get(0));
    device.hideSteering();
    Set<Integer> ports = new HashSet<>();
    kept.forEach(connection -> ports.add(connection.localPort()));
    for (TcpStack each : ours) {
      connectUntilRefused(each)
          .forEach(connection -> assertThat(ports.add(connection.localPort())).isTrue());
    }
    assertThat(ports).hasSize(EPHEMERAL_PORTS);
    close();
  }

  @Test
  void shouldNotTakeAPortThatAnotherStackUsesTowardsTheSameAddressAndPort() {
    start(2);
    ours.get(0).connect(theirAddress, 7, 50_000, new Recorder());
    assertThatThrownBy(() -> ours.get(1).connect(theirAddress, 7, 50_000, new Recorder()))
        .hasMessageContaining("local port 50000 is in use");
    close();
  }

  /** Ends a stack whose peers learn of it, and lets another one take its place. */
  private void replace(int index) {
    ours.get(index).close();
    group.member(index).vacate(device.queue(index).pool());
    ours.set(index, stack(device.queue(index), 1, group.member(index)));
  }

  @Test
  void shouldLetAStackTakeThePlaceOfAnotherThatHasEnded() {
    startWithManyConnections(2);
    List<Peer> peers = connectOut(theirAddress);
    while (theirs.counters().established < CONNECTIONS) {
      turn();
    }
    ours.get(0).listen(8, (stream, address, port) -> new Recorder());
    replace(0);
    ours.get(0).listen(8, (stream, address, port) -> new Recorder());
    long deadline = now + 60_000 * MILLISECOND;
    while (peers.stream().anyMatch(each -> each.closed == null)) {
      turn();
      assertThat(now).as("still at it").isLessThan(deadline);
    }
    List<Peer> ended = peers.stream().filter(peer -> peer.closed == CloseReason.NORMAL).toList();
    assertThat(ended).hasSize(CONNECTIONS);
    finish(ended);
    assertThat(connectUntilRefused(ours.get(0))).hasSize(EPHEMERAL_PORTS / 2);
    close();
  }
}
