package org.rddp.tcp.loss;

import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.congestion.CongestionControl;
import org.rddp.wire.TcpOptions;

/**
 * Loss recovery of one flight: decides from acknowledgments when a recovery begins, how much may be
 * sent during it, when it ends, and whether it was spurious.
 *
 * <p>Losses are found by {@link Rack} with SACK and by {@link DuplicateAcknowledgments} without;
 * the rest is the same for both. Times in nanoseconds.
 */
public final class LossRecovery {
  /** No loss is known. */
  private static final byte OPEN = 0;

  /** The peer has echoed congestion: the window is being reduced (RFC 3168). */
  private static final byte REDUCING = 1;

  /** A loss is being repaired while the window is reduced (RFC 9937). */
  private static final byte RECOVERING = 2;

  /** The timer has expired, or EMSS was lowered: the congestion window limits retransmissions. */
  private static final byte LOSS = 3;

  private final SegmentQueue queue;
  private final Scoreboard board;
  private final DeliveredSegments delivery;
  private final SackBlocks blocks;
  private final Rack rack;
  private final LossCounters counters;
  private final DuplicateAcknowledgments duplicates = new DuplicateAcknowledgments();
  private final ProportionalRateReduction reduction = new ProportionalRateReduction();
  private final SpuriousRecovery spurious = new SpuriousRecovery();
  private final ForwardRto forward = new ForwardRto();
  private final TailLossProbe probe = new TailLossProbe();
  private CongestionControl congestion;
  private RetransmissionTimeout timeout;
  private ReorderingWindow reordering;
  private boolean selective;
  private int emss;
  private byte state;

  /** The recovery ends when everything before this is acknowledged. */
  private long recoveryPoint;

  /** One past the last octet sent when a loss was last found: "recover" of RFC 6582. */
  private long recover;

  /** The window was last reduced for octets before this. */
  private long reducedFor;

  private boolean reduced;

  /** Segments count as lost because they exceed the EMSS. Their pieces do not show that. */
  private boolean shortened;

  private long reorderingDeadline;

  /**
   * The congestion window was in full use when the octet before this was sent. Until that is
   * acknowledged, acknowledgments show that the network carries a full window (RFC 9438 section
   * 5.8).
   */
  private long filledUntil;

  LossRecovery(SegmentQueue queue, LossCounters counters) {
    this.queue = queue;
    this.counters = counters;
    delivery = new DeliveredSegments();
    board = new Scoreboard(queue, delivery);
    blocks = new SackBlocks(queue, board);
    rack = new Rack(queue, board);
  }

  void begin(
      CongestionControl control,
      RetransmissionTimeout retransmission,
      ReorderingWindow window,
      boolean sack,
      int segment,
      long position) {
    congestion = control;
    timeout = retransmission;
    reordering = window;
    selective = sack;
    emss = segment;
    state = OPEN;
    recoveryPoint = position;
    recover = position - 1;
    reducedFor = position - 1;
    filledUntil = position;
    reduced = false;
    shortened = false;
    reorderingDeadline = Long.MAX_VALUE;
    board.begin();
    blocks.forget();
    rack.begin(window, retransmission.smoothed(), position);
    duplicates.begin();
    spurious.begin();
    forward.begin();
    probe.begin();
  }

  /** Sets SACK and EMSS by the peer's SYN, while segments wait. */
  public void negotiated(boolean sack, int segment) {
    selective = sack;
    emss = segment;
  }

  /** Changes congestion control, while segments wait or are in flight. */
  public void congestion(CongestionControl control) {
    congestion = control;
  }

  /** How losses are being repaired. */
  public LossState state() {
    return LossState.of(state);
  }

  Scoreboard board() {
    return board;
  }

  /** Processes an acknowledgment. Returns whether a recovery begins with it. */
  public boolean acknowledged(Acknowledgment a) {
    boolean reducing = state == REDUCING || state == RECOVERING;
    boolean limited = a.una < filledUntil;
    long flight = a.max - a.una;
    long deliverable = flight - board.sackedOctets();
    int segments = queue.size();
    long octets = delivered(a);
    long roundTrip = measure(a);
    countMarks(a, segments - queue.size(), octets);
    rack.delivered(delivery, timeout.least(), a.now);
    boolean lost = tellsOfLoss(a);
    boolean begins = lost && state < RECOVERING;
    if (begins) {
      beginRecovery(deliverable, a.max, a.una, a.now);
    }
    if (a.congestion) { // ACC-3.1.5-12
      congestionEchoed(a, deliverable);
    }
    probed(a, flight);
    if (state == REDUCING || state == RECOVERING) {
      long counted = selective ? octets : Math.min(octets, reduction.undelivered());
      reduction.acknowledged(counted, pipe(), a.ack > a.una && !lost, emss);
    } else if (a.ack > a.una && !reducing) {
      grow(a, limited, roundTrip);
    }
    return begins;
  }

  /** Tells congestion control how many of the acknowledged octets were marked. */
  private void countMarks(Acknowledgment a, int segments, long delivered) {
    long marked = a.marked(segments, delivered, emss);
    if (a.ack > a.una) {
      congestion.onEcho(a.ack - a.una, a.max - a.ack, marked);
    }
  }

  /** Opens the window for acknowledged octets. */
  private void grow(Acknowledgment a, boolean limited, long roundTrip) {
    long grown = a.ack - a.una;
    if (state == LOSS) {
      // Octets sent before the timer expired say nothing about the network now (RFC 3465 2.3).
      grown = Math.min(grown, Math.max(delivery.retransmittedOctets(), emss));
    }
    congestion.onAcknowledged(
        grown, board.inFlight(), roundTrip, timeout.smoothed(), limited, a.now);
  }

  /** Whether no recovery is in progress, and none may still prove to have been spurious. */
  boolean isIdle() {
    return state == OPEN && !unresolved();
  }

  /** Processes the acknowledgment of the only segment in flight, sent once, while idle. */
  void acknowledgedAlone(long una, long ack, long sentAt, long now) {
    long roundTrip = Math.max(now - sentAt, 1);
    timeout.measured(roundTrip, now);
    congestion.onEcho(ack - una, 0, 0);
    congestion.onAcknowledged(ack - una, 0, roundTrip, timeout.smoothed(), una < filledUntil, now);
  }

  /**
   * Ends a recovery that is over, and undoes a spurious one; returns whether a new loss is known.
   */
  private boolean tellsOfLoss(Acknowledgment a) {
    if (blocks.duplicate()) {
      counters.duplicatesReported++;
      rack.duplicate(a.ack, a.max);
    }
    if (wasSpurious(a)) {
      undo(a.max, a.now);
      return false;
    }
    finishIfOver(a);
    return detect(a);
  }

  /**
   * Processes an acknowledgment below SND.UNA with SACK: its D-SACK may show that a recovery was
   * spurious.
   *
   * @param options its options
   * @param ack the stream position that it acknowledges
   * @param sequence {@code ack} as a sequence number
   * @param max one past the last octet sent
   * @param oldest D-SACKs of octets before this position are ignored
   * @param now in nanoseconds
   */
  public void acknowledgedBefore(
      TcpOptions options, long ack, int sequence, long max, long oldest, long now) {
    blocks.takeDuplicate(options, ack, sequence, oldest);
    if (blocks.duplicate()) {
      counters.duplicatesReported++;
      rack.duplicate(ack, max);
      if (spurious.duplicate(blocks.duplicateLeft(), blocks.duplicateRight())) {
        undo(max, now);
      }
    }
  }

  /** Updates what the peer has received; returns the octets newly delivered: DeliveredData. */
  private long delivered(Acknowledgment a) {
    long sackedBefore = board.sackedOctets();
    int before = queue.size();
    long advance = a.ack - a.una;
    delivery.clear();
    board.acknowledge(a.ack);
    if (selective) {
      if (a.options.sackBlocks() > 0) {
        blocks.take(a.options, a.ack, a.sequence, a.max, a.oldest);
      } else {
        blocks.none();
      }
      return advance + board.sackedOctets() - sackedBefore;
    }
    if (advance == 0) {
      if (a.duplicate) {
        duplicates.more(board.outstanding());
      }
      return a.duplicate ? emss : 0;
    }
    int accounted = duplicates.advanced(before - queue.size(), advance);
    return Math.max(advance - (long) accounted * emss, Math.min(advance, emss));
  }

  private long measure(Acknowledgment a) {
    long roundTrip = delivery.roundTrip(a.now);
    if (roundTrip == 0 && a.ack > a.una && !blocks.duplicate()) {
      // Duplicates were acknowledged before, and that acknowledgment was lost: the echo is older.
      roundTrip = Math.min(a.timestampRoundTrip, timeout.longestEcho());
    }
    if (roundTrip > 0) {
      timeout.measured(roundTrip, a.now);
    }
    return roundTrip;
  }

  /** Whether the acknowledgment shows that retransmitted segments had not been lost. */
  private boolean wasSpurious(Acknowledgment a) {
    boolean advanced = a.ack > a.una;
    boolean original = delivery.firstOriginalEnd() <= recoveryPoint;
    boolean late = advanced && spurious.advanced(a.timestamps, a.options.timestampEcho());
    boolean tells = advanced || a.duplicate || delivery.any();
    boolean forwarded =
        tells && forward.acknowledged(a.ack, advanced, original, selective, a.canSendNew, emss);
    boolean reported =
        blocks.duplicate() && spurious.duplicate(blocks.duplicateLeft(), blocks.duplicateRight());
    return late || (forwarded && state == LOSS) || reported;
  }

  private void undo(long max, long now) {
    counters.undone++;
    congestion.undo(now);
    if (selective) {
      reordering.reordered();
    }
    duplicates.clear();
    forward.begin();
    spurious.forget();
    reorderingDeadline = Long.MAX_VALUE;
    if (shortened) {
      lostByLength(max);
    } else {
      board.restoreLost();
      state = OPEN;
    }
  }

  /** Lets segments that exceed the EMSS be sent again in pieces, without a reduction. */
  private void lostByLength(long max) {
    state = LOSS;
    recoveryPoint = max;
    recover = max;
  }

  private void finishIfOver(Acknowledgment a) {
    // Only an octet behind the point can have carried our CWR (RFC 3168 section 6.1.2).
    boolean over = a.ack > recoveryPoint || (a.ack == recoveryPoint && state != REDUCING);
    if (state != OPEN && over) {
      finish(a.now);
    }
  }

  /** Ends the recovery. */
  private void finish(long now) {
    if (state == REDUCING || state == RECOVERING) {
      congestion.onRecovered(now);
    }
    if (state == RECOVERING) {
      reordering.recovered();
    }
    state = OPEN;
    shortened = false;
    duplicates.clear();
    forward.begin();
  }

  /** Detects losses; returns whether there are new ones. */
  private boolean detect(Acknowledgment a) {
    long before = board.lostOctets();
    if (selective) {
      detectByTime(a.now);
    } else {
      detectByDuplicates(a);
    }
    return board.lostOctets() > before;
  }

  private void detectByTime(long now) {
    reorderingDeadline = rack.detect(state >= RECOVERING, timeout.least(), timeout.smoothed(), now);
  }

  private void detectByDuplicates(Acknowledgment a) {
    // If a piece of the first segment is acknowledged, the rest is not lost again.
    boolean partial = state == RECOVERING && a.ack > a.una && a.ack == queue.headPosition();
    boolean third =
        state != RECOVERING
            && a.ack == a.una
            && duplicates.firstLost(a.ack, recover, congestion.window(), emss);
    if ((partial || third) && board.outstanding() > 0) {
      loseFirst();
      if (third && state == LOSS) {
        state = OPEN;
      }
    }
  }

  private void loseFirst() {
    int first = queue.slot(queue.head());
    if (!board.lost(first) && !board.sacked(first)) {
      board.lose(first);
    }
  }

  /**
   * Begins a recovery after a loss: reduces the window, once for all octets in flight.
   *
   * @param deliverable octets that may be delivered during it
   */
  private void beginRecovery(long deliverable, long max, long una, long now) {
    counters.recoveries++;
    if (state == OPEN || (state == REDUCING && congestion.isGentle())) {
      congestion.onCongestion(max - una, true, now);
      reduction.begin(congestion.threshold(), deliverable);
      spurious.started(una, max);
      reduced = true;
      reducedFor = max;
    }
    reduction.urgent();
    state = RECOVERING;
    recoveryPoint = max;
    recover = max;
    probe.forget();
    forward.begin();
  }

  private void congestionEchoed(Acknowledgment a, long deliverable) {
    if (state != OPEN || a.ack <= reducedFor) {
      return;
    }
    counters.congestionEchoes++;
    congestion.onCongestion(a.max - a.una, false, a.now);
    reduction.begin(congestion.threshold(), deliverable);
    spurious.forget();
    reduced = true;
    reducedFor = a.max;
    recoveryPoint = a.max;
    state = REDUCING;
  }

  /** Reports a loss that a tail loss probe has repaired to congestion control. */
  private void probed(Acknowledgment a, long flight) {
    boolean bare = a.duplicate && a.options.sackBlocks() == 0;
    boolean repaired = probe.acknowledged(a.ack, blocks.duplicateRight(), bare);
    if (repaired && state == OPEN) {
      congestion.onCongestion(flight, true, a.now);
      congestion.onRecovered(a.now);
      reduced = true;
      reducedFor = a.max;
    }
  }

  /**
   * Detects losses again, after the reordering timer has expired (RFC 8985 section 6.3).
   *
   * @return whether a recovery begins
   */
  public boolean reorderingExpired(long una, long max, long now) {
    long before = board.lostOctets();
    detectByTime(now);
    boolean begins = board.lostOctets() > before && state < RECOVERING;
    if (begins) {
      beginRecovery(max - una - board.sackedOctets(), max, una, now);
    }
    if (state == RECOVERING) {
      reduction.acknowledged(0, pipe(), false, emss);
    }
    return begins;
  }

  /**
   * Handles a retransmission timeout: the first segment must be sent again now, other lost ones as
   * acknowledgments arrive (RFC 5681 section 3.1, RFC 8985 section 6.3).
   *
   * @param again whether it had expired for the same data before
   */
  public void timedOut(long una, long max, boolean again, long now) {
    boolean first = state == OPEN || (state == LOSS && !again);
    boolean earlier = state == LOSS && una <= recover;
    congestion.onTimeout(max - una, first, now);
    if (first) {
      spurious.started(una, max);
    } else {
      spurious.extended(max);
    }
    state = LOSS;
    recoveryPoint = max;
    recover = max;
    reducedFor = max;
    reduced = true;
    reorderingDeadline = Long.MAX_VALUE;
    if (board.sacked(queue.slot(queue.head()))) {
      counters.reneged++;
      board.forgetSacked();
      blocks.forget();
    }
    loseFirst();
    if (selective) {
      board.loseSentBy(rack.lostBy(now));
    } else {
      board.loseAll();
    }
    duplicates.clear();
    probe.forget();
    forward.timedOut(max, !earlier);
  }

  /**
   * Takes a lower EMSS. Longer segments in flight count as lost, but not as congestion (RFC 1191
   * section 6.4).
   */
  public void emssLowered(int octets, long max) {
    emss = octets;
    blocks.forget();
    boolean any = board.loseLongerThan(octets);
    shortened |= any;
    if (any && state == OPEN) {
      lostByLength(max);
      probe.forget();
      forward.begin();
      spurious.forget();
    }
  }

  /** Octets of the longest segment that the last acknowledgment delivered, 0 if none. */
  public int largestDelivered() {
    return delivery.longest();
  }

  /** Octets in flight, as far as is known: a duplicate says that one has left (RFC 3042). */
  private long pipe() {
    long received = (long) duplicates.count() * emss;
    if (state == RECOVERING) {
      // However many duplicates a peer makes up (RFC 9937 section 6.2).
      received = Math.min(received, reduction.deliverable());
    }
    return Math.max(board.inFlight() - received, 0);
  }

  /** Octets that congestion control allows to be sent now. */
  public long allowance() {
    if (forward.forward()) {
      return forward.allowance();
    }
    boolean unlimited = congestion.threshold() == CongestionControl.LARGEST;
    if ((state == REDUCING || state == RECOVERING) && !unlimited) {
      return reduction.allowance(pipe());
    }
    return congestion.window() - pipe();
  }

  /** Whether congestion control allows a segment; always if nothing is in flight. */
  public boolean maySend(int octets) {
    return octets <= allowance() || board.inFlight() == 0;
  }

  /** Whether new data goes before lost segments, to find out whether they are lost (RFC 5682). */
  public boolean newDataFirst() {
    return forward.forward();
  }

  /** The lost segment to be sent again next, or {@link SegmentQueue#NONE}. */
  public int nextToRetransmit() {
    return forward.forward() && board.inFlight() > 0 ? SegmentQueue.NONE : board.firstLost();
  }

  /**
   * Records a sent segment.
   *
   * @param timestamp that it carries
   */
  public void sent(int slot, int timestamp, long now) {
    int octets = queue.length(slot);
    board.sent(slot, now);
    sentUntil(slot, octets);
    if (board.retransmitted(slot)) {
      if (state < RECOVERING && slot != queue.slot(queue.head())) {
        spurious.probed(queue.end(slot));
      } else {
        spurious.retransmitted(octets, queue.end(slot), timestamp);
      }
      forward.retransmitted();
    } else {
      forward.sent(octets);
    }
  }

  /**
   * Records the transmission of new segments as one frame.
   *
   * @param number of the first
   * @param count how many
   * @param octets of all
   * @param now in nanoseconds
   */
  public void sentTrain(long number, int count, int octets, long now) {
    for (int i = 0; i < count; i++) {
      board.sent(queue.slot(number + i), now);
    }
    sentUntil(queue.slot(number + count - 1), octets);
    forward.sent(octets);
  }

  /** Counts octets of a frame whose last segment this is. */
  private void sentUntil(int slot, int octets) {
    reduction.sent(octets);
    if (pipe() + emss > congestion.window()) {
      filledUntil = Math.max(filledUntil, queue.end(slot));
    }
  }

  /** When the reordering timer expires; {@link Long#MAX_VALUE} for never. */
  public long reorderingDeadline() {
    return reorderingDeadline;
  }

  /** Whether a tail loss probe is to be scheduled (RFC 8985 section 7.2). */
  public boolean wantsProbe() {
    return selective
        && state <= REDUCING
        && !probe.outstanding()
        && board.inFlight() > 0
        && board.sackedSegments() == 0
        && board.firstLost() == SegmentQueue.NONE;
  }

  /** The probe timeout in nanoseconds. */
  public long probeTimeout(LossSettings settings) {
    return TailLossProbe.timeout(timeout.smoothed(), board.outstanding() == 1, settings);
  }

  /** Records a sent tail loss probe. */
  public void probeSent(long max, boolean retransmission) {
    counters.tailLossProbes++;
    probe.sent(max, retransmission);
  }

  /** Whether the window was reduced since the last call: the next new segment carries CWR. */
  public boolean takeReduced() {
    boolean was = reduced;
    reduced = false;
    return was;
  }

  /** Ends a recovery, when everything is acknowledged. */
  void end(long now) {
    if (state != OPEN) {
      finish(now);
    }
  }

  /** Whether a D-SACK may still show that a recovery or a probe was spurious. */
  public boolean unresolved() {
    return probe.outstanding() || (selective && spurious.open());
  }

  /** Transfers its state, after that of the segments. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(LossRecovery.class);
    state = snapshot.number("state", state);
    recoveryPoint = snapshot.number("recoveryPoint", recoveryPoint);
    recover = snapshot.number("recover", recover);
    reducedFor = snapshot.number("reducedFor", reducedFor);
    reduced = snapshot.flag("reduced", reduced);
    shortened = snapshot.flag("shortened", shortened);
    reorderingDeadline = snapshot.number("reorderingDeadline", reorderingDeadline);
    filledUntil = snapshot.number("filledUntil", filledUntil);
    board.transfer(snapshot);
    blocks.transfer(snapshot);
    rack.transfer(snapshot);
    duplicates.transfer(snapshot);
    reduction.transfer(snapshot);
    spurious.transfer(snapshot);
    forward.transfer(snapshot);
    probe.transfer(snapshot);
    snapshot.end();
  }
}
