package org.rddp.tcp;

import java.util.Map;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.rddp.device.FrameDevice;
import org.rddp.device.PacketPool;
import org.rddp.group.StackMember;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.IpLayer;
import org.rddp.ip.IpSecurity;
import org.rddp.tcp.handshake.ConnectionSecrets;
import org.rddp.tcp.handshake.Peers;
import org.rddp.tcp.handshake.SynOffer;
import org.rddp.tcp.loss.Acknowledgment;
import org.rddp.tcp.loss.FlightPool;
import org.rddp.tcp.loss.LossSettings;
import org.rddp.tcp.storage.ChallengeLimit;
import org.rddp.tcp.storage.EarlyRangesPool;
import org.rddp.tcp.storage.PacketBudget;
import org.rddp.tcp.storage.TcpConnectionTable;
import org.rddp.tcp.storage.TimerWheel;
import org.rddp.wire.Ipv6;
import org.rddp.wire.Tcp;

/** The parts of one stack that its connections share, and its time. */
final class StackContext {
  private static final long TIMESTAMP_TICK = 1_000_000;

  final TcpSettings settings;
  final TcpCounters counters = new TcpCounters();
  final PacketPool pool;
  final StackMember member;
  final IpLayer ip;

  /** Listeners by port. */
  final Map<Integer, TcpListener> listeners;

  final SynOffer offer;
  final EcnArrival ecn;
  final ConnectionSecrets secrets;
  final Peers peers;
  final TcpConnectionTable<TcpConnection> connections;
  final TimerWheel wheel;
  final FlushQueue flushQueue = new FlushQueue();
  final ChallengeLimit challenges;

  /** Packets sent and not acknowledged, without trains: at most half of the pool. */
  final PacketBudget sentPackets;

  /** Trains sent and not acknowledged: at most half of the long packets. */
  final PacketBudget sentTrains;

  /** Whether nobody cuts such frames. */
  final boolean wholeTrains;

  /** {@link #longestTrain} while the device takes such frames. */
  private final int longestOfDevice;

  /** The most payload octets of one frame with several segments; 0 if the device takes none now. */
  int longestTrain;

  /** Packets received out of order: at most a quarter of the pool. */
  final PacketBudget earlyPackets;

  final EarlyRangesPool earlyRanges = new EarlyRangesPool();
  final FlightPool flights;
  final SendTimerPool sendTimers = new SendTimerPool();
  final LossSettings loss;

  /** The acknowledgment that is being processed. */
  final Acknowledgment acknowledgment = new Acknowledgment();

  final SegmentOutput output;
  final SegmentTransmitter transmitter;
  final Upcalls upcalls;
  final ConnectionTimers timers;
  final SegmentSizes sizes;
  final Handshake handshake;

  /** Receives exceptions of handlers. */
  Consumer<Throwable> failures = failure -> {};

  /** Called when a retransmission timer expires. */
  TimeoutHandler timeouts = (connection, timeout, earlier) -> {};

  /** Whether any connection has paused for its rate: timers are then served in every turn. */
  boolean paces;

  /** The trace of one connection; null while none is traced. */
  TcpTrace trace;

  /** The time in nanoseconds, as of the last call of the stack. */
  long now;

  StackContext(
      FrameDevice device,
      InterfaceAddress address,
      TcpSettings settings,
      RandomGenerator random,
      Map<Integer, TcpListener> listeners,
      StackMember member,
      IpSecurity security,
      long now) {
    this.listeners = listeners;
    this.settings = settings;
    this.member = member;
    this.now = now;
    pool = device.pool();
    wheel = new TimerWheel(now);
    challenges = new ChallengeLimit(random, settings.challengeAcknowledgments());
    // The rest of the pool is for received packets, acknowledgments and frames that the device
    // holds.
    sentPackets = new PacketBudget(pool.capacity() / 2);
    sentTrains = new PacketBudget(pool.longCapacity() / 2);
    earlyPackets = new PacketBudget(pool.capacity() / 4);
    int ourIpv4 = address.ipv4().map(network -> network.address().bits()).orElse(0);
    secrets = new ConnectionSecrets(random, ourIpv4);
    connections = new TcpConnectionTable<>(random.nextLong());
    offer = settings.offer();
    ecn = new EcnArrival(offer);
    loss =
        new LossSettings(
            settings.initialRetransmission(),
            settings.minimumRetransmission(),
            settings.maximumRetransmission(),
            settings.minimumProbe(),
            settings.peerAcknowledgmentDelay());
    flights = new FlightPool(pool, counters.loss);
    SegmentInput input = new SegmentInput(this);
    ip = new IpLayer(device, address, member, input, random, security);
    boolean trains = ip.longestFrame() > ip.mtu() && pool.longCapacity() > 0;
    longestOfDevice = trains ? ip.longestFrame() - Ipv6.HEADER - Tcp.LONGEST_HEADER : 0;
    wholeTrains = trains && ip.passesWhole();
    refreshTrains();
    peers = new Peers(member.connections(), settings.peerConnections(), settings.peerBacklog());
    output = new SegmentOutput(this);
    transmitter = new SegmentTransmitter(output, pool, counters);
    upcalls = new Upcalls(this);
    timers = new ConnectionTimers(this);
    sizes = new SegmentSizes(this);
    StatelessOutput replies = new StatelessOutput(this);
    handshake = new Handshake(this, replies, random);
    input.connect(new SegmentArrival(this, replies));
  }

  /** Asks the device whether it takes frames with several segments now. */
  void refreshTrains() {
    longestTrain = ip.sendsLong() ? longestOfDevice : 0;
  }

  /** The clock of all timestamps, in milliseconds. */
  int timestampClock() {
    return (int) (now / TIMESTAMP_TICK);
  }

  /** The new packet in which a user has reserved room and not committed it; 0 if there is none. */
  long reserved;

  /** Aborts a connection that has failed; others continue. */
  void failed(TcpConnection connection, Throwable failure) {
    counters.handlerFailures++;
    try {
      connection.abort();
      failures.accept(failure);
    } catch (Throwable another) {
      // The receiver itself has thrown; nothing can report this.
      counters.handlerFailures++;
    }
  }
}
