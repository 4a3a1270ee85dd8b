package org.rddp.tcp;

import org.rddp.device.PacketPool;
import org.rddp.ip.Ipv4Address;
import org.rddp.tcp.handshake.PeerAccount;
import org.rddp.tcp.storage.ConnectionEntry;
import org.rddp.tcp.storage.EarlyRangesPool;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpSegment;

/**
 * One TCP connection: its identity, its state, its timers and its user. What its halves do is in
 * {@link Sender} and {@link Receiver}, what segments do to its state in {@link SegmentArrival}.
 */
public final class TcpConnection extends ConnectionEntry implements TcpStream {
  /** {@link #lastReceivedAt} when nobody knows. */
  static final long UNKNOWN = Long.MIN_VALUE;

  private static final long MILLISECOND = 1_000_000;

  final long key;
  final PeerAccount peer;
  final Sender sender;
  final Receiver receiver;

  /**
   * Whom the connection speaks to; null until a listener's acceptor has named one, and after the
   * end.
   */
  StreamHandler handler;

  /** When the retransmission or persist timer expires. */
  long retransmitAt = Long.MAX_VALUE;

  /** When the state is to be looked at: see {@link ConnectionTimers}. */
  long stateDeadline;

  /** When the user's alarm rings. */
  long alarmAt = Long.MAX_VALUE;

  /** When the peer last sent something acceptable; before anything has come, when we knocked. */
  long lastReceivedAt;

  /** Keep-alive probes that have not been answered. */
  byte keepAliveProbes;

  /** Whether our SYN had to be sent again. */
  boolean synRepeated;

  /** Whether timestamps are in use. */
  boolean timestamps;

  /** Whether both ends may send SACK blocks. */
  boolean sack;

  /** Whether both ends know of explicit congestion notification. */
  boolean ecn;

  /** Whether windows are scaled. */
  boolean scaled;

  private final TcpStack stack;

  /** Where the peer has knocked; null when it was us who did. */
  final TcpListener listener;

  private final int timestampOffset;
  private TcpState state;

  /** EMSS as far as both ends and their options go, whatever the path. */
  int negotiatedEmss;

  /** What an ICMP message claims of the path and has not been believed yet, or null. */
  PathMtuClaim pathMtuClaim;

  private boolean wantsToSend;
  private boolean flushScheduled;
  private boolean awaitsPackets;
  private boolean closeWanted;

  TcpConnection(
      TcpStack stack,
      long key,
      PeerAccount peer,
      TcpListener listener,
      StreamHandler handler,
      int sequence) {
    this.stack = stack;
    this.key = key;
    this.peer = peer;
    this.listener = listener;
    this.handler = handler;
    state = listener == null ? TcpState.SYN_SENT : TcpState.SYN_RECEIVED;
    timestampOffset = stack.timestampOffset(key);
    sender = new Sender(this, stack.sending(), sequence);
    receiver = new Receiver(this, stack.settings().receiveBuffer());
    lastReceivedAt = stack.now();
    stateDeadline = lastReceivedAt + stack.settings().connectTimeout();
  }

  /** The peer's address, as a number. */
  int remote() {
    return (int) (key >>> 32);
  }

  /** The peer's address. */
  public Ipv4Address remoteAddress() {
    return new Ipv4Address(remote());
  }

  /** The peer's port. */
  public int remotePort() {
    return (int) (key >>> 16) & 0xffff;
  }

  /** Our port. */
  public int localPort() {
    return (int) key & 0xffff;
  }

  /** The state. */
  public TcpState state() {
    return state;
  }

  /** The smoothed round trip in nanoseconds, 0 when none has been measured. */
  public long roundTrip() {
    return sender.timeout().smoothed();
  }

  @Override
  public PacketPool pool() {
    return stack.pool();
  }

  @Override
  public int emss() {
    return sender.emss();
  }

  @Override
  public long sendPosition() {
    return sender.endPosition();
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
    boolean room = room();
    boolean share = mayKeepSent();
    if (room && share && sender.sendable()) {
      return true;
    }
    wantsToSend = true;
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
  public long allocate() {
    boolean share = mayKeepSent();
    long packet = share ? stack.pool().allocate() : 0;
    if (packet == 0 && state != TcpState.CLOSED) {
      stack.counters().packetsExhausted++;
      wantsToSend = true;
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

  @Override
  public void send(long packet, boolean more) {
    if (state.open() || state == TcpState.SYN_SENT || state == TcpState.SYN_RECEIVED) {
      if (stack.pool().length(packet) > 0) {
        sender.send(packet, more);
        return;
      }
    }
    stack.pool().release(packet);
  }

  @Override
  public void nagle(boolean on) {
    sender.nagle(on);
  }

  @Override
  public long openPacket() {
    return sender.peerSynAcknowledged();
  }

  @Override
  public void extend(int octets, boolean more) {
    sender.extend(octets, more);
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
      wantsToSend = false;
      sender.close();
    }
  }

  @Override
  public void abort() {
    if (state == TcpState.CLOSED || state == TcpState.TIME_WAIT) {
      return;
    }
    if (state != TcpState.SYN_SENT) {
      reset();
    }
    terminate(CloseReason.ABORTED);
  }

  @Override
  public void alarm(long deadline) {
    if (handler != null) {
      // An alarm for now comes in the next turn, or a handler could keep this one from ending.
      alarmAt = Math.max(deadline, now() + 1);
      reschedule();
    }
  }

  @Override
  public long now() {
    return stack.now();
  }

  @Override
  public long unacknowledged() {
    return sender.unacknowledged();
  }

  // What the halves, and those who look after the state, need.

  Handshake opening() {
    return stack.opening();
  }

  ConnectionTimers timers() {
    return stack.timers();
  }

  SegmentSizes sizes() {
    return stack.sizes();
  }

  void become(TcpState next) {
    state = next;
  }

  /** The peer has sent something acceptable. */
  void received() {
    lastReceivedAt = stack.now();
  }

  TcpCounters counters() {
    return stack.counters();
  }

  boolean room() {
    return stack.room();
  }

  private boolean mayKeepSent() {
    return stack.sentPackets().grants(sender.kept(), peer.sent);
  }

  EarlyRangesPool earlyRanges() {
    return stack.earlyRanges();
  }

  /** Whether another packet may wait for its turn, when so many do. */
  boolean mayKeepEarly(int waiting) {
    return stack.earlyPackets().grants(waiting, peer.early);
  }

  boolean sendingScarce() {
    return stack.sentPackets().scarce();
  }

  /** Counts packets that the connection keeps until they are acknowledged. */
  void keepsSent(int more) {
    stack.sentPackets().keeps(more);
    peer.sent += more;
    if (more < 0) {
      stack.packetsAvailable();
    }
  }

  /** Waits for packets that are sent to be given back; whoever looks each turn never rests. */
  private void awaitPackets() {
    if (!awaitsPackets) {
      awaitsPackets = true;
      stack.awaitPackets(this);
    }
  }

  /** Packets have been given back. */
  void packetsAvailable() {
    awaitsPackets = false;
    scheduleFlush();
  }

  /** Counts packets that the connection keeps until their turn has come. */
  void keepsEarly(int more) {
    stack.earlyPackets().keeps(more);
    peer.early += more;
  }

  boolean wantsToSend() {
    return wantsToSend && state.open();
  }

  /** Our timestamp clock: milliseconds from a secret start (RFC 7323 section 5.4). */
  int timestamp() {
    return stack.timestampClock() + timestampOffset;
  }

  /** Nanoseconds since our timestamp was the given one, at least one tick. */
  long elapsed(int echo) {
    return Math.max(timestamp() - echo, 1) * MILLISECOND;
  }

  /** Looks after this connection before the burst is transmitted. */
  void scheduleFlush() {
    if (!flushScheduled) {
      flushScheduled = true;
      stack.scheduleFlush(this);
    }
  }

  /** Sends what could not be sent before, and the acknowledgment if it is still owed. */
  void flush() {
    flushScheduled = false;
    if (!state.synchronised()) {
      return;
    }
    sender.release();
    notifyIfSendable();
    if (state == TcpState.CLOSED) {
      return;
    }
    if (sender.held) {
      // What the user has sent just now does not wait for another turn.
      sender.release();
    }
    if (receiver.acknowledgmentDue()) {
      acknowledgeNow();
    } else if (receiver.acknowledgmentPending()) {
      scheduleFlush();
    }
  }

  /** How long an acknowledgment may wait for data to ride on. */
  long acknowledgmentDelay() {
    return stack.settings().acknowledgmentDelay();
  }

  /** Sends an acknowledgment now, not at the end of the burst. */
  void acknowledgeNow() {
    if (stack.output().control(this, sender.sequence(sender.max()), Tcp.ACK)) {
      stack.counters().acknowledgmentsOut++;
    } else {
      receiver.requestAcknowledgment();
      scheduleFlush();
    }
  }

  /** Sends a challenge ACK, if there have not been too many (RFC 5961 section 7). */
  void challenge() {
    if (stack.mayChallenge()) {
      stack.counters().challengeAcknowledgments++;
      acknowledgeNow();
    } else {
      stack.counters().challengesSuppressed++;
    }
  }

  /** Sends a reset. */
  void reset() {
    if (stack.output().control(this, sender.sequence(sender.max()), Tcp.RST | Tcp.ACK)) {
      stack.counters().resetsOut++;
    }
  }

  // Opening and closing.

  /** The user learns that EMSS is another. */
  void emssChanged() {
    if (state.synchronised() && handler != null) {
      stack.upcalls().emss(this, sender.emss());
    }
  }

  /** The handshake that the peer has begun is done, one way or the other. */
  void handshakeDone() {
    listener.leave();
    peer.handshakes--;
  }

  /** Asks who is to hear of the connection. */
  void accept(Acceptor acceptor) {
    stack.upcalls().accept(this, acceptor);
  }

  /** Both ends may send; what the user wanted before that happens now. */
  void opened() {
    if (handler != null) {
      stack.upcalls().open(this);
      sender.output();
    }
    if (closeWanted && state.open()) {
      closeSend();
    }
  }

  /** The peer's FIN has its turn (RFC 9293 section 3.10.7.4, eighth check). */
  void peerClosed() {
    if (state == TcpState.ESTABLISHED) {
      state = TcpState.CLOSE_WAIT;
    } else if (state == TcpState.FIN_WAIT_1) {
      state = TcpState.CLOSING;
    }
    stack.upcalls().peerClosed(this);
    if (state == TcpState.FIN_WAIT_2) {
      enterTimeWait();
    }
  }

  /** Our FIN has been acknowledged. */
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
    stack.timers().startTimeWait(this);
    sender.clear();
    receiver.clear();
    stack.upcalls().closed(this, CloseReason.NORMAL);
  }

  /** Forgets the connection and tells the user. */
  void terminate(CloseReason reason) {
    if (state == TcpState.CLOSED) {
      return;
    }
    if (listener != null && state == TcpState.SYN_RECEIVED) {
      handshakeDone();
    }
    state = TcpState.CLOSED;
    stack.forget(this);
    sender.clear();
    receiver.clear();
    stack.leave(peer);
    stack.upcalls().closed(this, reason);
  }

  /** Whether the user lets us take a segment with payload. */
  boolean accepts(TcpSegment segment, long position) {
    return stack.upcalls().accepts(this, position, segment.payload, segment.length);
  }

  void deliver(long position, long address, int length, long packet) {
    stack.upcalls().segment(this, position, address, length, packet);
  }

  /** A gap is closed: everything before the position has come. */
  void leftEdge(long position) {
    stack.upcalls().leftEdge(this, position);
  }

  /** Tells the user that sending may be tried again, if it asked and that is so. */
  void notifyIfSendable() {
    if (wantsToSend && sendable()) {
      wantsToSend = false;
      stack.upcalls().sendable(this);
    }
  }

  // Timers.

  /** Loads what every segment touches, from end to end; what it returns means nothing. */
  int prefetch() {
    return timerSlot + (int) lastReceivedAt + (flushScheduled ? 1 : 0) + (handler == null ? 1 : 0);
  }

  /** Makes sure that the earliest of the timers is not missed. */
  void reschedule() {
    if (state != TcpState.CLOSED) {
      stack.schedule(this, ConnectionTimers.deadline(this));
    }
  }

  /** Rings the user's alarm. */
  void fireAlarm(long now) {
    if (handler != null) {
      alarmAt = Long.MAX_VALUE;
      stack.upcalls().alarm(this, now);
    }
  }
}
