package org.rddp.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;
import org.rddp.group.StackGroup;
import org.rddp.ip.AddressPrefix;
import org.rddp.ip.AssociationSettings;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.IpSecurity;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.PolicyAction;
import org.rddp.ip.SecurityPolicy;
import org.rddp.ip.TrafficSelector;
import org.rddp.ip.esp.EspSuite;
import org.rddp.ip.esp.JceCiphers;
import org.rddp.ip.esp.Lifetime;
import org.rddp.wire.Memory;

/**
 * Connections that need a security association which comes later, as after a negotiation by IKE.
 */
class AwaitedAssociationTest {
  private static final long MILLISECOND = 1_000_000;
  private static final long SECOND = 1000 * MILLISECOND;
  private static final int PORT = 7;

  private final NativePacketPool pool = new NativePacketPool(256, 2048);
  private final LoopedDevice[] link = LoopedDevice.pair(pool, pool, 1500, 64);
  private final SplittableRandom random = new SplittableRandom(5);
  private final Recorder client = new Recorder();
  private final Recorder server = new Recorder();
  private long now = SECOND;
  private final TcpStack here = stack(1);
  private final TcpStack there = stack(2);
  private int spi = 0x1000;
  private TcpListener listener;

  private static Ipv4Address address(int host) {
    return Ipv4Address.parse("10.0.0." + host);
  }

  private TcpStack stack(int host) {
    return new TcpStack(
        link[host - 1],
        new InterfaceAddress(address(host), 24),
        TcpSettings.DEFAULTS,
        StackGroup.alone(),
        new IpSecurity(
            new SecurityPolicy(List.of(), PolicyAction.REQUIRE),
            List.of(address(host)),
            new JceCiphers(),
            new byte[] {1}),
        random.split(),
        now);
  }

  @AfterEach
  void end() {
    here.close();
    there.close();
    for (LoopedDevice each : link) {
      each.close();
    }
    assertThat(pool.available()).isEqualTo(pool.capacity());
  }

  /** Turns for some milliseconds. */
  private void pass(int milliseconds) {
    for (int i = 0; i < milliseconds; i++) {
      now += MILLISECOND;
      for (TcpStack each : List.of(here, there)) {
        each.receive(now);
        each.advance(now);
        each.transmit(now);
      }
    }
  }

  private AssociationSettings settings(int from, int to, int peer, boolean tunnel, EspSuite suite) {
    return AssociationSettings.usual(spi, address(from), address(to), tunnel, suite, address(peer));
  }

  /** Adds an association for one direction at both hosts. */
  private void associate(int from, int to) {
    associate(from, to, false, EspSuite.AES128_GCM16);
  }

  private void associate(int from, int to, boolean tunnel, EspSuite suite) {
    spi++;
    byte[] keys = new byte[suite.keyOctets()];
    random.nextBytes(keys);
    // The receiver's first, as IKE does it.
    TcpStack receiver = to == 1 ? here : there;
    TcpStack sender = to == 1 ? there : here;
    receiver.security().add(settings(from, to, from, tunnel, suite), keys, 0, now);
    sender.security().add(settings(from, to, to, tunnel, suite), keys, 0, now);
  }

  private void deleteAll(int from, int to) {
    for (TcpStack each : List.of(here, there)) {
      each.security().associations().stream()
          .map(found -> found.settings())
          .filter(found -> found.source().equals(address(from)))
          .forEach(found -> each.security().delete(found.spi(), address(to)));
    }
  }

  private TcpConnection connect() {
    listener =
        there.listen(
            PORT,
            (stream, address, port) -> {
              server.stream = stream;
              return server;
            });
    return here.connect(address(2), PORT, client);
  }

  private TcpConnection established() {
    associate(1, 2);
    associate(2, 1);
    TcpConnection connection = connect();
    pass(10);
    assertThat(client.takeEvents()).containsExactly("open");
    return connection;
  }

  private void send(TcpStream stream, int octets) {
    long packet = pool.allocate();
    for (int i = 0; i < octets; i++) {
      Memory.putByte(pool.address(packet) + i, (int) stream.sendPosition() + 1 + i);
    }
    pool.window(packet, pool.address(packet), octets);
    stream.send(packet);
  }

  @ParameterizedTest(name = "after {0} ms")
  @ValueSource(ints = {50, 2500})
  @DisplayName("a SYN that waits for an association leaves when that comes, as the first one")
  void shouldSendTheSynAtOnce(int milliseconds) {
    TcpConnection connection = connect();
    pass(milliseconds);
    assertThat(here.security().counters().noAssociation).isPositive();
    associate(2, 1);
    associate(1, 2);
    pass(5);
    assertThat(client.takeEvents()).containsExactly("open");
    assertThat(server.takeEvents()).containsExactly("open");
    assertThat(connection.roundTrip()).isPositive().isLessThan(5 * MILLISECOND);
    assertThat(connection.synRepeats).as("it was not lost").isZero();
    assertThat(connection.ecn).isTrue();
    assertThat(here.counters().retransmitted).isZero();
  }

  @Test
  @DisplayName("a SYN-ACK that waits for an association leaves when that comes")
  void shouldSendTheSynAckAtOnce() {
    associate(1, 2);
    connect();
    pass(50);
    assertThat(there.security().counters().noAssociation).isPositive();
    associate(2, 1);
    pass(5);
    assertThat(client.takeEvents()).containsExactly("open");
    assertThat(here.counters().retransmitted + there.counters().retransmitted).isZero();
  }

  @Test
  @DisplayName("a SYN-ACK that waits for an association is not sent once its listener is closed")
  void shouldNotAnswerForAClosedListener() {
    associate(1, 2);
    connect();
    pass(50);
    listener.close();
    associate(2, 1);
    pass(5);
    assertThat(client.takeEvents()).containsExactly("closed REFUSED");
  }

  @Test
  @DisplayName("data that waits is cut for an association that leaves less room, and sent once")
  void shouldSendLessAtATimeAtOnce() {
    TcpConnection connection = established();
    pass(100);
    int before = connection.emss();
    deleteAll(1, 2);
    send(connection, before);
    pass(1);
    associate(1, 2, true, EspSuite.AES128_SHA1);
    assertThat(connection.emss()).isLessThan(before);
    assertThat(here.counters().retransmitted).as("the two pieces").isEqualTo(2);
    pass(5);
    assertThat(connection.unacknowledged()).isZero();
    long sent = here.counters().segmentsOut;
    associate(1, 2, true, EspSuite.AES128_SHA1);
    assertThat(here.counters().segmentsOut).as("nothing waits any more").isEqualTo(sent);
    assertThat(here.counters().retransmitted).isEqualTo(2);
  }

  @Test
  @Tag("MPA-9.4-03")
  @Tag("DDP-8.4.2-06")
  @Tag("RDMAP-8.2.2-06")
  @DisplayName("data that waits for an association leaves when that comes, in segments as before")
  void shouldSendDataAtOnce() {
    TcpConnection connection = established();
    pass(100);
    deleteAll(1, 2);
    for (int i = 0; i < 3; i++) {
      send(connection, 1000);
    }
    pass(20_000);
    assertThat(server.takeEvents()).containsExactly("open");
    associate(1, 2);
    pass(20);
    assertThat(server.takeEvents()).contains("1+1000", "1001+1000", "2001+1000");
    assertThat(connection.unacknowledged()).isZero();
  }

  @Test
  @DisplayName("segments in flight that were dropped for a moment are all repaired at once")
  void shouldRepairAShortGapAtOnce() {
    TcpConnection connection = established();
    pass(100);
    deleteAll(1, 2);
    for (int i = 0; i < 5; i++) {
      send(connection, 1000);
    }
    associate(1, 2);
    pass(20);
    assertThat(server.takeEvents()).contains("1+1000", "4001+1000");
    assertThat(connection.unacknowledged()).isZero();
    assertThat(here.counters().timeouts).isZero();
  }

  @Test
  @DisplayName("an acknowledgment that waits for an association leaves when that comes")
  void shouldAcknowledgeAtOnce() {
    TcpConnection connection = established();
    deleteAll(2, 1);
    send(connection, 1000);
    pass(60_000);
    long sentAgain = here.counters().retransmitted;
    assertThat(connection.unacknowledged()).isEqualTo(1000);
    associate(2, 1);
    pass(5);
    assertThat(connection.unacknowledged()).isZero();
    assertThat(here.counters().retransmitted).isEqualTo(sentAgain);
  }

  @Test
  @DisplayName(
      "a changed association concerns the connections to its peer, and only if we send on it")
  void shouldVisitTheConnectionsToThePeer() {
    for (int host = 2; host < 22; host++) {
      here.connect(address(host), PORT, new Recorder());
    }
    here.connect(address(5), PORT, new Recorder());
    add(here, 1, 5, AddressPrefix.of(address(5)));
    assertThat(visited()).isEqualTo(2);
    add(here, 1, 6, AddressPrefix.of(address(6)));
    assertThat(visited()).isEqualTo(1);
    add(here, 5, 1, AddressPrefix.of(address(5)));
    assertThat(visited()).as("we only receive on it").isZero();
    add(here, 1, 5, AddressPrefix.parse("10.0.0.4/30"));
    assertThat(visited()).as("10.0.0.4 to 10.0.0.7, and one twice").isEqualTo(5);
    here.security().delete(spi, address(5));
    assertThat(visited()).isEqualTo(5);
  }

  /** How many connections were visited since the last call. */
  private long visited() {
    long visited = here.counters().associationChanges;
    here.counters().associationChanges = 0;
    return visited;
  }

  /** Adds an association for some remote addresses to one stack. */
  private void add(TcpStack stack, int from, int to, AddressPrefix remote) {
    spi++;
    byte[] keys = new byte[EspSuite.AES128_GCM16.keyOctets()];
    random.nextBytes(keys);
    AssociationSettings settings =
        new AssociationSettings(
            spi,
            address(from),
            address(to),
            !remote.equals(AddressPrefix.of(address(from == 1 ? to : from))),
            EspSuite.AES128_GCM16,
            true,
            1024,
            new TrafficSelector(remote, false, 0, 0),
            Lifetime.UNLIMITED);
    stack.security().add(settings, keys, 0, now);
  }

  @Test
  @DisplayName("an association that comes when nothing waits for it makes nobody send")
  void shouldSendNothingThatDoesNotWait() {
    connect();
    pass(50);
    associate(2, 1);
    associate(1, 2);
    pass(2000);
    long before = here.counters().segmentsOut + there.counters().segmentsOut;
    associate(2, 1);
    associate(1, 2);
    deleteAll(1, 2);
    pass(1000);
    assertThat(here.counters().segmentsOut + there.counters().segmentsOut).isEqualTo(before);
  }
}
