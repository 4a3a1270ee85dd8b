package org.rddp.tcp;

import static java.util.Objects.requireNonNull;

import org.rddp.device.Offloads;
import org.rddp.device.PacketPool;
import org.rddp.ip.HostAddress;
import org.rddp.ip.Path;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.handshake.EcnFeedback;
import org.rddp.tcp.handshake.PeerAccount;
import org.rddp.tcp.handshake.SynChoices;
import org.rddp.tcp.handshake.SynNegotiation;
import org.rddp.tcp.storage.ConnectionEntry;
import org.rddp.wire.Ipv4;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpSegment;

/**
 * One TCP connection: its identity, state, timers and user. Its halves are {@link Sender} and
 * {@link Receiver}; {@link SegmentArrival} processes its segments.
 */
public final class TcpConnection extends ConnectionEntry implements TcpStream {
  /** {@link #lastReceivedAt} of a connection made from a SYN cookie. */
  static final long UNKNOWN = Long.MIN_VALUE;

  private static final long MILLISECOND = 1_000_000;

  /** The user waits until it may send. */
  private static final int ROOM = 1;

  /** The user waits until the peer acknowledges something. */
  private static final int ACKNOWLEDGMENT = 2;

  final StackContext context;
  final PeerAccount peer;
  final Sender sender;
  final Receiver receiver;

  /** The listener of a connection that the peer has opened, or null. */
  final TcpListener listener;

  /** The user; null until a listener's acceptor has named one, and after the end. */
  StreamHandler handler;

  /** When the retransmission or persist timer expires. */
  long retransmitAt = Long.MAX_VALUE;

  /** When the timer of the state expires: see {@link ConnectionTimers}. */
  long stateDeadline;

  /** When the user's alarm is due. */
  long alarmAt = Long.MAX_VALUE;

  /** When the peer last sent an acceptable segment; before the first, when the SYN was sent. */
  long lastReceivedAt;

  /** Keep-alive probes without an answer. */
  byte keepAliveProbes;

  /** Whether the user has octets that the protocol above does not let it send. */
  boolean blocked;

  /** Probes since then. */
  byte blockedProbes;

  /** How often our SYN was sent again. */
  byte synRepeats;

  /** The options in use. */
  SynChoices agreed = SynChoices.NONE;

  /** Whether what we send may be marked. */
  boolean ecn;

  /** Null unless both ends use accurate ECN. */
  AccEcnState accurate;

  /** {@link CongestionAlgorithm#isMarked}. */
  boolean marked;

  /** What every packet has in IP's traffic class beside ECN: the DSCP, shifted. */
  byte trafficClass;

  /** EMSS by the MSS of both ends and the options in use, on any path. */
  int negotiatedEmss;

  /** Counts the frames with data; null if nobody asks. */
  SentOctets sentOctets;

  /** An unconfirmed claim of an ICMP message about the path, or null. */
  PathMtuClaim pathMtuClaim;

  private final int timestampOffset;
  private TcpState state;

  /** What the user waits for: bits of {@link #ROOM} and {@link #ACKNOWLEDGMENT}. */
  private byte awaited;

  private boolean flushScheduled;
  private boolean awaitsPackets;

  private boolean closeWanted;

  TcpConnection(
      StackContext context,
      long key,
      PeerAccount peer,
      TcpListener listener,
      StreamHandler handler,
      int sequence) {
    super(key);
    this.context = context;
    this.peer = peer;
    this.listener = listener;
    this.handler = handler;
    state = listener == null ? TcpState.SYN_SENT : TcpState.SYN_RECEIVED;
    timestampOffset = context.secrets.timestampOffset(identity());
    CongestionAlgorithm algorithm = context.settings.congestionWith(peer.path.remote());
    marked = algorithm.isMarked();
    sender = new Sender(this, sequence, algorithm.control());
    receiver = new Receiver(this, context.settings.receiveBuffer());
    trafficClass = (byte) (context.settings.dscp() << Ipv4.DSCP_SHIFT);
    lastReceivedAt = context.now;
    stateDeadline = lastReceivedAt + context.settings.connectTimeout();
  }

  /** The path to the peer. */
  Path path() {
    return peer.path;
  }

  /** Identifies the connection in keyed hashes. */
  long identity() {
    return context.secrets.identity(peer.path, key);
  }

  /** The peer's address. */
  public HostAddress remoteAddress() {
    return peer.path.remote();
  }

  /** Our address, of the peer's family. */
  public HostAddress localAddress() {
    return peer.path.ours();
  }

  /** The peer's port. */
  public int remotePort() {
    return (int) (key >>> 16) & 0xffff;
  }

  /** Our port. */
  public int localPort() {
    return (int) key & 0xffff;
  }

  /**
   * Sets the Differentiated Services codepoint of the packets sent from now on (RFC 9293 section
   * 3.9.2). The settings' is used until then.
   *
   * @param codepoint 0 to {@link TcpSettings#LARGEST_DSCP}
   * @throws IllegalArgumentException if there is no such codepoint
   */
  public void dscp(int codepoint) {
    if (codepoint < 0 || codepoint > TcpSettings.LARGEST_DSCP) {
      throw new IllegalArgumentException("DSCP " + codepoint + " is not 0 to 63");
    }
    trafficClass = (byte) (codepoint << Ipv4.DSCP_SHIFT);
  }

  /**
   * Changes congestion control; it goes on with the window that there is. The settings' is used
   * until then. With {@link CongestionAlgorithm#DCTCP} packets sent from now on may be marked, if
   * the handshake has agreed on ECN, and the peer should use it, too.
   *
   * @throws IllegalArgumentException if it is DCTCP, and the settings are without ECN
   */
  public void congestion(CongestionAlgorithm algorithm) {
    context.settings.withCongestion(algorithm); // checks
    marked = algorithm.isMarked();
    sender.congestion(algorithm.control());
  }

  /** Whether the settings allow {@link CongestionAlgorithm#DCTCP}. */
  public boolean mayUseDctcp() {
    return context.settings.ecn();
  }

  /** The congestion control in use. */
  public CongestionAlgorithm congestion() {
    return CongestionAlgorithm.of(sender.congestion);
  }

  /** The traffic class of a packet with an ECN codepoint. */
  int trafficClass(int ecn) {
    return (trafficClass & 0xff) | ecn;
  }

  /** The state. */
  public TcpState state() {
    return state;
  }

  /** The smoothed round trip in nanoseconds, 0 when none has been measured. */
  public long roundTrip() {
    return sender.timeout.smoothed();
  }

  /** The connection's values at this moment. */
  public TcpStatus status() {
    return TcpStatus.of(this);
  }

  @Override
  public void handler(StreamHandler next) {
    if (handler != null) {
      handler = next;
    }
  }

  @Override
  public PacketPool pool() {
    return context.pool;
  }

  @Override
  public int emss() {
    return sender.emss();
  }

  @Override
  public long sendPosition() {
    return sender.end();
  }

  @Override
  public long receivePosition() {
    return receiver.next();
  }

  @Override
  public boolean sendable() {
    if (!state.open()) {
      return false;
    }
    boolean room = context.ip.room();
    boolean share = mayKeepSent();
    if (room && share && sender.sendable()) {
      return true;
    }
    awaited |= ROOM;
    if (!room) {
      scheduleFlush();
    } else if (!share) {
      awaitPackets();
    } else {
      sender.startTimer();
    }
    return false;
  }

  @Override
  public void countTo(SentOctets counter) {
    sentOctets = counter;
  }

  @Override
  public boolean secured() {
    return path().secures(localPort(), remotePort());
  }

  @Override
  public long allocate() {
    boolean share = mayKeepSent();
    long packet = share ? context.pool.allocate() : 0;
    if (packet == 0 && state != TcpState.CLOSED) {
      context.counters.packetsExhausted++;
      awaited |= ROOM;
      if (share) {
        scheduleFlush();
      } else {
        awaitPackets();
      }
    }
    return packet;
  }

  @Override
  public void send(long packet) {
    send(packet, false);
  }

  private void send(long packet, boolean more) {
    if (state.open() || state == TcpState.SYN_SENT || state == TcpState.SYN_RECEIVED) {
      if (context.pool.length(packet) > 0) {
        sender.send(packet, more);
        return;
      }
    }
    context.pool.release(packet);
  }

  @Override
  public long reserve(int octets, boolean packs, boolean leads) {
    long behind = sender.roomBehind(octets, packs);
    if (behind != 0) {
      return behind;
    }
    long train = leads ? allocateTrain() : 0;
    long packet = train == 0 ? allocate() : train;
    if (packet == 0) {
      return 0;
    }
    PacketPool pool = context.pool;
    long address = pool.address(packet);
    if (octets > pool.end(packet) - address) {
      pool.release(packet);
      throw new IllegalArgumentException(octets + " octets do not fit into a packet");
    }
    context.reserved = packet;
    return address;
  }

  private long allocateTrain() {
    boolean longEnough = sender.emss() >= Offloads.LEAST_SEGMENT;
    boolean may = context.longestTrain > 0 && longEnough && state.open() && mayKeepTrain();
    return may ? context.pool.allocateLong() : 0;
  }

  @Override
  public void commit(int octets, boolean more) {
    long packet = context.reserved;
    if (packet == 0) {
      sender.commitBehind(octets, more);
      return;
    }
    context.reserved = 0;
    context.pool.window(packet, context.pool.address(packet), octets);
    if (context.pool.isLong(packet) && state.open()) {
      sender.beginTrain(packet);
    } else {
      send(packet, more);
    }
  }

  @Override
  public int openRoom() {
    return sender.openRoom();
  }

  @Override
  public int trainSegment() {
    return sender.trainSegment();
  }

  @Override
  public void consumed(int octets) {
    receiver.consume(octets);
    if (receiver.acknowledgmentDue()) {
      scheduleFlush();
    }
  }

  @Override
  public void closeSend() {
    switch (state) {
      case SYN_SENT -> terminate(CloseReason.ABORTED);
      case ESTABLISHED -> state = TcpState.FIN_WAIT_1;
      case CLOSE_WAIT -> state = TcpState.LAST_ACK;
      case SYN_RECEIVED -> {
        closeWanted = true;
        return;
      }
      default -> {
        return;
      }
    }
    if (state != TcpState.CLOSED) {
      awaited &= ~ROOM;
      sender.close();
    }
  }

  @Override
  public void abort() {
    if (requireNonNull(state, "retired") == TcpState.CLOSED || state == TcpState.TIME_WAIT) {
      return;
    }
    if (state != TcpState.SYN_SENT) {
      reset();
    }
    terminate(CloseReason.ABORTED);
  }

  /**
   * Says whether the user has octets that it may not send, since by the protocol above the peer has
   * no room. A silent peer is then probed whatever {@link TcpSettings#keepAlive} says, after 1 s
   * first and less and less often, as it would be while TCP's own window is closed (RFC 9293
   * section 3.8.6.1): with nothing under way, the user would never learn that it is gone.
   */
  public void blocked(boolean isBlocked) {
    if (blocked != isBlocked) {
      blocked = isBlocked;
      context.timers.blockedChanged(this);
    }
  }

  @Override
  public void alarm(long deadline) {
    if (handler != null) {
      // An alarm for now fires in the next turn, so that a handler cannot prolong this one.
      alarmAt = Math.max(deadline, context.now + 1);
      reschedule();
    }
  }

  @Override
  public long now() {
    return context.now;
  }

  @Override
  public long unacknowledged() {
    return sender.unacknowledged();
  }

  @Override
  public void awaitAcknowledgment() {
    awaited |= ACKNOWLEDGMENT;
  }

  void become(TcpState next) {
    state = next;
  }

  /** Records an acceptable segment of the peer. */
  void received() {
    lastReceivedAt = context.now;
  }

  /**
   * Takes the options that both SYNs, or a cookie, have settled.
   *
   * @param segment with the peer's timestamp
   * @param synSequence sequence number of the peer's SYN
   */
  void negotiated(SynNegotiation result, TcpSegment segment, int synSequence) {
    agreed = result.options();
    ecn = result.ecn() != EcnFeedback.NONE;
    accurate = result.ecn() == EcnFeedback.ACCURATE ? new AccEcnState() : null;
    context.sizes.negotiated(this, result.mss(), result.windowShift());
    receiver.open(synSequence, agreed.windowScale());
    if (agreed.timestamps()) {
      receiver.firstTimestamp(segment.options.timestampValue());
    }
  }

  private boolean mayKeepSent() {
    return context.sentPackets.grants(sender.kept(), peer.sent());
  }

  private boolean mayKeepTrain() {
    return context.sentTrains.grants(sender.keptTrains(), peer.sentTrains());
  }

  /**
   * Whether the connection, which keeps so many packets received out of order, may keep another.
   */
  boolean mayKeepEarly(int kept) {
    return context.earlyPackets.grants(kept, peer.early());
  }

  /** Counts packets, trains apart, that the connection keeps until they are acknowledged. */
  void keepsSent(int more) {
    context.sentPackets.keeps(more);
    peer.keepsSent(more);
    if (more < 0) {
      context.flushQueue.packetsReleased();
    }
  }

  /** Counts trains that the connection keeps until they are acknowledged. */
  void keepsTrains(int more) {
    context.sentTrains.keeps(more);
    peer.keepsTrains(more);
  }

  /** Waits until packets of any connection are acknowledged, instead of trying in every turn. */
  private void awaitPackets() {
    if (!awaitsPackets) {
      awaitsPackets = true;
      context.flushQueue.awaitPackets(this);
    }
  }

  /** Schedules a flush, after packets have been released. */
  void packetsAvailable() {
    awaitsPackets = false;
    scheduleFlush();
  }

  /** Counts packets that the connection keeps because they were received out of order. */
  void keepsEarly(int more) {
    context.earlyPackets.keeps(more);
    peer.keepsEarly(more);
  }

  @Override
  public void keeps(int more) {
    receiver.kept += more;
    keepsEarly(more);
  }

  boolean wantsToSend() {
    return (awaited & ROOM) != 0 && state.open();
  }

  /** Our timestamp clock: milliseconds from a secret start (RFC 7323 section 5.4). */
  int timestamp() {
    return context.timestampClock() + timestampOffset;
  }

  /** Nanoseconds since our timestamp was {@code echo}, at least one tick. */
  long elapsed(int echo) {
    return Math.max(timestamp() - echo, 1) * MILLISECOND;
  }

  /** Schedules {@link #flush} before the burst is transmitted. */
  void scheduleFlush() {
    if (!flushScheduled) {
      flushScheduled = true;
      context.flushQueue.schedule(this);
    }
  }

  /** Sends data that could not be sent before, and the acknowledgment if it is due. */
  void flush() {
    flushScheduled = false;
    if (!state.synchronised()) {
      return;
    }
    sender.endTurn();
    notifyAwaiting();
    if (state == TcpState.CLOSED) {
      return;
    }
    // Data sent within the upcall must not wait for another turn.
    sender.endTurnIfHeld();
    if (receiver.acknowledgmentDue()) {
      acknowledgeNow();
    } else if (receiver.acknowledgmentPending()) {
      scheduleFlush();
    }
  }

  /** Sends an acknowledgment now, not at the end of the turn. */
  void acknowledgeNow() {
    if (context.output.control(this, sender.sequence(sender.max()), Tcp.ACK)) {
      context.counters.acknowledgmentsOut++;
    } else {
      receiver.requestAcknowledgment();
      scheduleFlush();
    }
  }

  /** Sends a challenge ACK, unless the limit is reached (RFC 5961 section 7). */
  void challenge() {
    if (context.challenges.tryAcquire(context.now)) {
      context.counters.challengeAcknowledgments++;
      acknowledgeNow();
    } else {
      context.counters.challengesSuppressed++;
    }
  }

  /** Sends a reset. */
  void reset() {
    if (context.output.control(this, sender.sequence(sender.max()), Tcp.RST | Tcp.ACK)) {
      context.counters.resetsOut++;
    }
  }

  // Opening and closing.

  /** Tells the user that EMSS has changed. */
  void emssChanged() {
    if (state.synchronised() && handler != null) {
      context.upcalls.emss(this, sender.emss());
    }
  }

  /** Removes a handshake that the peer has begun from the backlog. */
  void handshakeDone() {
    listener.backlog.remove();
    peer.endHandshake();
  }

  /**
   * Calls {@link StreamHandler#onOpen}, then sends or closes if the user has asked for that before.
   */
  void opened() {
    if (handler != null) {
      context.upcalls.open(this);
      sender.output();
    }
    if (closeWanted && state.open()) {
      closeSend();
    }
  }

  /**
   * Processes the peer's FIN, once everything before it was received (RFC 9293 section 3.10.7.4,
   * eighth check).
   */
  void peerClosed() {
    if (state == TcpState.ESTABLISHED) {
      state = TcpState.CLOSE_WAIT;
    } else if (state == TcpState.FIN_WAIT_1) {
      state = TcpState.CLOSING;
    }
    context.upcalls.peerClosed(this);
    if (state == TcpState.FIN_WAIT_2) {
      enterTimeWait();
    }
  }

  /** Processes the acknowledgment of our FIN. */
  void finAcknowledged() {
    switch (state) {
      case FIN_WAIT_1 -> state = TcpState.FIN_WAIT_2;
      case CLOSING -> enterTimeWait();
      case LAST_ACK -> terminate(CloseReason.NORMAL);
      default -> {}
    }
  }

  private void enterTimeWait() {
    state = TcpState.TIME_WAIT;
    retransmitAt = Long.MAX_VALUE;
    alarmAt = Long.MAX_VALUE;
    context.timers.startTimeWait(this);
    sender.clear();
    receiver.clear();
    context.upcalls.closed(this, CloseReason.NORMAL);
  }

  /** Removes the connection and tells the user. */
  void terminate(CloseReason reason) {
    if (state == TcpState.CLOSED) {
      return;
    }
    if (listener != null && state == TcpState.SYN_RECEIVED) {
      handshakeDone();
    }
    state = TcpState.CLOSED;
    context.connections.remove(this);
    context.wheel.remove(this);
    sender.clear();
    receiver.clear();
    if (listener == null) {
      // We opened the connection from a claimed port.
      context.member.release(context.member.slot(peer.path.hash(), remotePort(), localPort()));
    }
    context.peers.removeConnection(peer);
    context.upcalls.closed(this, reason);
  }

  /**
   * Tells a user that waits of an acknowledgment that may have come, and that sending is possible.
   */
  void notifyAwaiting() {
    if (awaited != 0) {
      notifyUser();
    }
  }

  private void notifyUser() {
    if ((awaited & ACKNOWLEDGMENT) != 0) {
      awaited &= ~ACKNOWLEDGMENT;
      context.upcalls.acknowledged(this);
    }
    if ((awaited & ROOM) != 0 && sendable()) {
      awaited &= ~ROOM;
      context.upcalls.sendable(this);
    }
  }

  // Timers.

  /**
   * Touches the cache lines that a segment needs; the result only keeps the JIT from removing the
   * loads.
   */
  int prefetch() {
    return prefetchEntry()
        + (int) lastReceivedAt
        + (flushScheduled ? 1 : 0)
        + (handler == null ? 1 : 0);
  }

  /** Prefetches the user's object, once {@link #prefetch} has been called. */
  int prefetchHandler() {
    StreamHandler user = handler;
    return user == null ? 0 : user.prefetch();
  }

  /** Schedules the earliest of the timers. */
  void reschedule() {
    if (state != TcpState.CLOSED) {
      context.wheel.schedule(this, ConnectionTimers.deadline(this));
    }
  }

  /** Calls the user's alarm. */
  void fireAlarm(long now) {
    if (handler != null) {
      alarmAt = Long.MAX_VALUE;
      context.upcalls.alarm(this, now);
    }
  }

  /** Transfers its state, but for its key, its peer, its listener and its user. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(TcpConnection.class);
    state = snapshot.constant("state", TcpState.class, state);
    retransmitAt = snapshot.number("retransmitAt", retransmitAt);
    stateDeadline = snapshot.number("stateDeadline", stateDeadline);
    alarmAt = snapshot.number("alarmAt", alarmAt);
    lastReceivedAt = snapshot.number("lastReceivedAt", lastReceivedAt);
    keepAliveProbes = snapshot.number("keepAliveProbes", keepAliveProbes);
    blocked = snapshot.flag("blocked", blocked);
    blockedProbes = snapshot.number("blockedProbes", blockedProbes);
    synRepeats = snapshot.number("synRepeats", synRepeats);
    SynChoices taken = snapshot.record("agreed", SynChoices.class, agreed);
    if (taken == null) {
      throw snapshot.wrong("the options are missing");
    }
    agreed = taken.shared();
    ecn = snapshot.flag("ecn", ecn);
    marked = snapshot.flag("marked", marked);
    trafficClass = snapshot.number("trafficClass", trafficClass);
    negotiatedEmss = snapshot.number("negotiatedEmss", negotiatedEmss);
    awaited = snapshot.number("awaited", awaited);
    flushScheduled = snapshot.flag("flushScheduled", flushScheduled);
    awaitsPackets = snapshot.flag("awaitsPackets", awaitsPackets);
    closeWanted = snapshot.flag("closeWanted", closeWanted);
    if (snapshot.flag("accurate", accurate != null)) {
      accurate = accurate == null ? new AccEcnState() : accurate;
      accurate.transfer(snapshot);
    }
    if (snapshot.flag("pathMtuClaim", pathMtuClaim != null)) {
      pathMtuClaim = PathMtuClaim.transfer(snapshot, pathMtuClaim);
    }
    sender.transfer(snapshot);
    receiver.transfer(snapshot);
    snapshot.end();
  }

  /**
   * Becomes the user of a connection that was restored from a snapshot: gets its later calls. The
   * former user's {@link #countTo} and packets are not restored; it has to begin with these itself.
   */
  public void resume(StreamHandler user) {
    handler = user;
  }

  /** Its user, who writes what it knows of the connection into a snapshot; null for none. */
  public StreamHandler user() {
    return handler;
  }

  /** Whether it had a user when the snapshot was taken, which has to {@link #resume}. */
  public boolean hasUser() {
    return handler != null;
  }

  /** Releases every packet, without a word to the peer or the user: another stack goes on. */
  void retire() {
    handler = null;
    sender.clear();
    receiver.clear();
    state = null;
  }
}
