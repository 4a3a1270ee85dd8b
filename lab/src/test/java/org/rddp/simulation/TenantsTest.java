package org.rddp.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rddp.ddp.DdpEngine;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.ProtectionDomain;
import org.rddp.ddp.memory.StreamRequest;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.sending.RateLimit;
import org.rddp.ddp.sending.SendTenant;
import org.rddp.ddp.sending.TenantScheduler;
import org.rddp.mpa.MpaStartup;
import org.rddp.mpa.Negotiated;
import org.rddp.mpa.StartupHandler;
import org.rddp.rdmap.CompletionKind;
import org.rddp.rdmap.RdmapHandler;
import org.rddp.rdmap.RdmapSettings;
import org.rddp.rdmap.RdmapStream;
import org.rddp.tcp.CloseReason;
import org.rddp.tcp.TcpSettings;
import org.rddp.tcp.TcpStream;

/**
 * Tenants of an engine that sends to another host over a link of 10 Gb/s with a round trip of 20
 * microseconds, by TCP, in virtual time.
 */
class TenantsTest {
  private static final long MICROSECOND = 1000;
  private static final long MILLISECOND = 1000 * MICROSECOND;
  private static final long TEN_GIGABITS = 10_000_000_000L;

  /** Less than the link's by Ethernet's preamble, check sequence and gap. */
  private static final long RATE = 9_800_000_000L;

  private static final int OVERHEAD = 24;
  private static final int PORT = 7;
  private static final int LONG = 1 << 18;
  private static final int SHORT = 100;

  private final MemorySegment memory = Arena.ofAuto().allocate(2 * LONG, 64);
  private int connections;
  private Network network;
  private SimulatedHost from;
  private SimulatedHost to;
  private DdpEngine engine;
  private DdpEngine other;
  private TenantScheduler tenants;

  /** One end of a connection. */
  private final class End implements StartupHandler, RdmapHandler {
    private final RdmapStream stream;
    private final MpaStartup startup;
    private final StreamRequest request = new StreamRequest();
    private End peer;
    private TcpStream tcp;
    private int sink;
    private boolean up;
    private boolean endless;
    private long before;
    private long postedAt;
    private long latest;
    private int messages;

    End(DdpEngine of, SendTenant tenant, boolean initiator) {
      RdmapSettings settings = RdmapSettings.DEFAULTS;
      stream = new RdmapStream(of, new ProtectionDomain("p"), settings, this);
      if (tenant != null) {
        stream.ddp().sender().sendAs(tenant);
      }
      startup =
          initiator
              ? MpaStartup.initiator(settings.mpa(), new byte[0], this, stream.ddp())
              : MpaStartup.responder(settings.mpa(), this, stream.ddp());
    }

    void write() {
      assertThat(stream.postWrite(request.begin(1).memory(memory.address(), LONG).remote(sink, 0)))
          .isTrue();
    }

    /** Sends a short message, whose arrival the other end notes. */
    void talk() {
      postedAt = network.now();
      stream.postSend(request.begin(2).memory(memory.address(), SHORT));
      from.scheduleTurn();
    }

    /** What TCP has received since the last call. */
    long take() {
      long taken = tcp.receivePosition() - before;
      before += taken;
      return taken;
    }

    private void receive() {
      stream.postReceive(request.begin(3).memory(memory.address() + LONG, SHORT));
    }

    @Override
    public void onRequest(MpaStartup asked, byte[] privateData) {
      asked.accept(new byte[0]);
      receive();
    }

    @Override
    public void onAgreed(Negotiated terms, byte[] privateData) {
      up = true;
    }

    @Override
    public void onRejected(byte[] privateData) {
      throw new AssertionError("rejected");
    }

    @Override
    public void onCompletion(long token, int kind, int status, long octets) {
      if (kind == CompletionKind.WRITE && endless) {
        write();
      }
    }

    @Override
    public void onReceived(long token, long octets, boolean solicited, int invalidated) {
      messages++;
      latest = Math.max(latest, network.now() - peer.postedAt);
      receive();
    }

    @Override
    public void onError(int layer, int type, int code, String detail) {
      throw new AssertionError(detail);
    }

    @Override
    public void onPeerClosed() {}

    @Override
    public void onClosed(CloseReason reason) {}
  }

  /**
   * Two hosts.
   *
   * @param rate of the first one's interface; 0 for none
   */
  private void begin(long seed, long rate, double loss) {
    network = new Network(seed);
    from = new SimulatedHost(network, "10.0.0.1", TcpSettings.DEFAULTS, 8192, 1500);
    to = new SimulatedHost(network, "10.0.0.2", TcpSettings.DEFAULTS, 8192, 1500);
    WireSettings wire =
        WireSettings.PERFECT
            .withBandwidth(TEN_GIGABITS)
            .withOverhead(OVERHEAD)
            .withDelay(10 * MICROSECOND);
    network.join(from.card(), to.card(), wire.withLoss(loss).withOnlyTcp(true), wire);
    engine = new DdpEngine(new TaggedBuffers(4, network.newRandom()));
    other = new DdpEngine(new TaggedBuffers(4, network.newRandom()));
    tenants = engine.share(rate == 0 ? null : new RateLimit(rate, 1 << 16));
    from.inTurn(this::send);
    to.inTurn(() -> other.send(64));
  }

  /** What an engine does: see {@code Engine.send} and {@code Engine.nextDeadline}. */
  private int send() {
    int sent = from.stack().hasUnsentFrames() ? 0 : engine.send(64, network.now());
    if (sent > 0) {
      from.scheduleTurn();
    } else if (engine.nextDeadline() != Long.MAX_VALUE) {
      network.events().schedule(engine.nextDeadline(), any -> from.scheduleTurn(), 0);
    }
    return sent;
  }

  /** A connection of a tenant; its end at the other host. */
  private End connect(SendTenant tenant) {
    End sender = new End(engine, tenant, true);
    End receiver = new End(other, null, false);
    receiver.peer = sender;
    sender.peer = receiver;
    sender.sink =
        other
            .taggedBuffers()
            .register(
                receiver.stream.ddp().protectionDomain(),
                null,
                memory.address(),
                LONG,
                0,
                AccessRights.ALL);
    int port = PORT + connections++;
    to.stack()
        .listen(
            port,
            (stream, address, remote) -> {
              receiver.tcp = stream;
              return receiver.startup;
            });
    from.stack().connect(to.address(), port, sender.startup);
    from.scheduleTurn();
    boolean up = network.run(() -> sender.up && receiver.up, network.now() + 100 * MILLISECOND);
    assertThat(up).isTrue();
    return receiver;
  }

  /** A connection that always has more to send. */
  private End bulk(SendTenant tenant) {
    End receiver = connect(tenant);
    receiver.peer.endless = true;
    for (int i = 0; i < 2; i++) {
      receiver.peer.write();
    }
    from.scheduleTurn();
    return receiver;
  }

  private void run(long nanos) {
    network.run(() -> false, network.now() + nanos);
  }

  private void end() {
    from.stack().close();
    to.stack().close();
    from.powerOff();
    to.powerOff();
    network.run(() -> false, Long.MAX_VALUE);
    assertThat(from.pool().available()).isEqualTo(from.pool().capacity());
  }

  /** Octets that the connections have received together since the last call. */
  private static long take(List<End> all) {
    return all.stream().mapToLong(End::take).sum();
  }

  private void assertShares(List<End> one, List<End> nine) {
    run(20 * MILLISECOND);
    take(one);
    take(nine);
    run(20 * MILLISECOND);
    long part = take(one);
    long others = take(nine);
    assertThat((double) part / (part + others)).isCloseTo(0.1, Percentage.withPercentage(5));
    assertThat((part + others) * 8.0 / 20 / MILLISECOND)
        .as("Gbit/s altogether")
        .isBetween(8.5, 9.8);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void shouldShareALinkWhoseRateIsKnown(long seed) {
    begin(seed, RATE, 0);
    SendTenant light = tenants.add(1, null);
    SendTenant heavy = tenants.add(9, null);
    assertShares(List.of(bulk(light), bulk(light), bulk(light)), List.of(bulk(heavy)));
    end();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void shouldShareACardThatTakesNoMore(long seed) {
    begin(seed, 0, 0);
    // A frame of 1500 octets takes 1.23 microseconds of the link; the card has 64 places.
    from.card().hold(80 * MICROSECOND, 64);
    SendTenant light = tenants.add(1, null);
    SendTenant heavy = tenants.add(9, null);
    assertShares(List.of(bulk(light)), List.of(bulk(heavy), bulk(heavy)));
    end();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void shouldNotDelayShortMessagesByOthersBulk(long seed) {
    begin(seed, RATE, 0);
    SendTenant heavy = tenants.add(9, null);
    bulk(heavy);
    bulk(heavy);
    End talker = connect(tenants.add(1, null));
    run(10 * MILLISECOND);
    for (int i = 0; i < 100; i++) {
      talker.peer.talk();
      run(100 * MICROSECOND);
    }
    assertThat(talker.messages).isEqualTo(100);
    // The wire's delay, the rest of a quantum, and what the link has not sent of the one before.
    assertThat(talker.latest).isLessThan(10 * MICROSECOND + 3 * quantum());
    end();
  }

  /** Time of the link for a quantum of bulk. */
  private static long quantum() {
    return TenantScheduler.TURN * 8L * 1_000_000_000 / TEN_GIGABITS;
  }

  @Test
  void shouldChargeWhatIsSentAgain() {
    begin(1, RATE, 0.01);
    SendTenant tenant = tenants.add(1, new RateLimit(1_000_000_000, 1 << 16));
    End only = bulk(tenant);
    run(20 * MILLISECOND);
    only.take();
    long before = tenant.sentOctets();
    run(20 * MILLISECOND);
    long sent = tenant.sentOctets() - before;
    assertThat(from.stack().counters().retransmitted).isPositive();
    assertThat(sent * 8.0 / 20 / MILLISECOND).isBetween(0.9, 1.02);
    assertThat(only.take()).isLessThan(sent);
    end();
  }
}
