package org.rddp.tcp;

import org.rddp.device.Offloads;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.congestion.CongestionControl;
import org.rddp.tcp.loss.Acknowledgment;
import org.rddp.tcp.loss.Flight;
import org.rddp.tcp.loss.LossRecovery;
import org.rddp.tcp.loss.LossState;
import org.rddp.tcp.loss.ReorderingWindow;
import org.rddp.tcp.loss.RetransmissionTimeout;
import org.rddp.tcp.loss.SegmentQueue;
import org.rddp.wire.Ipv4;
import org.rddp.wire.SequenceNumber;
import org.rddp.wire.Tcp;
import org.rddp.wire.TcpSegment;

/**
 * The sending half of a connection: decides which segments are sent, and processes acknowledgments
 * and timers (RFC 9293 section 3.8). {@link LossRecovery} finds lost segments. A {@link Flight} is
 * borrowed while there is something to send.
 *
 * <p>Segments leave in the packets that the user built and with the boundaries with which they were
 * first sent, lost ones before new ones. Stream positions stand for sequence numbers: our SYN has
 * position -1, the first octet 0, the FIN the position behind the last octet.
 */
final class Sender {
  CongestionControl congestion;
  final RetransmissionTimeout timeout;

  private final TcpConnection connection;
  private final StackContext context;
  private final ReorderingWindow reordering = new ReorderingWindow();
  private final SendWindow window = new SendWindow();
  private int initialSequence;
  private long una = -1;
  private long max = -1;
  private long end;

  /** Segments that wait or are in flight; null if there are none. */
  private Flight flight;

  /** Null without a flight, unless the timer has a reason of its own: see {@link #startTimer}. */
  private SendTimer timer;

  // Maintained by {@link SegmentSizes}.

  int emss;

  /** EMSS by the path MTU; {@link #blackHole} may lower it. */
  int pathEmss;

  /** Octets of the largest segment acknowledged since the path changed. */
  int largestAcknowledged;

  /** Null unless the path drops long segments. */
  BlackHole blackHole;

  /** Segments sent again. */
  private int retransmitted;

  /** When a segment was last sent. */
  private long lastSentAt;

  /** Whether the last segment waits for more data until the turn ends. */
  private boolean held;

  /** Whether the next new segment carries CWR: the window was reduced (RFC 3168 section 6.1.2). */
  private boolean windowReduced;

  private boolean finQueued;

  /** Null unless the round trip is long enough. */
  private Pacing pacing;

  /**
   * Whether a segment was dropped for want of a security association, after the last change of
   * these.
   */
  boolean unsealed;

  Sender(TcpConnection connection, int sequence, CongestionControl congestion) {
    this.connection = connection;
    this.congestion = congestion;
    context = connection.context;
    timeout = new RetransmissionTimeout(context.loss);
    initialSequence = sequence;
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

  /** Stream position of the next octet that the user sends. */
  long end() {
    return end;
  }

  int emss() {
    return emss;
  }

  /**
   * The most octets of a segment with its SACK option. While a trial sends longer segments than the
   * path is known to carry, segments that it does carry must not exceed that length.
   */
  int emssOf(int length) {
    return blackHole != null && length <= blackHole.emss() ? blackHole.emss() : emss;
  }

  /** Octets sent or waiting, and not acknowledged. */
  long unacknowledged() {
    return Math.max(end - Math.max(una, 0), 0);
  }

  /** Octets of the peer's window, from its last acknowledgment on. */
  long peerWindow() {
    return window.octets();
  }

  /** Payload octets sent, each counted once. */
  long sent() {
    return Math.min(Math.max(max, 0), end);
  }

  /** Segments sent again. */
  int retransmitted() {
    return retransmitted;
  }

  /** How losses are being repaired. */
  LossState lossState() {
    return flight == null ? LossState.OPEN : flight.recovery.state();
  }

  /** Changes congestion control. */
  void congestion(CongestionControl control) {
    if (emss > 0) {
      control.open(emss, context.now);
      control.follow(congestion);
    }
    congestion = control;
    if (flight != null) {
      flight.recovery.congestion(control);
    }
  }

  /** The shift of the peer's windows. */
  int windowShift() {
    return window.shift();
  }

  /** Packets, trains apart, that are kept until they are acknowledged. */
  int kept() {
    return flight == null ? 0 : flight.queue.packets();
  }

  /** Trains that are kept until they are acknowledged. */
  int keptTrains() {
    return flight == null ? 0 : flight.queue.trains();
  }

  /** Records that the SYN has been sent. */
  void synSent() {
    max = 0;
  }

  /** Takes EMSS and the window scale of the peer's SYN. */
  void negotiated(int effectiveMss, int windowShift) {
    emss = effectiveMss;
    pathEmss = effectiveMss;
    window.scale(windowShift);
    congestion.open(effectiveMss, context.now);
    if (flight != null) {
      flight.recovery.negotiated(connection.agreed.sack(), effectiveMss);
    }
  }

  /** Processes the acknowledgment of our SYN. */
  void synAcknowledged(TcpSegment segment, long position) {
    una = 0;
    window.open(segment.window, segment.has(Tcp.SYN), position);
  }

  // The user sends.

  /**
   * Takes a segment from the user.
   *
   * @param more whether more data may be put into it before the turn ends
   */
  void send(long packet, boolean more) {
    int length = context.pool.length(packet);
    // MPA-5.1-08, MPAA-1-04; D03-7.3-03: "MUST transmit it or fail the connection"
    ensureFlight().queue.add(packet);
    connection.keepsSent(1);
    added(length, more);
  }

  /** Takes the first segment of a train from the user. */
  void beginTrain(long packet) {
    int length = context.pool.length(packet);
    ensureFlight().queue.addTrain(packet, longestTrain(), context.wholeTrains);
    connection.keepsTrains(1);
    addedToTrain(length);
  }

  /** Octets with which the waiting train goes on; 0 if there is none: {@link TcpStream}. */
  int trainSegment() {
    return flight == null ? 0 : flight.queue.trainSegment(emss);
  }

  /** Octets that the last segment has room for, if it waits and data may be appended. */
  int openRoom() {
    boolean waits = flight != null && !finQueued && flight.board.unsent() < flight.queue.tail();
    return waits ? flight.queue.openRoom(emss) : 0;
  }

  /**
   * Address behind the segment that waits, or behind the waiting train, for so many octets; 0 if
   * there is no room.
   *
   * @param packs whether they may be a part of that segment
   */
  long roomBehind(int octets, boolean packs) {
    int open = openRoom();
    boolean room = open == 0 ? octets <= trainSegment() : packs && octets <= open;
    return room ? flight.queue.behind() : 0;
  }

  /** Takes octets that the user has written to {@link #roomBehind}. */
  void commitBehind(int octets, boolean more) {
    int open = openRoom();
    if (octets > (open == 0 ? trainSegment() : open)) {
      throw new IllegalStateException("no room was reserved for " + octets + " octets");
    }
    boolean inTrain = flight.queue.hasOpenTrain();
    if (open == 0) {
      flight.queue.addBehind(octets);
    } else {
      flight.queue.extendLast(octets);
    }
    if (more && trainSegment() != 0) {
      addedToTrain(octets);
    } else {
      flight.queue.endTrain();
      added(octets, more && !inTrain);
    }
  }

  /** The most octets of a train that begins now. */
  private int longestTrain() {
    return pacing == null
        ? context.longestTrain
        : Math.min(context.longestTrain, Pacing.burst(congestion.window(), emss));
  }

  private void addedToTrain(int octets) {
    end += octets;
    held = true;
    connection.scheduleFlush();
  }

  private void added(int octets, boolean more) {
    end += octets;
    held = more;
    if (more) {
      connection.scheduleFlush();
    }
    output();
  }

  /** Sends a FIN after everything else. */
  void close() {
    endHold();
    ensureFlight().queue.addFin();
    finQueued = true;
    output();
  }

  /** Whether our FIN has been acknowledged. */
  boolean finAcknowledged() {
    return finQueued && una > end;
  }

  /** Ends the turn: sends what was held for more data. */
  void endTurn() {
    endHold();
    outputIfPending();
  }

  private void endHold() {
    held = false;
    if (flight != null) {
      flight.queue.endTrain();
    }
  }

  void endTurnIfHeld() {
    if (held) {
      endTurn();
    }
  }

  private Flight ensureFlight() {
    if (flight == null) {
      flight = context.flights.acquire();
      flight.begin(congestion, timeout, reordering, connection.agreed.sack(), emss, end);
      ensureTimer();
    }
    return flight;
  }

  private void releaseFlightIfDone() {
    if (flight.queue.size() == 0 && !flight.recovery.unresolved()) {
      releaseFlight();
    }
  }

  private void releaseFlight() {
    connection.keepsSent(-kept());
    connection.keepsTrains(-keptTrains());
    flight.end(context.now);
    flight = null;
  }

  // Which segments are sent.

  /**
   * Whether a segment of EMSS octets would be sent now. With nothing in flight any open window
   * suffices: if the peer's window is always small, segments are sent in pieces.
   */
  boolean sendable() {
    if (finQueued) {
      return false;
    }
    if (flight == null) {
      return window.octets() > 0;
    }
    long waiting = flight.queue.tail() - flight.board.unsent();
    int open = 0;
    if (waiting > 0 && !flight.queue.hasOpenTrain()) {
      open = flight.queue.length(flight.queue.last());
      if (waiting > 1 || !held || open >= emss) {
        return false;
      }
    }
    if (paced() || flight.recovery.nextToRetransmit() != SegmentQueue.NONE) {
      return false;
    }
    long allowed =
        Math.min(window.octets() - (end - una), flight.recovery.allowance() - (end - max));
    return allowed + open >= emss || (window.octets() > 0 && end == una);
  }

  /** Sends what may be sent now. */
  void output() {
    if (!connection.state().synchronised()) {
      return;
    }
    if (blackHole != null && blackHole.trialDue(context.now)) {
      context.sizes.tryLonger(connection);
    }
    transmitPending(false);
    startTimer();
  }

  /** Like {@link #output}, but does nothing unless data waits: the timer is already right. */
  void outputIfPending() {
    boolean idle = flight == null ? timer == null : flight.isIdle();
    if (!idle) {
      output();
    }
  }

  /**
   * Sends what may be sent now.
   *
   * @param forced whether new segments are cut to fit a small window of the peer; otherwise they
   *     wait for it to open (RFC 9293 section 3.8.6.2.1)
   */
  private void transmitPending(boolean forced) {
    if (flight == null) {
      return;
    }
    if (max == una && context.now - lastSentAt > timeout.current()) {
      congestion.onIdle(context.now);
    }
    if (flight.recovery.newDataFirst()) {
      transmitNew(forced);
    }
    if (flight.recovery.nextToRetransmit() == SegmentQueue.NONE || retransmitLost()) {
      transmitNew(forced);
    }
  }

  /** Octets that the peer's window allows beyond those sent. */
  private long offered() {
    return una + window.octets() - max;
  }

  private boolean windowHasRoomForNew() {
    long next = flight.board.unsent();
    return next < flight.queue.tail() && longestAgain(flight.queue.slot(next)) <= offered();
  }

  /** Octets of a segment, at most those that can be sent at once. */
  private int longest(int slot) {
    boolean isWhole = isTrain(slot) && blackHole == null && flight.queue.isAlone(slot);
    return isWhole ? flight.queue.length(slot) : longestAgain(slot);
  }

  /** Octets of a segment, at most those that can be sent again at once: one of a whole train's. */
  private int longestAgain(int slot) {
    return Math.min(flight.queue.length(slot), isTrain(slot) ? flight.queue.unit(slot) : most());
  }

  /** Whether it is a whole train, and the path carries its segments. */
  private boolean isTrain(int slot) {
    int unit = flight.queue.unit(slot);
    return unit > 0 && unit <= emss;
  }

  /**
   * The longest payload of one frame. On a path that drops long segments the device cuts none, so
   * that it is known which lengths were acknowledged.
   */
  private int most() {
    return blackHole == null ? context.output.largest(connection) : emss;
  }

  /** Sends lost segments again; returns whether all of them have been sent. */
  private boolean retransmitLost() {
    LossRecovery recovery = flight.recovery;
    int slot = recovery.nextToRetransmit();
    while (slot != SegmentQueue.NONE) {
      boolean first = slot == flight.queue.slot(flight.queue.head());
      int length = longestAgain(slot);
      boolean offered = flight.queue.position(slot) + length <= una + window.octets();
      if ((!first && !offered) || !recovery.maySend(length) || !retransmit(slot)) {
        return false;
      }
      slot = recovery.nextToRetransmit();
    }
    return true;
  }

  /** Sends a segment again, or as much of it as the path carries now. */
  private boolean retransmit(int slot) {
    int part = slot;
    int longest = longestAgain(slot);
    if (flight.queue.length(slot) > longest) {
      // MPA-4.5-08, MPA-5.1-07, MPAA-1-05, MPAA-5.2-05
      part = split(flight.queue.find(flight.queue.position(slot)), longest);
    }
    if (part == flight.queue.slot(flight.queue.head())) {
      timer.restart();
    }
    return transmitOrRetry(part, true); // MPAA-1-08, MPAB-2.2-06, D03-7.3-05
  }

  /** Sends new segments while they may be sent. */
  private void transmitNew(boolean forced) {
    while (flight.board.unsent() < flight.queue.tail()) {
      if (!transmitNext(forced, false)) {
        return;
      }
    }
  }

  /**
   * Sends the first segment that was not sent yet, if it may be sent.
   *
   * @param forced see {@link #transmitPending}
   * @param probe whether it may exceed the congestion window (RFC 8985 section 7.3)
   */
  private boolean transmitNext(boolean forced, boolean probe) {
    long number = flight.board.unsent();
    int slot = flight.queue.slot(number);
    if (flight.queue.packet(slot) != 0) {
      int octets = !probe && paced() ? 0 : sendableOctets(slot, forced, probe);
      if (octets == 0) {
        return false;
      }
      if (octets < flight.queue.length(slot)) {
        slot = split(number, octets); // MPA-4.5-08, MPA-5.1-07, MPAA-1-05, MPAA-5.2-05
      } else if (!probe && octets <= emss && octets >= Offloads.LEAST_SEGMENT) {
        int count = sendableTrain(number);
        if (count > 1) {
          return transmitTrain(number, count);
        }
      }
    }
    return transmitOrRetry(slot, false);
  }

  /** Whether new segments wait for the rate; not while nothing is in flight. */
  private boolean paced() {
    return pacing != null && max > una && pacing.paused(context.now);
  }

  /**
   * How many new segments, of which the first may be sent, may be sent as one frame. The device
   * repeats a frame's flags in each segment that it cuts, so CWR needs a frame with one segment.
   */
  private int sendableTrain(long number) {
    if (context.longestTrain == 0
        || (windowReduced && connection.ecn)
        || !context.output.cuttable(connection)) {
      return 1;
    }
    long allowed = Math.min(offered(), flight.recovery.allowance());
    int count = flight.queue.run(number, Math.min(allowed, context.longestTrain));
    return count > 1 && waitsForMore(flight.queue.slot(number + count - 1)) ? count - 1 : count;
  }

  /** Sends new segments that lie one behind the other in one packet, as one frame. */
  private boolean transmitTrain(long number, int count) {
    if (!context.ip.room()) {
      connection.scheduleFlush();
      return false;
    }
    SegmentQueue queue = flight.queue;
    int first = queue.slot(number);
    int last = queue.slot(number + count - 1);
    int ecn = connection.ecn ? Ipv4.ECT_0 : Ipv4.NOT_ECT;
    context.transmitter.transmitTrain(connection, queue, first, last, flags(last), ecn);
    countTrain(count);
    int octets = (int) (queue.end(last) - queue.position(first));
    sentNew(last, octets);
    flight.recovery.sentTrain(number, count, octets, lastSentAt);
    return true;
  }

  private void countTrain(int segments) {
    if (segments > 1) {
      context.counters.trainsOut++;
      context.counters.trainSegmentsOut += segments;
    }
  }

  /** The flags of a frame whose last segment is this one. */
  private int flags(int slot) {
    return flight.queue.end(slot) == end ? Tcp.ACK | Tcp.PSH : Tcp.ACK;
  }

  /** Records that a frame with new octets, up to the end of this segment, has been sent. */
  private void sentNew(int slot, int octets) {
    progressed();
    max = flight.queue.end(slot);
    pacing = Pacing.sent(pacing, octets, this, context);
    timer.sent();
    context.counters.octetsOut += octets;
  }

  /** Starts to wait for the peer after a frame has been sent. */
  private void progressed() {
    if (max == una) {
      timer.sentFirst();
    }
    lastSentAt = context.now;
  }

  private int split(long number, int octets) {
    context.counters.split++;
    int slot = flight.queue.slot(number);
    int unit = flight.queue.unit(slot);
    if (octets < unit && unit < flight.queue.length(slot)) {
      // Those behind it in the train stay whole.
      flight.board.split(number, unit);
    }
    return flight.board.split(number, octets);
  }

  /**
   * Octets of a new segment that may be sent now, 0 for none. A segment is cut only if it exceeds
   * the EMSS, or if it exceeds the peer's window with nothing in flight, since then no
   * acknowledgment would open the window (RFC 9293 section 3.8.6.2.1).
   */
  private int sendableOctets(int slot, boolean forced, boolean probe) {
    long offered = offered();
    int octets = isTrain(slot) ? ofTrain(slot, offered, probe) : longest(slot);
    if (octets > offered) {
      boolean silly = offered < window.largest() / 2 && !forced;
      if (max > una || offered <= 0 || silly) {
        return 0;
      }
      octets = (int) offered;
    }
    if (!probe && (!flight.recovery.maySend(octets) || waitsForMore(slot))) {
      return 0;
    }
    return octets;
  }

  /** Octets of a whole train that may be sent: all, or some of its segments, but at least one. */
  private int ofTrain(int slot, long offered, boolean probe) {
    int unit = flight.queue.unit(slot);
    int octets = longest(slot);
    long allowed = probe ? unit : Math.min(offered, flight.recovery.allowance());
    return octets <= allowed
        ? octets
        : (int) Math.min(Math.max(allowed - allowed % unit, unit), octets);
  }

  /**
   * Whether a segment waits for more data, or its train for more segments, until the turn ends,
   * because the user has announced more.
   */
  private boolean waitsForMore(int slot) {
    if (flight.queue.isInOpenTrain(slot)) {
      return true;
    }
    // MPAA-2-05, D03-7.3-02
    return held && slot == flight.queue.last() && flight.queue.length(slot) < emss;
  }

  /**
   * Sends the tail loss probe: the next new segment if the peer has room for it, else the last one
   * again (RFC 8985 section 7.3).
   */
  private void probeTail() {
    long before = flight.board.unsent();
    timer.sent();
    if (before < flight.queue.tail()) {
      flight.queue.endTrain();
      transmitNext(false, true);
    }
    if (flight.board.unsent() > before) {
      flight.recovery.probeSent(max, false);
    } else if (transmitSegment(flight.queue.slot(before - 1), true)) {
      flight.recovery.probeSent(max, true);
    }
  }

  private boolean transmitOrRetry(int slot, boolean again) {
    boolean sent = transmitSegment(slot, again);
    if (!sent) {
      connection.scheduleFlush();
    }
    return sent;
  }

  /** Sends one segment; returns false if there is no room, or no packet for a copy. */
  private boolean transmitSegment(int slot, boolean again) {
    if (!context.ip.room()) {
      return false;
    }
    SegmentQueue queue = flight.queue;
    int flags = flags(slot);
    int ecn = Ipv4.NOT_ECT;
    boolean data = queue.packet(slot) != 0;
    if (data && connection.ecn && !again) {
      // Retransmissions carry neither ECT nor CWR (RFC 3168 section 6.1.5).
      ecn = Ipv4.ECT_0; // ACC-3.1.5-10
      flags |= windowReduced ? Tcp.CWR : 0;
    }
    if (!context.transmitter.transmit(connection, queue, slot, flags, ecn)) {
      return false;
    }
    if (again) {
      context.ecn.retransmitted(connection);
      progressed();
      context.counters.retransmitted++;
      retransmitted++;
    } else {
      sentNew(slot, data ? queue.length(slot) : 0);
      countTrain(queue.segments(slot));
      windowReduced = windowReduced && !(data && connection.ecn);
    }
    flight.recovery.sent(slot, connection.timestamp(), lastSentAt);
    return true;
  }

  // Acknowledgments.

  /**
   * Whether an acknowledgment is acceptable (RFC 9293 section 3.10.7.4, fifth check): neither of
   * octets never sent nor too old (RFC 5961 section 5).
   */
  boolean isAcceptableAck(TcpSegment segment) {
    long ack = acknowledgedBy(segment);
    boolean acceptable = ack <= max && ack >= una - window.largest();
    if (!acceptable) {
      context.counters.unacceptable++;
    }
    return acceptable;
  }

  /** Whether the acknowledgment is below SND.UNA. */
  boolean isOldAck(TcpSegment segment) {
    return acknowledgedBy(segment) < una;
  }

  private long acknowledgedBy(TcpSegment segment) {
    return una + SequenceNumber.distance(sequence(una), segment.acknowledgment);
  }

  /**
   * Processes the acknowledgment and the window of a segment whose acknowledgment {@linkplain
   * #isAcceptableAck is acceptable}.
   *
   * @param position stream position of the segment
   */
  void acknowledged(TcpSegment segment, long position) {
    long ack = acknowledgedBy(segment);
    boolean same = !updateWindow(segment, position, ack);
    if (ack == max
        && flight != null
        && segment.options.sackBlocks() == 0
        && flight.isSingleSegmentInOrder()
        && context.ecn.isQuiet(connection, segment, ack - una)) {
      acknowledgedAlone(ack);
    } else if (ack >= una && flight != null) {
      boolean duplicate = ack == una && same && max > una && segment.sequenceLength() == 0;
      if (duplicate) {
        context.counters.duplicateAcknowledgments++;
      }
      processAcknowledgment(segment, ack, duplicate);
    } else if (flight != null && connection.agreed.sack() && segment.options.sackBlocks() > 0) {
      processOldAcknowledgment(segment, ack);
    }
  }

  /** Processes the D-SACK of an acknowledgment that a later one has overtaken. */
  private void processOldAcknowledgment(TcpSegment segment, long ack) {
    flight.recovery.acknowledgedBefore(
        segment.options, ack, segment.acknowledgment, max, una - window.largest(), context.now);
    releaseFlightIfDone();
  }

  /** Updates the peer's window from a segment; returns whether it has changed. */
  private boolean updateWindow(TcpSegment segment, long position, long ack) {
    boolean changed = ack >= una && window.update(segment.window, position, ack);
    if (timer == null) {
      return changed;
    }
    if (changed && max == una) {
      timer.windowChanged();
    }
    if (window.octets() < emss && !context.sentPackets.scarce()) {
      // A peer whose window stays below a segment is alive: the connection is given up only when
      // packets are scarce (RFC 6429).
      timer.progress();
    }
    return changed;
  }

  /**
   * Processes the acknowledgment of the only segment in flight, as after each message sent alone: a
   * short form of {@link #processAcknowledgment}.
   */
  private void acknowledgedAlone(long ack) {
    int length = flight.acknowledgedAlone(una, ack, context.now);
    largestAcknowledged = Math.max(largestAcknowledged, length);
    una = ack;
    releaseFlight();
    timer.acknowledged();
    startTimer();
    if (blackHole != null) {
      context.sizes.refuteBlackHole(connection);
    }
  }

  private void processAcknowledgment(TcpSegment segment, long ack, boolean duplicate) {
    Acknowledgment a = context.acknowledgment;
    a.una = una;
    a.ack = ack;
    a.max = max;
    a.oldest = una - window.largest();
    a.take(segment, connection.agreed.timestamps());
    if (a.timestamps && ack > una) {
      a.timestampRoundTrip = connection.elapsed(segment.options.timestampEcho());
    }
    a.duplicate = duplicate;
    context.ecn.feedback(connection, segment, a);
    a.canSendNew = windowHasRoomForNew();
    a.now = context.now;
    int before = kept();
    int trainsBefore = keptTrains();
    if (flight.recovery.acknowledged(a)) {
      context.counters.fastRetransmits++;
    }
    una = ack;
    largestAcknowledged = Math.max(largestAcknowledged, flight.recovery.largestDelivered());
    connection.keepsSent(kept() - before);
    connection.keepsTrains(keptTrains() - trainsBefore);
    noteReduction();
    context.ecn.checkFeedback(connection);
    if (ack > a.una) {
      timer.acknowledged();
    }
    releaseFlightIfDone();
    startTimer();
    if (blackHole != null) {
      context.sizes.refuteBlackHole(connection);
    }
  }

  private void noteReduction() {
    windowReduced |= flight.recovery.takeReduced() && connection.accurate == null; // ACC-3.1.5-11
  }

  // Timers.

  /**
   * Starts the timer if data is in flight, if data waits for the peer's window to open, or if a
   * D-SACK may still come.
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
      boolean alone = flight.board.outstanding() == 1;
      timer.start(alone ? timeout.currentAlone() : timeout.current(), alone);
      startEarlier(flight.recovery);
      if (paced() && (connection.wantsToSend() || flight.board.unsent() < flight.queue.tail())) {
        context.paces = true;
        timer.pausedUntil(pacing.end());
      }
    } else if (shut || flight.board.unsent() < flight.queue.tail()) {
      timer.start(timeout.backedOff(timer.expirations()));
    } else {
      timer.start(timeout.current());
    }
    timer.schedule();
  }

  private void ensureTimer() {
    if (timer == null) {
      timer = context.sendTimers.acquire(connection);
    }
  }

  private void releaseTimer() {
    if (timer != null) {
      context.sendTimers.release(timer);
      timer = null;
      connection.retransmitAt = Long.MAX_VALUE;
    }
  }

  private void startEarlier(LossRecovery recovery) {
    if (recovery.reorderingDeadline() != Long.MAX_VALUE) {
      timer.reorderingAt(recovery.reorderingDeadline());
    } else if (recovery.wantsProbe()) {
      timer.probeAfter(recovery.probeTimeout(context.loss));
    }
  }

  /**
   * Handles the expired timer.
   *
   * @return false if the peer has not answered for so long that the connection must be given up
   */
  boolean expired(long userTimeout) {
    if (timer.pauseEnds()) {
      connection.scheduleFlush();
      startTimer();
    } else if (timer.earlierDue()) {
      expiredEarlier();
    } else if (timer.givesUp(userTimeout)) {
      return false;
    } else if (max > una) {
      if (!context.sizes.applyClaim(connection)) {
        timedOut();
      }
    } else if (flight != null && flight.queue.size() == 0) {
      releaseFlight();
      startTimer();
    } else {
      probeWindow();
    }
    return true;
  }

  /**
   * Sends the first segment in flight again, or an acknowledgment: one like it was dropped for want
   * of a security association. With SACK its acknowledgment shows what else is missing; without,
   * the retransmission timer repairs that.
   */
  void sendUnsealed() {
    unsealed = false;
    if (max > una) {
      retransmit(flight.queue.slot(flight.queue.head()));
      startTimer();
    } else {
      context.output.control(connection, sequence(max), Tcp.ACK);
    }
  }

  /** Handles the tail loss probe or the reordering timer. */
  private void expiredEarlier() {
    if (timer.probe()) {
      context.timers.expired(connection, TcpTimer.TAIL_LOSS_PROBE);
      probeTail();
      timer.restart();
    } else {
      context.timers.expired(connection, TcpTimer.REORDERING);
      if (flight.recovery.reorderingExpired(una, max, context.now)) {
        context.counters.fastRetransmits++;
      }
    }
    noteReduction();
    output();
  }

  /**
   * Handles a retransmission timeout: sends the first segment again, and the rest slowly (RFC 5681
   * 3.1, RFC 6298 5.4 to 5.6).
   */
  private void timedOut() {
    context.counters.timeouts++;
    context.timers.expired(connection, TcpTimer.RETRANSMISSION);
    int before = timer.expired();
    context.timeouts.onTimeout(connection, timeout.current(), before);
    flight.recovery.timedOut(una, max, before > 0, context.now);
    timeout.backOff();
    noteReduction();
    int first = flight.queue.slot(flight.queue.head());
    // A peer whose window ends before the segment may rightly not acknowledge it.
    boolean offered = flight.queue.end(first) <= una + window.octets();
    boolean lowered =
        offered
            && !unsealed
            && context.sizes.suspectBlackHole(connection, flight.queue.longest(first), before + 1);
    retransmit(flight.queue.slot(flight.queue.head()));
    startTimer();
    if (lowered) {
      connection.emssChanged();
    }
  }

  /**
   * Handles the persist timer: only the peer's window holds data back. If it is open a little, the
   * next segment is cut to fit. If it is closed, an empty segment with an old sequence number makes
   * the peer report it: a probe with an octet of new data (RFC 9293 section 3.8.6.1) would split an
   * FPDU across segments.
   */
  private void probeWindow() {
    context.timers.expired(connection, TcpTimer.WINDOW_PROBE);
    if (timer.expired() == 0) {
      timer.awaitProgress();
    }
    if (window.octets() == 0) {
      if (context.output.control(connection, sequence(una - 1), Tcp.ACK)) {
        context.counters.probes++;
      }
    } else {
      transmitPending(true);
    }
    startTimer();
  }

  /** Marks segments in flight that are longer than the new EMSS to be sent again in pieces. */
  void emssChanged() {
    congestion.emss(emss);
    if (flight != null) {
      flight.recovery.emssLowered(emss, max);
    }
  }

  /** Sends pieces of segments that were too long. */
  void sendPieces() {
    if (connection.state().synchronised()) {
      transmitPending(false);
      startTimer();
    }
  }

  /**
   * Touches the cache lines that a segment needs; the result only keeps the JIT from removing the
   * loads.
   */
  int prefetch() {
    return (int) una + emss + (int) window.octets() + (finQueued ? 1 : 0) + (timer == null ? 1 : 0);
  }

  /** Prefetches what a flight needs, once {@link #prefetch} has been called. */
  int prefetchFlight() {
    return (int) timeout.current() + (int) congestion.window();
  }

  /** Releases every packet and the timer. */
  void clear() {
    if (flight != null) {
      releaseFlight();
    }
    releaseTimer();
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(Sender.class);
    initialSequence = snapshot.number("initialSequence", initialSequence);
    una = snapshot.number("una", una);
    max = snapshot.number("max", max);
    end = snapshot.number("end", end);
    emss = snapshot.number("emss", emss);
    pathEmss = snapshot.number("pathEmss", pathEmss);
    largestAcknowledged = snapshot.number("largestAcknowledged", largestAcknowledged);
    retransmitted = snapshot.number("retransmitted", retransmitted);
    lastSentAt = snapshot.number("lastSentAt", lastSentAt);
    held = snapshot.flag("held", held);
    windowReduced = snapshot.flag("windowReduced", windowReduced);
    finQueued = snapshot.flag("finQueued", finQueued);
    unsealed = snapshot.flag("unsealed", unsealed);
    CongestionAlgorithm algorithm =
        snapshot.constant(
            "congestion", CongestionAlgorithm.class, CongestionAlgorithm.of(congestion));
    if (snapshot.reads()) {
      congestion = algorithm.control();
    }
    congestion.transfer(snapshot);
    timeout.transfer(snapshot);
    reordering.transfer(snapshot);
    window.transfer(snapshot);
    if (snapshot.flag("blackHole", blackHole != null)) {
      blackHole = blackHole == null ? BlackHole.unknown() : blackHole;
      blackHole.transfer(snapshot);
    }
    if (snapshot.flag("pacing", pacing != null)) {
      pacing = pacing == null ? new Pacing() : pacing;
      pacing.transfer(snapshot);
    }
    if (snapshot.flag("timer", timer != null)) {
      ensureTimer();
      timer.transfer(snapshot);
    }
    if (snapshot.flag("flight", flight != null)) {
      transferFlight(snapshot);
    }
    snapshot.end();
  }

  private void transferFlight(Snapshot snapshot) {
    if (!snapshot.reads()) {
      flight.transfer(snapshot);
      return;
    }
    flight = ensureFlight();
    try {
      flight.transfer(snapshot);
    } finally {
      connection.keepsSent(kept());
      connection.keepsTrains(keptTrains());
    }
  }
}
