package org.rddp.tcp;

import org.rddp.device.PacketPool;
import org.rddp.tcp.congestion.CongestionControl;
import org.rddp.wire.SequenceNumber;
import org.rddp.wire.Tcp;

/**
 * The sending half of a connection: what is in flight, what may leave, what must be sent again (RFC
 * 9293 section 3.8, RFC 5681, RFC 6298).
 *
 * <p>Stream positions stand for sequence numbers: our SYN has position -1, the first octet 0, the
 * FIN the position behind the last octet. After a timeout sending starts again at the first
 * unacknowledged segment ({@code nxt} goes back, {@code max} does not).
 */
final class Sender {
  private final TcpConnection connection;
  private final SegmentOutput output;
  private final PacketPool pool;
  private final TcpCounters counters;
  private final SendQueue queue;
  private final RetransmissionTimeout timeout;
  private final CongestionControl congestion;
  private final FastRecovery recovery;
  private final SendWindow window = new SendWindow();
  private final int initialSequence;
  private long una = -1;
  private long nxt = -1;
  private long max = -1;
  private long cursor;
  private int emss;
  private boolean finQueued;
  private boolean forced;

  /** How often the timer has expired since data was acknowledged, or the window changed. */
  private int expirations;

  /** How often the timer has expired since {@link #progressAt}. */
  private int unanswered;

  /** When the peer last gave a sign of life that matters, or had first reason to. */
  private long progressAt;

  private long lastSentAt;

  Sender(TcpConnection connection, SegmentOutput output, TcpSettings settings, int sequence) {
    this.connection = connection;
    this.output = output;
    pool = connection.pool();
    counters = connection.counters();
    queue = new SendQueue(pool);
    timeout = new RetransmissionTimeout(settings);
    congestion = settings.congestion().control();
    recovery = new FastRecovery(congestion);
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

  int emss() {
    return emss;
  }

  /** The path now carries segments of so many octets. */
  void emss(int octets) {
    emss = octets;
    queue.forgetLargestAcknowledged();
  }

  /** Octets of the largest segment acknowledged since the EMSS changed. */
  int largestAcknowledged() {
    return queue.largestAcknowledged();
  }

  RetransmissionTimeout timeout() {
    return timeout;
  }

  /** Stream position of the next octet that the user sends. */
  long endPosition() {
    return queue.endPosition();
  }

  /** Octets sent or waiting that are not acknowledged. */
  long unacknowledged() {
    return queue.endPosition() - Math.max(una, 0);
  }

  /** Packets that are kept until they are acknowledged. */
  int kept() {
    return queue.size();
  }

  /** The SYN has left. */
  void synSent() {
    nxt = 0;
    max = 0;
  }

  /** The peer's SYN said how much a segment may hold and how windows are scaled. */
  void negotiated(int effectiveMss, int windowShift) {
    emss = effectiveMss;
    window.scale(windowShift);
    congestion.open(effectiveMss, connection.now());
    recovery.emss(effectiveMss);
  }

  /** Our SYN has been acknowledged. */
  void open(Segment segment, long position) {
    una = 0;
    window.open(segment.window, segment.has(Tcp.SYN), position);
    progress();
  }

  /** Takes a segment from the user. */
  void send(long packet) {
    queue.add(packet);
    connection.keepsSent(1);
    output();
  }

  /** A FIN follows everything sent so far. */
  void close() {
    finQueued = true;
    output();
  }

  /** Whether our FIN has been acknowledged. */
  boolean finAcknowledged() {
    return finQueued && una > queue.endPosition();
  }

  /**
   * Whether a segment of EMSS octets would leave now. With nothing in flight any open window will
   * do: where the peer's is always small, segments leave in pieces.
   */
  boolean sendable() {
    if (finQueued || cursor < queue.tail()) {
      return false;
    }
    long room = Math.min(window.octets(), recovery.window()) - (queue.endPosition() - una);
    return room >= emss || (window.octets() > 0 && queue.endPosition() == una);
  }

  /**
   * Processes the acknowledgment and the window of an acceptable segment (RFC 9293 section
   * 3.10.7.4, fifth check).
   *
   * @param position the segment's stream position
   * @return false when the segment is to be dropped: it acknowledges what was never sent, or what
   *     is too old to be true (RFC 5961 section 5)
   */
  boolean acknowledged(Segment segment, long position) {
    long ack = una + SequenceNumber.distance(sequence(una), segment.acknowledgment);
    if (ack > max || ack < una - window.largest()) {
      counters.unacceptable++;
      return false;
    }
    boolean same = !updateWindow(segment, position, ack);
    if (ack > una) {
      advance(ack, segment);
    } else if (ack == una && same && max > una && segment.sequenceLength() == 0) {
      counters.duplicateAcknowledgments++;
      if (recovery.onDuplicate(una, max, connection.now())) {
        counters.fastRetransmits++;
        retransmitFirst();
      }
    }
    return true;
  }

  /** Takes the window of a segment; returns whether it has changed. */
  private boolean updateWindow(Segment segment, long position, long ack) {
    boolean changed = ack >= una && window.update(segment.window, position, ack);
    if (changed && max == una) {
      // The window no longer holds us back, or not as it did: the persist timer starts afresh.
      expirations = 0;
      connection.retransmitAt = Long.MAX_VALUE;
    }
    if (window.octets() < emss && !connection.sendingScarce()) {
      // The peer is alive and wants us to wait: that is no reason to give it up, unless others have
      // no packets to send with on its account (RFC 6429).
      progress();
    }
    return changed;
  }

  private void advance(long ack, Segment segment) {
    long acknowledged = ack - una;
    boolean limited = max - una + emss > recovery.window();
    int before = queue.size();
    long sentAt = queue.acknowledge(ack);
    connection.keepsSent(queue.size() - before);
    una = ack;
    if (cursor < queue.head()) {
      cursor = queue.head();
      nxt = queue.headPosition();
    }
    if (ack > queue.endPosition()) {
      nxt = ack;
    }
    long roundTrip = measure(sentAt, queue.size() != before, segment);
    expirations = 0;
    progress();
    if (recovery.onAcknowledged(
        una, max, acknowledged, roundTrip, timeout.smoothed(), limited, connection.now())) {
      retransmitFirst();
    }
    connection.retransmitAt = Long.MAX_VALUE;
    startTimer();
  }

  private void progress() {
    progressAt = connection.now();
    unanswered = 0;
  }

  /** Takes in the round trip that an acknowledgment tells, and returns it; 0 if it tells none. */
  private long measure(long sentAt, boolean any, Segment segment) {
    long roundTrip = 0;
    if (any && sentAt != SendQueue.AMBIGUOUS) {
      roundTrip = Math.max(connection.now() - sentAt, 1);
    } else if (segment.options.timestamps() && connection.timestamps) {
      roundTrip = connection.elapsed(segment.options.timestampEcho());
    }
    if (roundTrip > 0) {
      timeout.measured(roundTrip);
    }
    return roundTrip;
  }

  /** Sends the first unacknowledged segment again, whatever the windows say. */
  private void retransmitFirst() {
    if (queue.head() < queue.tail()) {
      if (connection.room()) {
        transmit(queue.head(), queue.headPosition(), true);
      } else {
        connection.pend();
      }
    } else if (finQueued && max > queue.endPosition()) {
      sendFin();
    }
  }

  /** Sends whatever may leave now. */
  void output() {
    if (!connection.state().synchronised()) {
      return;
    }
    long now = connection.now();
    if (max == una && now - lastSentAt > timeout.current()) {
      congestion.onIdle(now);
    }
    while (cursor < queue.tail()) {
      int length = piece(cursor);
      if (length == 0) {
        break;
      }
      if (!connection.room() || !transmit(cursor, nxt, nxt < max)) {
        connection.pend();
        break;
      }
      nxt += length;
      cursor++;
      max = Math.max(max, nxt);
    }
    if (finQueued && cursor == queue.tail() && nxt == queue.endPosition()) {
      sendFin();
    }
    startTimer();
  }

  /**
   * How many octets of a segment may leave now, 0 for none; cuts the segment if that is less than
   * all of it. Segments stay whole as long as there is another way: one is cut only when it exceeds
   * the EMSS, or when it exceeds the peer's window with nothing in flight, so that no
   * acknowledgment could open it (RFC 9293 section 3.8.6.2.1).
   */
  private int piece(long number) {
    int length = queue.length(number);
    long offered = una + window.octets() - nxt;
    long room = Math.min(offered, allowed());
    int whole = Math.min(length, emss);
    if (whole > room) {
      if (max > una || offered <= 0 || (offered < window.largest() / 2 && !forced)) {
        return 0;
      }
      whole = (int) Math.min(whole, offered);
    }
    if (whole < length) {
      if (!queue.split(number, whole)) {
        counters.packetsExhausted++;
        connection.pend();
        return 0;
      }
      connection.keepsSent(1);
      counters.split++;
    }
    return whole;
  }

  private long allowed() {
    return una + recovery.window() + recovery.limitedTransmit() - nxt;
  }

  /** Sends one segment; false when a copy is needed and no packet is to be had. */
  private boolean transmit(long number, long position, boolean again) {
    if (pool.shared(queue.packet(number))) {
      if (!queue.replaceByCopy(number)) {
        counters.packetsExhausted++;
        return false;
      }
      counters.copiedForRetransmission++;
    }
    long packet = queue.packet(number);
    int length = queue.length(number);
    boolean last = number + 1 == queue.tail();
    int flags = last ? Tcp.ACK | Tcp.PSH : Tcp.ACK;
    long now = connection.now();
    if (again) {
      queue.sent(number, SendQueue.AMBIGUOUS);
      counters.retransmitted++;
    } else {
      queue.sent(number, now);
      counters.octetsOut += length;
    }
    if (max == una) {
      progress();
    }
    lastSentAt = now;
    pool.retain(packet);
    output.data(
        connection, packet, queue.payload(number), length, queue.sum(number), position, flags);
    return true;
  }

  private void sendFin() {
    if (!output.control(connection, sequence(queue.endPosition()), Tcp.FIN | Tcp.ACK)) {
      connection.pend();
      return;
    }
    if (max > queue.endPosition()) {
      counters.retransmitted++;
    } else if (max == una) {
      progress();
    }
    nxt = queue.endPosition() + 1;
    max = Math.max(max, nxt);
    lastSentAt = connection.now();
  }

  /** Starts the timer if something is in flight, or if only the peer's window holds us back. */
  void startTimer() {
    if (max > una) {
      if (connection.retransmitAt == Long.MAX_VALUE) {
        connection.retransmitAt = connection.now() + timeout.current();
      }
    } else if (cursor < queue.tail() || (connection.wantsToSend() && window.octets() == 0)) {
      if (connection.retransmitAt == Long.MAX_VALUE) {
        connection.retransmitAt = connection.now() + timeout.backedOff(expirations);
      }
    } else {
      connection.retransmitAt = Long.MAX_VALUE;
    }
    connection.reschedule();
  }

  /**
   * The timer has expired.
   *
   * @return false when the peer has not answered for so long that the connection is to be given up
   */
  boolean expired(long userTimeout) {
    if (unanswered > 0 && connection.now() - progressAt >= userTimeout) {
      return false;
    }
    unanswered++;
    if (max > una) {
      retransmit();
    } else {
      probe();
    }
    return true;
  }

  /** Go back to the first unacknowledged segment and start slowly (RFC 5681 section 3.1). */
  private void retransmit() {
    counters.timeouts++;
    congestion.onTimeout(max - una, expirations == 0, connection.now());
    recovery.onTimeout(max);
    timeout.backOff();
    expirations++;
    cursor = queue.head();
    nxt = queue.headPosition();
    if (cursor < queue.tail()) {
      if (connection.room() && transmit(cursor, nxt, true)) {
        nxt += queue.length(cursor);
        cursor++;
      } else {
        connection.pend();
      }
    } else {
      sendFin();
    }
    startTimer();
  }

  /**
   * Only the window holds us back. If it is open a little, the next segment is cut to it; if it is
   * closed, an empty segment with an old sequence number makes the peer say how wide it is now: an
   * octet of new data, as RFC 9293 section 3.8.6.1 has it, would tear an FPDU from its segment.
   */
  private void probe() {
    if (expirations == 0) {
      progressAt = connection.now();
    }
    expirations++;
    if (window.octets() > 0) {
      forced = true;
      output();
      forced = false;
    } else if (output.control(connection, sequence(una - 1), Tcp.ACK)) {
      counters.probes++;
    }
    startTimer();
  }

  /** Gives back every packet. */
  void clear() {
    connection.keepsSent(-queue.size());
    queue.clear();
    cursor = queue.tail();
  }
}
