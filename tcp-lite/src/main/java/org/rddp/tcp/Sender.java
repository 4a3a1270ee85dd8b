package org.rddp.tcp;

import org.rddp.tcp.congestion.CongestionControl;
import org.rddp.tcp.loss.Acknowledgment;
import org.rddp.tcp.loss.Flight;
import org.rddp.tcp.loss.LossRecovery;
import org.rddp.tcp.loss.ReorderingWindow;
import org.rddp.tcp.loss.RetransmissionTimeout;
import org.rddp.wire.SequenceNumber;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpSegment;

/**
 * The sending half of a connection: what has been sent and acknowledged, and what acknowledgments
 * and timers mean for it (RFC 9293 section 3.8). What leaves is up to {@link SegmentTransmitter},
 * what is lost to {@link LossRecovery}; both need a {@link Flight} only while there is something to
 * send.
 *
 * <p>Stream positions stand for sequence numbers: our SYN has position -1, the first octet 0, the
 * FIN the position behind the last octet.
 */
final class Sender {
  final TcpConnection connection;
  final CongestionControl congestion;
  final RetransmissionTimeout timeout;
  final SendWindow window = new SendWindow();

  /** SND.UNA as a stream position. */
  long una = -1;

  /** SND.NXT: one past everything ever sent. */
  long max = -1;

  /** Stream position behind the last octet that the user has sent. */
  long end;

  /** What waits or is in flight; null when nothing does. */
  Flight flight;

  /** Null when there is no flight, and no window is waited for either. */
  SendTimer timer;

  int emss;

  /** Whether a segment that is not full waits while data is in flight. */
  boolean nagle;

  /** Whether the last segment stays open for more until the turn ends. */
  boolean held;

  /** Whether the peer is to be told that the congestion window was reduced (CWR of RFC 3168). */
  boolean windowReduced;

  /** When a segment was last sent. */
  long lastSentAt;

  private final StackContext shared;
  private final ReorderingWindow reordering = new ReorderingWindow();
  private final int initialSequence;

  /** EMSS as far as it is known what the path carries; {@link #blackHole} may say less. */
  private int pathEmss;

  private BlackHole blackHole;
  private int largestAcknowledged;
  private boolean finQueued;

  Sender(TcpConnection connection, StackContext shared, int sequence) {
    this.connection = connection;
    this.shared = shared;
    congestion = shared.congestion.control();
    timeout = new RetransmissionTimeout(shared.loss);
    initialSequence = sequence;
    nagle = shared.nagle;
  }

  /** The sequence number of a stream position. */
  int sequence(long position) {
    return initialSequence + 1 + (int) position;
  }

  /** SND.UNA as a stream position. */
  long una() {
    return una;
  }

  /** SND.NXT as a stream position: one past everything ever sent. */
  long max() {
    return max;
  }

  int emss() {
    return emss;
  }

  /** Octets of the largest segment acknowledged since the path changed. */
  int largestAcknowledged() {
    return largestAcknowledged;
  }

  RetransmissionTimeout timeout() {
    return timeout;
  }

  /** Stream position of the next octet that the user sends. */
  long endPosition() {
    return end;
  }

  /** Octets sent or waiting that are not acknowledged. */
  long unacknowledged() {
    return Math.max(end - Math.max(una, 0), 0);
  }

  /** Packets that are kept until they are acknowledged. */
  int kept() {
    return flight == null ? 0 : flight.queue.packets();
  }

  /** The SYN has left. */
  void synSent() {
    max = 0;
  }

  /** The peer's SYN said how much a segment may hold and how windows are scaled. */
  void negotiated(int effectiveMss, int windowShift) {
    emss = effectiveMss;
    pathEmss = effectiveMss;
    window.scale(windowShift);
    congestion.open(effectiveMss, connection.now());
    if (flight != null) {
      flight.recovery.negotiated(connection.sack, effectiveMss);
    }
  }

  /** Our SYN has been acknowledged. */
  void peerSynAcknowledged(TcpSegment segment, long position) {
    una = 0;
    window.open(segment.window, segment.has(Tcp.SYN), position);
  }

  /**
   * Takes a segment from the user.
   *
   * @param more whether more may be put into it before the turn ends
   */
  void send(long packet, boolean more) {
    Flight airborne = ensureFlight();
    int length = shared.pool.length(packet);
    boolean waits = airborne.board.unsent() < airborne.queue.tail();
    if (nagle && waits && airborne.queue.appendToLast(packet, emss)) {
      shared.pool.release(packet);
    } else {
      airborne.queue.add(packet);
      connection.keepsSent(1);
    }
    end += length;
    hold(more);
    output();
  }

  /** The packet of the segment that waits last, if more may be put into it; 0 otherwise. */
  long peerSynAcknowledged() {
    boolean waits = flight != null && !finQueued && flight.board.unsent() < flight.queue.tail();
    return waits ? flight.queue.openPacket() : 0;
  }

  /** Takes octets that the user has put into the segment that waits last. */
  void extend(int octets, boolean more) {
    if (peerSynAcknowledged() == 0) {
      throw new IllegalStateException("no segment is open");
    }
    flight.queue.extendLast(octets);
    end += octets;
    hold(more);
    output();
  }

  /** The segment that waits last leaves at the end of the turn, not before, or may leave now. */
  private void hold(boolean more) {
    held = more;
    if (more) {
      connection.scheduleFlush();
    }
  }

  /** Whether a segment that is not full waits from now on; what has waited so far may leave. */
  void nagle(boolean on) {
    nagle = on;
    if (flight != null) {
      output();
    }
  }

  /** The turn ends: sends whatever may leave now. */
  void release() {
    held = false;
    outputIfPending();
  }

  private Flight ensureFlight() {
    if (flight == null) {
      flight = shared.memory.acquire();
      flight.begin(congestion, timeout, reordering, connection.sack, emss, end);
      ensureTimer();
    }
    return flight;
  }

  /** A FIN follows everything sent so far. */
  void close() {
    held = false;
    ensureFlight().queue.addFin();
    finQueued = true;
    output();
  }

  /** Whether our FIN has been acknowledged. */
  boolean finAcknowledged() {
    return finQueued && una > end;
  }

  /** Whether nothing more can come from the user. */
  boolean finQueued() {
    return finQueued;
  }

  /** Whether a segment of EMSS octets would leave now. */
  boolean sendable() {
    return !finQueued && shared.departures.sendable(this);
  }

  /** Sends whatever may leave now. */
  void output() {
    if (!connection.state().synchronised()) {
      return;
    }
    if (blackHole != null && blackHole.trialDue(connection.now())) {
      blackHole.startTrial();
      emss(pathEmss);
    }
    shared.departures.output(this);
    startTimer();
  }

  /** Sends whatever may leave now, where no more has happened since the timer was started. */
  void outputIfPending() {
    boolean rests = flight == null ? timer == null : flight.isIdle();
    if (!rests) {
      output();
    }
  }

  // What the peer says.

  /**
   * Whether to believe what an acceptable segment acknowledges (RFC 9293 section 3.10.7.4, fifth
   * check); otherwise it is to be dropped: it acknowledges what was never sent, or what is too old
   * to be true (RFC 5961 section 5).
   */
  boolean isAcceptableAck(TcpSegment segment) {
    long ack = acknowledgedBy(segment);
    boolean believed = ack <= max && ack >= una - window.largest();
    if (!believed) {
      shared.counters.unacceptable++;
    }
    return believed;
  }

  private long acknowledgedBy(TcpSegment segment) {
    return una + SequenceNumber.distance(sequence(una), segment.acknowledgment);
  }

  /**
   * Processes the acknowledgment and the window of a segment that is {@linkplain #isAcceptableAck
   * believed}.
   *
   * @param position the segment's stream position
   */
  void acknowledged(TcpSegment segment, long position) {
    long ack = acknowledgedBy(segment);
    boolean same = !updateWindow(segment, position, ack);
    if (ack == max
        && flight != null
        && tellsNothingElse(segment)
        && flight.isSingleSegmentInOrder()) {
      acknowledgedAlone(ack);
    } else if (ack >= una && flight != null) {
      boolean duplicate = ack == una && same && max > una && segment.sequenceLength() == 0;
      if (duplicate) {
        shared.counters.duplicateAcknowledgments++;
      }
      processAcknowledgment(segment, ack, duplicate);
    }
  }

  /** Takes the window of a segment; returns whether it has changed. */
  private boolean updateWindow(TcpSegment segment, long position, long ack) {
    boolean changed = ack >= una && window.update(segment.window, position, ack);
    if (timer == null) {
      return changed;
    }
    if (changed && max == una) {
      // The window no longer holds us back, or not as it did: the persist timer starts afresh.
      timer.windowChanged();
    }
    if (window.octets() < emss && !connection.sendingScarce()) {
      // The peer is alive and wants us to wait: that is no reason to give it up, unless others have
      // no packets to send with on its account (RFC 6429).
      timer.progress();
    }
    return changed;
  }

  private boolean tellsNothingElse(TcpSegment segment) {
    return segment.options.sackBlocks() == 0 && !segment.has(Tcp.ECE);
  }

  /**
   * The one segment in flight has arrived, as a message that travels alone does each time: what
   * {@link #processAcknowledgment} comes to then, in fewer steps.
   */
  private void acknowledgedAlone(long ack) {
    int length = flight.acknowledgedAlone(una, ack, connection.now());
    largestAcknowledged = Math.max(largestAcknowledged, length);
    una = ack;
    releaseFlight();
    timer.acknowledged();
    startTimer();
    refuteBlackHole();
  }

  private void processAcknowledgment(TcpSegment segment, long ack, boolean duplicate) {
    Acknowledgment a = shared.acknowledgment;
    a.una = una;
    a.ack = ack;
    a.sequence = segment.acknowledgment;
    a.max = max;
    a.oldest = una - window.largest();
    a.options = segment.options;
    a.timestamps = connection.timestamps && segment.options.timestamps();
    a.timestampRoundTrip = 0;
    if (a.timestamps && ack > una) {
      a.timestampRoundTrip = connection.elapsed(segment.options.timestampEcho());
    }
    a.duplicate = duplicate;
    a.congestion = connection.ecn && segment.has(Tcp.ECE);
    a.canSendNew = shared.departures.windowHasRoom(this);
    a.now = connection.now();
    int before = kept();
    if (flight.recovery.acknowledged(a)) {
      shared.counters.fastRetransmits++;
    }
    una = ack;
    largestAcknowledged = Math.max(largestAcknowledged, flight.recovery.largestDelivered());
    connection.keepsSent(kept() - before);
    noteReduction();
    if (ack > a.una) {
      timer.acknowledged();
    }
    releaseFlightIfDone();
    startTimer();
    refuteBlackHole();
  }

  /** Segments longer than what the path is taken to carry got through after all. */
  private void refuteBlackHole() {
    if (blackHole != null && largestAcknowledged > blackHole.emss()) {
      blackHole = null;
      emss(pathEmss);
    }
  }

  private void noteReduction() {
    windowReduced |= flight.recovery.takeReduced();
  }

  /** Gives the flight back when there is nothing left to send, nor to learn. */
  private void releaseFlightIfDone() {
    if (flight.queue.size() == 0 && !flight.recovery.unresolved()) {
      releaseFlight();
    }
  }

  private void releaseFlight() {
    connection.keepsSent(-kept());
    flight.end(connection.now());
    flight = null;
  }

  // Time.

  /**
   * Starts the timer if something is in flight, or if only the peer's window holds us back, or if
   * the peer may yet say that something came twice.
   */
  void startTimer() {
    boolean shut = connection.wantsToSend() && window.octets() == 0;
    if (flight == null && !shut) {
      releaseTimer();
      return;
    }
    ensureTimer();
    timer.nothingEarlier();
    if (max > una) {
      timer.start(timeout.current());
      startEarlier(flight.recovery);
    } else if (shut || flight.board.unsent() < flight.queue.tail()) {
      timer.start(timeout.backedOff(timer.expirations()));
    } else {
      timer.start(timeout.current());
    }
    timer.schedule();
  }

  private void ensureTimer() {
    if (timer == null) {
      timer = shared.timers.acquire(connection);
    }
  }

  /** There is nothing to wait for. */
  private void releaseTimer() {
    if (timer != null) {
      shared.timers.release(timer);
      timer = null;
      connection.retransmitAt = Long.MAX_VALUE;
    }
  }

  private void startEarlier(LossRecovery recovery) {
    if (recovery.reorderingDeadline() != Long.MAX_VALUE) {
      timer.reorderingAt(recovery.reorderingDeadline());
    } else if (recovery.wantsProbe()) {
      timer.probeAfter(recovery.probeTimeout(shared.loss));
    }
  }

  /**
   * The timer has expired.
   *
   * @return false when the peer has not answered for so long that the connection is to be given up
   */
  boolean expired(long userTimeout) {
    if (timer.earlierDue()) {
      earlier();
    } else if (timer.givesUp(userTimeout)) {
      return false;
    } else if (max > una) {
      if (!connection.sizes().applyClaim(connection)) {
        retransmit();
      }
    } else if (flight != null && flight.queue.size() == 0) {
      releaseFlight();
      startTimer();
    } else {
      probeWindow();
    }
    return true;
  }

  /** What comes before the timeout has come. */
  private void earlier() {
    if (timer.probe()) {
      shared.departures.probeTail(this);
      timer.restart();
    } else if (flight.recovery.reorderingExpired(una, max, connection.now())) {
      shared.counters.fastRetransmits++;
    }
    noteReduction();
    output();
  }

  /** The first segment goes again, and the rest slowly (RFC 5681 section 3.1, RFC 6298 5.4-5.6). */
  private void retransmit() {
    shared.counters.timeouts++;
    int before = timer.expired();
    long now = connection.now();
    flight.recovery.timedOut(una, max, before > 0, now);
    timeout.backOff();
    noteReduction();
    int first = flight.queue.slot(flight.queue.head());
    // That the peer has shut its window says enough, if it did so before what is missing.
    boolean offered = flight.queue.end(first) <= una + window.octets();
    boolean swallowed = offered && suspectBlackHole(flight.queue.length(first), before + 1, now);
    shared.departures.repeatFirst(this);
    startTimer();
    if (swallowed) {
      connection.emssChanged();
    }
  }

  /** Whether the path is now taken to swallow segments of that length. */
  private boolean suspectBlackHole(int length, int timeouts, long now) {
    int options = connection.timestamps ? TcpStack.TIMESTAMP_OCTETS : 0;
    boolean failed = blackHole != null && blackHole.inTrial() && length > blackHole.emss();
    boolean again = blackHole != null;
    if (!failed && !BlackHole.suspected(length, timeouts, largestAcknowledged, options, again)) {
      return false;
    }
    if (blackHole == null) {
      blackHole = BlackHole.dropping(length, options, now);
    } else if (failed) {
      blackHole.trialFailed(now);
    } else {
      blackHole.lower(length, options, now);
    }
    shared.counters.blackHoles++;
    largestAcknowledged = 0;
    return changeEmss(Math.min(pathEmss, blackHole.emss()));
  }

  /**
   * Only the window holds us back. If it is open a little, the next segment is cut to it; if it is
   * closed, an empty segment with an old sequence number makes the peer say how wide it is now: an
   * octet of new data, as RFC 9293 section 3.8.6.1 has it, would tear an FPDU from its segment.
   */
  private void probeWindow() {
    if (timer.expired() == 0) {
      timer.awaitProgress();
    }
    if (window.octets() > 0) {
      shared.departures.force(this);
    } else if (shared.output.control(connection, sequence(una - 1), Tcp.ACK)) {
      shared.counters.probes++;
    }
    startTimer();
  }

  // The path.

  /** The path carries, or may carry, segments of so many octets. */
  void pathEmss(int octets) {
    pathEmss = octets;
    largestAcknowledged = 0;
    if (blackHole != null && octets <= blackHole.emss()) {
      blackHole = null;
    }
    emss(blackHole == null ? octets : Math.min(octets, blackHole.emss()));
  }

  /** EMSS changes: what is longer and in flight is sent again in pieces. */
  private void emss(int octets) {
    if (changeEmss(octets)) {
      if (connection.state().synchronised()) {
        shared.departures.output(this);
        startTimer();
      }
      connection.emssChanged();
    }
  }

  /** Returns whether EMSS is another now. */
  private boolean changeEmss(int octets) {
    if (octets == emss) {
      return false;
    }
    emss = octets;
    congestion.emss(octets);
    if (flight != null) {
      flight.recovery.emssLowered(octets, max);
    }
    return true;
  }

  /** Loads what every segment touches, from end to end; what it returns means nothing. */
  int prefetch() {
    return (int) una + emss + (int) window.octets() + (finQueued ? 1 : 0);
  }

  /** Gives back every packet. */
  void clear() {
    if (flight != null) {
      releaseFlight();
    }
    releaseTimer();
  }
}
