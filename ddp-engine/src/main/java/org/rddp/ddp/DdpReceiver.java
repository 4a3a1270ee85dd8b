package org.rddp.ddp;

import org.rddp.mpa.Ulpdu;

/**
 * Takes every segment that MPA passes: checks it, places its payload and notes what has come (RFC
 * 5041 section 7.1).
 *
 * <p>The order of the checks: version, whole header, what the user says, then queue, message number
 * and offset, or STag, stream, rights, wrap and range.
 *
 * <p>A segment before its turn is placed at once if there is nothing against that, and what it
 * means waits for its turn. Otherwise MPA keeps it: so what is wrong with a segment is found, and
 * messages are Delivered, in the order in which the peer sent them.
 */
final class DdpReceiver {
  private final StreamLife life;
  private final UntaggedQueues queues;
  private final UlpHandler user;
  private final DdpCounters counters;
  private final Placement placement;
  private final Delivery delivery;
  private final EarlyNotes early = new EarlyNotes();
  private final SegmentHeader header = new SegmentHeader();
  private int version;
  private boolean stopped;

  /** A receiver that checks everything. */
  DdpReceiver(
      StreamLife life,
      UlpHandler user,
      DdpCounters counters,
      UntaggedQueues queues,
      Placement placement) {
    this.life = life;
    this.user = user;
    this.counters = counters;
    this.queues = queues;
    this.placement = placement;
    delivery = new Delivery(user, counters);
  }

  /** Full Operation has begun with this DDP version. */
  void start(int version) {
    this.version = version;
  }

  /** From now on segments are dropped silently. */
  void stop() {
    stopped = true;
    early.clear();
  }

  /** The next segment in the order in which the peer sent them. */
  void receive(Ulpdu segment) {
    if (stopped) {
      counters.segmentsDropped++;
      return;
    }
    DdpError fault = headerFault(segment);
    if (fault != null) {
      life.refuse(fault, DdpErrorReport.of(segment));
      return;
    }
    header.read(segment);
    take(header, segment);
  }

  /**
   * A segment before its turn.
   *
   * @return whether it has been taken; if not, it is to come again in its turn
   */
  boolean receiveEarly(Ulpdu segment) {
    if (stopped) {
      counters.segmentsDropped++;
      return true;
    }
    if (!early.hasRoom() || headerFault(segment) != null) {
      return false;
    }
    header.read(segment);
    boolean placed = header.tagged() ? placeTaggedEarly(segment) : placeUntaggedEarly(segment);
    if (placed) {
      early.add(header);
      counters.segmentsPlacedEarly++;
    }
    return placed;
  }

  private boolean placeTaggedEarly(Ulpdu segment) {
    int rights = user.admitEarly(header.rsvdUlp(), header.stag(), header.to(), header.octets());
    return rights >= 0 && placement.tagged(header, rights, segment) == null;
  }

  private boolean placeUntaggedEarly(Ulpdu segment) {
    return user.admitUntagged(header.qn(), header.rsvdUlp()) >= 0
        && placement.untaggedEarly(header, segment);
  }

  /** Every segment before a position in the stream has come: those among them have their turn. */
  void deliver(long position) {
    int number = early.before(position);
    for (int i = 0; i < number && !stopped; i++) {
      take(early.get(i), null);
    }
    if (!stopped) {
      early.removeFirst(number);
    }
  }

  /** What keeps the header of a segment from being read, or null. */
  private DdpError headerFault(Ulpdu segment) {
    if (segment.length() == 0) {
      return DdpError.LOCAL_CATASTROPHIC;
    }
    int control = DdpHeader.control(segment);
    boolean tagged = DdpHeader.tagged(control);
    if (DdpHeader.version(control) != version) {
      return tagged ? DdpError.TAGGED_VERSION : DdpError.UNTAGGED_VERSION;
    }
    int whole = tagged ? DdpHeader.TAGGED_LENGTH : DdpHeader.UNTAGGED_LENGTH;
    return segment.length() < whole ? DdpError.LOCAL_CATASTROPHIC : null;
  }

  /** Takes a segment in its turn; {@code segment} is null if it has been placed before. */
  private void take(SegmentHeader header, Ulpdu segment) {
    if (header.tagged()) {
      takeTagged(header, segment);
    } else if (user.admitUntagged(header.qn(), header.rsvdUlp()) < 0) {
      life.refuseForUser(DdpErrorReport.of(header));
    } else if (!queues.has(header.qn())) {
      refuse(DdpError.INVALID_QN, header);
    } else if (queues.buffered(header.qn()) != null) {
      takeUntagged(header, segment);
    } else {
      showInPlace(header, segment);
    }
  }

  private void takeTagged(SegmentHeader header, Ulpdu segment) {
    int octets = header.octets();
    int rights =
        user.admitTagged(header.rsvdUlp(), header.stag(), header.to(), octets, header.last());
    if (rights < 0) {
      life.refuseForUser(DdpErrorReport.of(header));
      return;
    }
    DdpError refusal = segment == null ? null : placement.tagged(header, rights, segment);
    if (refusal != null) {
      refuse(refusal, header);
      return;
    }
    count(octets);
    if (header.last()) {
      delivery.tagged(header.rsvdUlp(), header.stag(), header.to(), octets);
    }
  }

  private void takeUntagged(SegmentHeader header, Ulpdu segment) {
    DdpError refusal = placement.untagged(header, segment);
    if (refusal != null) {
      refuse(refusal, header);
      return;
    }
    int qn = header.qn();
    UntaggedQueue queue = queues.buffered(qn);
    queue.buffer(header.msn()).placed(header);
    count(header.octets());
    if (header.last()) {
      delivery.untagged(qn, queue);
    }
  }

  /** Such messages are never placed before their turn, so their octets are here. */
  private void showInPlace(SegmentHeader header, Ulpdu segment) {
    int qn = header.qn();
    int octets = header.octets();
    InPlaceQueue queue = queues.inPlace(qn);
    DdpError refusal = queue.refusal(header.msn(), header.mo(), octets, header.last());
    if (refusal != null) {
      refuse(refusal, header);
      return;
    }
    queue.take();
    count(octets);
    counters.untaggedMessagesDelivered++;
    user.onMessageInPlace(qn, header.rsvdUlp(), segment, DdpHeader.UNTAGGED_LENGTH, octets);
  }

  private void count(int octets) {
    counters.segmentsPlaced++;
    counters.octetsPlaced += octets;
  }

  private void refuse(DdpError error, SegmentHeader header) {
    life.refuse(error, DdpErrorReport.of(header));
  }
}
