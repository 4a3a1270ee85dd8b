package org.rddp.tcp.loss;

import org.rddp.snapshot.Snapshot;

/**
 * The state of each segment of a queue: not sent, in flight, lost, or acknowledged by SACK (RFC
 * 2018, RFC 6675).
 *
 * <p>Segments in flight are listed in the order of their last transmission, so that RACK finds its
 * candidates in front (RFC 8985 section 6.2); lost segments in the order in which the losses were
 * found.
 */
public final class Scoreboard {
  static final byte UNSENT = 0;
  static final byte IN_FLIGHT = 1;
  static final byte LOST = 2;
  static final byte SACKED = 3;

  private final SegmentQueue queue;
  private final DeliveredSegments delivery;
  private final SegmentList inFlight;
  private final SegmentList lost;

  /** The number of the first segment that was never sent. */
  private long unsent;

  /** Transmissions so far; the serial of the next one. */
  private long transmissions;

  private long sackedOctets;
  private int sackedSegments;

  Scoreboard(SegmentQueue queue, DeliveredSegments delivery) {
    this.queue = queue;
    this.delivery = delivery;
    inFlight = new SegmentList(queue);
    lost = new SegmentList(queue);
  }

  void begin() {
    inFlight.clear();
    lost.clear();
    unsent = 0;
    transmissions = 0;
    sackedOctets = 0;
    sackedSegments = 0;
  }

  /**
   * The number of the first segment that was never sent, {@link SegmentQueue#tail} if there is
   * none.
   */
  public long unsent() {
    return unsent;
  }

  /** Segments sent and not acknowledged cumulatively. */
  public int outstanding() {
    return (int) (unsent - queue.head());
  }

  /** Octets of the segments in flight, as far as is known. */
  public long inFlight() {
    return inFlight.octets();
  }

  /** Octets of the segments that are lost and not yet sent again. */
  long lostOctets() {
    return lost.octets();
  }

  /** Octets acknowledged by SACK only. */
  long sackedOctets() {
    return sackedOctets;
  }

  /** Segments acknowledged by SACK only. */
  public int sackedSegments() {
    return sackedSegments;
  }

  /** The lost segment to be sent again first, or {@link SegmentQueue#NONE}. */
  public int firstLost() {
    return lost.first();
  }

  /** The segment in flight whose last transmission is the oldest, or {@link SegmentQueue#NONE}. */
  int oldest() {
    return inFlight.first();
  }

  /**
   * The segment in flight that was sent after another; {@link SegmentQueue#NONE} after the last.
   */
  int sentAfter(int slot) {
    return inFlight.after(slot);
  }

  /** Whether a segment is lost and not yet sent again. */
  public boolean lost(int slot) {
    return queue.arrays.states[slot] == LOST;
  }

  /** Whether a segment is acknowledged by SACK. */
  public boolean sacked(int slot) {
    return queue.arrays.states[slot] == SACKED;
  }

  /** Whether a segment was sent more than once. */
  public boolean retransmitted(int slot) {
    return queue.arrays.retransmitted[slot];
  }

  /** Whether a segment is in flight and was sent once. */
  boolean isSentOnce(int slot) {
    return queue.arrays.states[slot] == IN_FLIGHT && !queue.arrays.retransmitted[slot];
  }

  /** When a segment was last sent. */
  long sentAt(int slot) {
    return queue.arrays.sentAt[slot];
  }

  /** Records a transmission of the first unsent segment, or of one sent before. */
  public void sent(int slot, long now) {
    SegmentArrays arrays = queue.arrays;
    switch (arrays.states[slot]) {
      case UNSENT -> unsent++;
      case LOST -> {
        lost.remove(slot);
        arrays.retransmitted[slot] = true;
      }
      case SACKED -> {
        forgetSacked(slot);
        arrays.retransmitted[slot] = true;
      }
      default -> {
        inFlight.remove(slot);
        arrays.retransmitted[slot] = true;
      }
    }
    arrays.states[slot] = IN_FLIGHT;
    arrays.sentAt[slot] = now;
    arrays.serials[slot] = transmissions++;
    inFlight.append(slot);
  }

  /** Marks a segment in flight as lost. */
  void lose(int slot) {
    inFlight.remove(slot);
    queue.arrays.states[slot] = LOST;
    lost.append(slot);
  }

  /** Marks every segment in flight as lost. */
  void loseAll() {
    while (!inFlight.isEmpty()) {
      lose(inFlight.first());
    }
  }

  /** Marks every segment in flight that was last sent up to the given time as lost. */
  void loseSentBy(long time) {
    while (!inFlight.isEmpty() && queue.arrays.sentAt[inFlight.first()] <= time) {
      lose(inFlight.first());
    }
  }

  /** Marks every longer segment in flight as lost; returns whether there was any. */
  boolean loseLongerThan(int octets) {
    boolean any = false;
    for (int slot = inFlight.first(); slot != SegmentQueue.NONE; ) {
      int following = inFlight.after(slot);
      if (queue.longest(slot) > octets) {
        lose(slot);
        any = true;
      }
      slot = following;
    }
    return any;
  }

  /**
   * Marks lost segments as in flight again, because none was lost. They go before the others, since
   * almost all of them were sent earlier.
   */
  void restoreLost() {
    while (!lost.isEmpty()) {
      int slot = lost.last();
      lost.remove(slot);
      queue.arrays.states[slot] = IN_FLIGHT;
      inFlight.prepend(slot);
    }
  }

  /** Marks a segment as acknowledged by SACK; no effect if it is already. */
  void sack(int slot) {
    SegmentArrays arrays = queue.arrays;
    if (arrays.states[slot] == SACKED) {
      return;
    }
    delivered(slot);
    arrays.states[slot] = SACKED;
    sackedOctets += arrays.lengths[slot];
    sackedSegments++;
  }

  private void delivered(int slot) {
    SegmentArrays arrays = queue.arrays;
    (arrays.states[slot] == LOST ? lost : inFlight).remove(slot);
    delivery.add(
        arrays.serials[slot],
        arrays.sentAt[slot],
        arrays.ends[slot],
        arrays.lengths[slot],
        arrays.retransmitted[slot]);
  }

  /**
   * Marks the segments acknowledged by SACK as lost, because the peer has discarded some (RFC 2018
   * section 8).
   */
  void forgetSacked() {
    for (long number = queue.head(); number < unsent && sackedSegments > 0; number++) {
      int slot = queue.slot(number);
      if (queue.arrays.states[slot] == SACKED) {
        forgetSacked(slot);
        queue.arrays.states[slot] = LOST;
        lost.append(slot);
      }
    }
  }

  /** Counts a segment that is acknowledged by SACK as that no longer. */
  private void forgetSacked(int slot) {
    sackedOctets -= queue.length(slot);
    sackedSegments--;
  }

  /** Removes the segments whose last octet has been acknowledged. */
  void acknowledge(long ack) {
    while (queue.head() < unsent) {
      int slot = queue.slot(queue.head());
      if (queue.end(slot) > ack) {
        trim(slot, ack);
        break;
      }
      if (queue.arrays.states[slot] == SACKED) {
        forgetSacked(slot);
      } else {
        delivery.acknowledged(queue.arrays.retransmitted[slot]);
        delivered(slot);
      }
      queue.removeFirst();
    }
  }

  /** Removes from the first segment, a whole train, those that have been acknowledged of it. */
  private void trim(int slot, long ack) {
    int unit = queue.unit(slot);
    long taken = ack - queue.position(slot);
    if (unit == 0 || taken < unit) {
      return;
    }
    int octets = (int) (taken - taken % unit);
    switch (queue.arrays.states[slot]) {
      case LOST -> lost.shrunk(octets);
      case SACKED -> sackedOctets -= octets;
      default -> inFlight.shrunk(octets);
    }
    queue.trim(octets);
  }

  /**
   * Cuts an unsent or lost segment in two, like {@link SegmentQueue#split}. Both parts take its
   * place.
   *
   * @return the slot of the first part
   */
  public int split(long number, int octets) {
    int first = queue.split(number, octets);
    SegmentArrays arrays = queue.arrays;
    int rest = queue.slot(number + 1);
    if (arrays.states[rest] == LOST) {
      arrays.states[first] = LOST;
      arrays.sentAt[first] = arrays.sentAt[rest];
      arrays.serials[first] = arrays.serials[rest];
      arrays.retransmitted[first] = arrays.retransmitted[rest];
      lost.shrunk(octets);
      lost.insertBefore(rest, first);
      unsent++;
    }
    return first;
  }

  /** Transfers its state, after that of the queue. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(Scoreboard.class);
    long sent = snapshot.number("unsent", unsent - queue.head(), 0, queue.size());
    unsent = queue.head() + sent;
    transmissions = snapshot.number("transmissions", transmissions);
    sackedOctets = snapshot.number("sackedOctets", sackedOctets);
    sackedSegments = snapshot.number("sackedSegments", sackedSegments);
    inFlight.transfer(snapshot, IN_FLIGHT);
    lost.transfer(snapshot, LOST);
    snapshot.end();
  }
}
