package org.rddp.ddp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.receiving.QueueSettings;
import org.rddp.ddp.sending.RateLimit;
import org.rddp.ddp.sending.SendScheduler;
import org.rddp.ddp.sending.SendTenant;
import org.rddp.ddp.sending.TenantScheduler;
import org.rddp.tcp.testing.InMemoryTcpPair;

/** How the tenants of an engine share what it sends, under a clock that the test advances. */
class TenantSchedulerTest {
  private static final int WRITE = 0x40;

  /** Octets of a message of a stream that always has more to send. */
  private static final int LONG = 1 << 18;

  private static final int TURNS = 1000;
  private static final long MICROSECOND = 1000;

  /** Octets of DDP's header in a tagged segment. */
  private static final int HEADER = 14;

  /** More than the octets of a turn, with the quantum that ends it. */
  private static final int QUANTUM = TenantScheduler.TURN + SendScheduler.QUANTUM + DdpFixture.EMSS;

  private final GuardedMemory memory = new GuardedMemory(LONG);
  private final DdpEngine engine = new DdpEngine(new TaggedBuffers(1, new Random(1)));
  private final List<Connection> connections = new ArrayList<>();
  private TenantScheduler tenants = engine.share(null);
  private long now;

  /** A connection of a tenant, and how many octets of payload its peer has got. */
  private final class Connection {
    private final RawUlpduPeer peer = RawUlpduPeer.responder();
    private final DdpStream stream;
    private final InMemoryTcpPair tcp;
    private long got;

    Connection(SendTenant tenant, RecordingUlp user, int emss) {
      DdpSettings settings = new DdpSettings(8, 1, List.of(QueueSettings.buffered(1)));
      stream = user.initiator(engine, new ProtectionDomain("p"), settings, new byte[0]);
      stream.sender().sendAs(tenant);
      tcp = new InMemoryTcpPair(user.startup, peer.transport(), emss);
      tcp.run(() -> {});
      connections.add(this);
    }

    void post(int octets) {
      StreamRequest request = new StreamRequest().memory(memory.address(), octets).remote(7, 0);
      assertThat(stream.postTagged(0, WRITE, request)).isTrue();
    }

    void deliver() {
      tcp.run(() -> {});
      peer.received().forEach(ulpdu -> got += ulpdu.length - HEADER);
      peer.received().clear();
    }

    /** What it has got since the last call. */
    long take() {
      long taken = got;
      got = 0;
      return taken;
    }
  }

  private Connection connect(SendTenant tenant) {
    return new Connection(tenant, new RecordingUlp(), DdpFixture.EMSS);
  }

  /** A connection that always has more to send. */
  private Connection bulk(SendTenant tenant) {
    return bulk(tenant, DdpFixture.EMSS);
  }

  private Connection bulk(SendTenant tenant, int emss) {
    RecordingUlp user = new RecordingUlp();
    Connection made = new Connection(tenant, user, emss);
    user.onSent = () -> made.post(LONG);
    made.post(LONG);
    return made;
  }

  /** One turn of the duty cycle, a microsecond after the last one. */
  private void turn() {
    now += MICROSECOND;
    engine.send(64, now);
    connections.forEach(Connection::deliver);
  }

  private void turns(int turns) {
    for (int i = 0; i < turns; i++) {
      turn();
    }
  }

  private static void assertShare(long part, long other, double share) {
    assertThat((double) part / (part + other)).isCloseTo(share, Percentage.withPercentage(5));
  }

  @Test
  void shouldShareByWeight() {
    Connection one = bulk(tenants.add(1, null));
    Connection nine = bulk(tenants.add(9, null));
    turns(TURNS);
    assertShare(one.take(), nine.take(), 0.1);
  }

  @Test
  void shouldChargeTrainsByWhatTheyHold() {
    Connection one = bulk(tenants.add(1, null));
    one.tcp.sendTrains();
    Connection nine = bulk(tenants.add(9, null));
    turns(TURNS);
    assertShare(one.take(), nine.take(), 0.1);
  }

  @Test
  void shouldLendAnUnusedShare() {
    SendTenant quiet = tenants.add(9, null);
    connect(quiet);
    SendTenant busy = tenants.add(1, null);
    Connection alone = bulk(busy);
    turns(TURNS);
    long all = alone.take();
    assertThat(all).isGreaterThanOrEqualTo((long) TURNS * TenantScheduler.TURN);
    assertThat((double) quiet.lentOctets() / all).isCloseTo(0.9, Percentage.withPercentage(2));
    assertThat(busy.lentOctets()).isZero();
  }

  @Test
  void shouldNotSaveForLaterWhatWasLent() {
    SendTenant late = tenants.add(9, null);
    connect(late);
    Connection early = bulk(tenants.add(1, null));
    turns(TURNS);
    early.take();
    Connection more = bulk(late);
    turns(TURNS);
    assertShare(early.take(), more.take(), 0.1);
  }

  @Test
  void shouldSendAShortMessageBeforeTheNextQuantumOfOthers() {
    Connection talker = connect(tenants.add(1, null));
    SendTenant heavy = tenants.add(100, null);
    Connection first = bulk(heavy);
    Connection second = bulk(heavy);
    turns(10);
    for (int i = 0; i < TURNS; i++) {
      talker.post(64);
      first.take();
      second.take();
      turn();
      assertThat(talker.take()).as("in the turn that found it").isPositive();
      assertThat(first.take() + second.take()).as("of others then").isLessThan(QUANTUM);
      // Others get time for a hundred times as much, so that its share covers its messages.
      turns(1);
    }
  }

  @Test
  void shouldSendShortMessagesOfATenantBeforeItsOwnBulk() {
    SendTenant own = tenants.add(1, null);
    Connection talker = connect(own);
    bulk(own);
    bulk(tenants.add(1, null));
    turns(10);
    for (int i = 0; i < 100; i++) {
      talker.post(64);
      turns(2);
      assertThat(talker.take()).isPositive();
    }
  }

  @Test
  void shouldNotStarveBulkOfATenantByItsShortMessages() {
    SendTenant own = tenants.add(1, null);
    Connection bulk = bulk(own);
    bulk(tenants.add(1, null));
    List<Connection> talkers = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      talkers.add(connect(own));
    }
    for (int i = 0; i < 100; i++) {
      talkers.forEach(talker -> talker.post(64));
      turns(2);
      talkers.removeIf(talker -> talker.take() == 0);
    }
    assertThat(bulk.take()).isPositive();
  }

  @Test
  void shouldShareATenantsPartAmongItsConnections() {
    Connection one = bulk(tenants.add(1, null));
    SendTenant several = tenants.add(1, null);
    List<Connection> all = List.of(bulk(several), bulk(several), bulk(several));
    turns(3 * TURNS);
    List<Long> parts = all.stream().map(Connection::take).toList();
    long together = parts.stream().mapToLong(Long::longValue).sum();
    assertShare(one.take(), together, 0.5);
    parts.forEach(part -> assertShare(part, together - part, 1.0 / 3));
  }

  @Test
  void shouldNotGiveMoreForAThousandConnections() {
    Connection one = bulk(tenants.add(1, null), 256);
    SendTenant crowd = tenants.add(1, null);
    List<Connection> all = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      all.add(bulk(crowd, 256));
    }
    turns(TURNS / 4);
    assertShare(one.take(), all.stream().mapToLong(Connection::take).sum(), 0.5);
  }

  @Test
  void shouldGiveTheShareOfATenantThatLeavesToOthers() {
    SendTenant leaving = tenants.add(8, null);
    Connection gone = bulk(leaving);
    Connection one = bulk(tenants.add(1, null));
    Connection three = bulk(tenants.add(3, null));
    turns(TURNS);
    assertThat(leaving.streams()).isOne();
    gone.stream.abort();
    turns(2);
    assertThat(leaving.streams()).isZero();
    one.take();
    three.take();
    turns(TURNS);
    assertShare(one.take(), three.take(), 0.25);
    long lent = leaving.lentOctets();
    turns(10);
    assertThat(leaving.lentOctets()).as("it has no share any more").isEqualTo(lent);
  }

  @Test
  void shouldKeepARateWithABurst() {
    // 100 Mbit/s: 12.5 octets in a microsecond.
    int burst = 100_000;
    SendTenant limited = tenants.add(1, new RateLimit(100_000_000, burst));
    Connection connection = bulk(limited);
    turns(TURNS);
    assertThat(connection.take()).isBetween(burst + 12_500L - QUANTUM, burst + 12_500L + QUANTUM);
    turns(100 * TURNS);
    assertThat(connection.take()).isBetween(1_250_000L - QUANTUM, 1_250_000L + QUANTUM);
    assertThat(limited.heldNanos()).isGreaterThan(90 * TURNS * MICROSECOND);
    now += 10_000 * TURNS * MICROSECOND;
    turn();
    turns(TURNS);
    assertThat(connection.take())
        .as("a long silence saves no more than the burst")
        .isLessThan(burst + 12_500L + 2 * QUANTUM);
  }

  @Test
  void shouldLendWhatARateHoldsBack() {
    Connection limited = bulk(tenants.add(9, new RateLimit(100_000_000, 1000)));
    Connection free = bulk(tenants.add(1, null));
    turns(TURNS);
    assertThat(limited.take()).isLessThan(12_500L + QUANTUM);
    assertThat(free.take()).isGreaterThan(TURNS / 2L * TenantScheduler.TURN);
  }

  @Test
  void shouldKeepTheInterfacesRateForAll() {
    tenants = engine.share(new RateLimit(1_000_000_000, 20_000));
    Connection one = bulk(tenants.add(1, null));
    Connection nine = bulk(tenants.add(9, null));
    turns(100 * TURNS);
    long part = one.take();
    long other = nine.take();
    assertThat(part + other).isBetween(12_500_000L - QUANTUM, 12_520_000L + QUANTUM);
    assertShare(part, other, 0.1);
  }

  @Test
  void shouldTellWhenARateAllowsMore() {
    assertThat(engine.nextDeadline()).isEqualTo(Long.MAX_VALUE);
    Connection connection = bulk(tenants.add(1, new RateLimit(100_000_000, 1)));
    turns(2);
    long deadline = engine.nextDeadline();
    assertThat(deadline).isGreaterThan(now);
    connection.take();
    now = deadline - 1;
    assertThat(engine.send(64, now)).isZero();
    assertThat(engine.send(64, deadline)).isPositive();
  }
}
