package org.rddp.ddp.receiving;

import org.rddp.ddp.segment.DdpError;
import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.ddp.segment.DdpHeader;
import org.rddp.ddp.segment.SegmentHeader;
import org.rddp.mpa.Ulpdu;
import org.rddp.snapshot.Snapshot;

/**
 * Receives every segment that MPA passes: checks it, places its payload and Delivers complete
 * messages (RFC 5041 sections 5 and 7.1).
 *
 * <p>Order of the checks: version, complete header, the user's check, then queue, message number
 * and offset, or STag, stream, rights, wrap and range.
 *
 * <p>A segment received out of order is placed at once if no check fails, and takes effect once
 * everything before it has been received. Otherwise MPA keeps it. So errors are reported, and
 * messages Delivered, in the order in which the peer sent them.
 *
 * <p>If the stream's settings allow it, a message without a buffer is no error: its segments and
 * all after them are held until a buffer is posted, and TCP's window does not open meanwhile.
 */
public final class DdpReceiver {
  private final ReceivingStream stream;
  private final UntaggedQueues queues;
  private final ReceiveHandler user;
  private final ReceiveCounters counters;
  private final Placement placement;
  private final MessageDelivery delivery;
  private final DeferredSegments deferred;
  private final SegmentHeader header = new SegmentHeader();
  private int version;
  private boolean stopped;
  private final boolean mayHold;

  /**
   * Creates the receiver of one stream.
   *
   * @param held where segments are held
   */
  public DdpReceiver(
      ReceivingStream stream,
      ReceiveHandler user,
      ReceiveCounters counters,
      UntaggedQueues queues,
      Placement placement,
      EarlySegmentHeaders early,
      HeldSegments held) {
    this.stream = stream;
    this.user = user;
    this.counters = counters;
    this.queues = queues;
    this.placement = placement;
    delivery = new MessageDelivery(user, counters);
    deferred = new DeferredSegments(this, early, held);
    mayHold = held.isAllowed();
  }

  /** Starts, when Full Operation begins, with a DDP version. */
  public void start(int version) {
    this.version = version;
  }

  /** Drops segments silently from now on. */
  public void stop() {
    stopped = true;
    deferred.clear();
  }

  /** Receives the next segment in order. */
  public void receive(Ulpdu segment) {
    if (stopped) {
      counters.segmentsDropped++; // DDP-7.1-18
    } else if (deferred.holds() || !take(segment, false)) { // DDP-7.1-04, RDMAPX-7-01
      hold(segment);
    }
  }

  /** The last segment of the Untagged Message being Delivered. */
  public DdpErrorReport deliveredSegment() {
    return delivery.report();
  }

  /** Whether no segment is held for want of a buffer. */
  public boolean holdsNothing() {
    return !deferred.holds();
  }

  /** Octets of the held segments. */
  public long heldOctets() {
    return deferred.heldOctets();
  }

  /** Takes held segments after a buffer has been posted. */
  public void takeHeld() {
    if (deferred.holds()) {
      deferred.takeReady();
      if (!deferred.holds()) {
        stream.holdWindow(false);
      }
    }
  }

  /** Takes a held segment; false if it must stay held. */
  boolean takeHeld(Ulpdu segment) {
    return take(segment, true);
  }

  /** Takes the header of a segment that was placed early. */
  void takeEarly(SegmentHeader early) {
    take(early, null);
  }

  private void hold(Ulpdu segment) {
    boolean first = !deferred.holds();
    if (deferred.hold(segment)) {
      counters.segmentsHeld++;
      if (first) {
        queues.addWaiter(stream);
      }
      stream.holdWindow(true); // DDP-A-03
    } else {
      refuse(DdpError.NO_BUFFER, DdpErrorReport.of(segment)); // DDP-7.1-05
    }
  }

  /**
   * Takes a segment in order; returns false if it must be held for want of a buffer.
   *
   * @param held whether it has been held
   */
  private boolean take(Ulpdu segment, boolean held) {
    DdpError fault = headerFault(segment);
    if (fault != null) {
      refuse(fault, DdpErrorReport.of(segment));
      return true;
    }
    header.read(segment);
    if (!held && !header.tagged()) {
      askForBuffer(header.qn());
    }
    if (mayHold && holdsFor(header, held)) {
      return false;
    }
    take(header, segment);
    return true;
  }

  private void askForBuffer(int qn) {
    UntaggedQueue queue = queues.has(qn) ? queues.buffered(qn) : null;
    if (queue != null && queue.lacksBuffer()) {
      user.onBufferMissing(qn);
    }
  }

  /**
   * Whether a segment must wait: its message is the next of a queue without a buffer for it, or the
   * user has no room for the Tagged Message that it ends.
   */
  private boolean holdsFor(SegmentHeader segment, boolean held) {
    if (segment.tagged()) {
      return segment.last() && !user.mayDeliverTagged(held);
    }
    int qn = segment.qn();
    boolean buffered = queues.has(qn) && queues.buffered(qn) != null;
    if (!buffered || user.admitUntagged(qn, segment.rsvdUlp()) < 0) {
      return false;
    }
    UntaggedQueue queue = queues.buffered(qn);
    queue.takeShared(segment.msn());
    return queue.isFirstWithoutBuffer(segment.msn());
  }

  /**
   * Receives a segment out of order.
   *
   * @return whether it was placed; if not, MPA passes it again in order
   */
  public boolean receiveEarly(Ulpdu segment) {
    if (stopped) {
      counters.segmentsDropped++;
      return true;
    }
    if (!deferred.hasRoomForEarly() || headerFault(segment) != null) {
      return false;
    }
    header.read(segment);
    boolean placed = header.tagged() ? placeTaggedEarly(segment) : placeUntaggedEarly(segment);
    if (placed) {
      deferred.addEarly(header); // DDP-5.3-03, DDP-5.4-02, RDMAP-5.5-05
      counters.segmentsPlacedEarly++;
    }
    return placed;
  }

  private boolean placeTaggedEarly(Ulpdu segment) {
    int rights = user.admitEarly(header.rsvdUlp(), header.stag(), header.to(), header.octets());
    return rights >= 0 && placement.tagged(header, rights, segment) == null;
  }

  private boolean placeUntaggedEarly(Ulpdu segment) {
    int admitted = user.admitUntaggedEarly(header.qn(), header.rsvdUlp());
    return admitted >= 0 && placement.untaggedEarly(header, segment, admitted);
  }

  /**
   * Applies the early segments before a stream position, up to which everything has been received.
   */
  public void deliver(long position) {
    boolean held = deferred.holds();
    deferred.deliver(position);
    if (held && !deferred.holds()) {
      queues.removeWaiter(stream);
      stream.holdWindow(false);
    }
  }

  /** The reason why the header of a segment cannot be decoded, or null. */
  private DdpError headerFault(Ulpdu segment) {
    if (segment.length() == 0) {
      return DdpError.LOCAL_CATASTROPHIC;
    }
    int control = DdpHeader.control(segment);
    boolean tagged = DdpHeader.tagged(control);
    // DDP-4.1-09, DDP-7.2-04, DDP-7.2-05; RDMAPX-8.2-01: "The DDP layer MUST validate all DDP
    // Segment fields"
    if (DdpHeader.version(control) != version) {
      return tagged ? DdpError.TAGGED_VERSION : DdpError.UNTAGGED_VERSION;
    }
    int whole = tagged ? DdpHeader.TAGGED_LENGTH : DdpHeader.UNTAGGED_LENGTH;
    // DDP-7.2-02; DDP-4.4-01: "Each DDP Segment MUST contain a DDP Header"
    return segment.length() < whole ? DdpError.LOCAL_CATASTROPHIC : null;
  }

  /** Takes a segment in order; {@code segment} is null if it was placed early. */
  private void take(SegmentHeader header, Ulpdu segment) {
    if (header.tagged()) {
      takeTagged(header, segment);
      return;
    }
    int admitted = user.admitUntagged(header.qn(), header.rsvdUlp());
    if (admitted < 0) {
      refuseForUser(header);
    } else if (!queues.has(header.qn())) {
      refuse(DdpError.INVALID_QN, header); // DDP-7.1-01: "MUST be validated before Placement"
    } else if (queues.buffered(header.qn()) != null) {
      takeUntagged(header, segment, admitted);
    } else {
      showInPlace(header, segment);
    }
  }

  private void takeTagged(SegmentHeader header, Ulpdu segment) {
    int octets = header.octets();
    int rights =
        user.admitTagged(header.rsvdUlp(), header.stag(), header.to(), octets, header.last());
    if (rights < 0) {
      refuseForUser(header);
      return;
    }
    DdpError refusal = segment == null ? null : placement.tagged(header, rights, segment);
    if (refusal != null) {
      refuse(refusal, header); // DDP-7.1-16
      return;
    }
    count(octets);
    if (header.last()) { // DDP-3-04, DDP-5.4-02
      delivery.tagged(header.rsvdUlp(), header.stag(), header.to(), octets);
    }
  }

  private void takeUntagged(SegmentHeader header, Ulpdu segment, int head) {
    int qn = header.qn();
    UntaggedQueue queue = queues.buffered(qn);
    queue.takeShared(header.msn());
    DdpError refusal = placement.untagged(header, segment, head);
    if (refusal != null) { // DDP-7.1-16
      refuse(refusal, header);
      return;
    }
    queue.buffer(header.msn()).placed(header);
    count(header.octets());
    if (header.last()) { // DDP-3-04, DDP-5.4-02
      delivery.untagged(qn, queue);
    }
  }

  /**
   * Passes a message that is read in place; it is never placed early, so {@code segment} is not
   * null.
   */
  private void showInPlace(SegmentHeader header, Ulpdu segment) {
    int qn = header.qn();
    int octets = header.octets();
    InPlaceQueue queue = queues.inPlace(qn);
    DdpError refusal = queue.refusal(header.msn(), header.mo(), octets, header.last());
    if (refusal != null) {
      refuse(refusal, header);
      return;
    }
    queue.takePlace();
    count(octets);
    counters.untaggedMessagesDelivered++;
    user.onMessageInPlace(qn, header.rsvdUlp(), segment, DdpHeader.UNTAGGED_LENGTH, octets);
  }

  private void count(int octets) {
    counters.segmentsPlaced++;
    counters.octetsPlaced += octets;
  }

  private void refuse(DdpError error, SegmentHeader header) {
    refuse(error, DdpErrorReport.of(header));
  }

  private void refuseForUser(SegmentHeader header) {
    counters.segmentsRefused++;
    stream.refuseForUser(DdpErrorReport.of(header));
  }

  /** Refuses a segment, which fails the stream. */
  public void refuse(DdpError error, DdpErrorReport report) {
    counters.segmentsRefused++;
    stream.refuse(error, report); // DDP-6.2.2-01, DDP-7.1-16
  }

  /** Transfers its state. */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(DdpReceiver.class);
    version = snapshot.number("version", version);
    stopped = snapshot.flag("stopped", stopped);
    deferred.transfer(snapshot);
    snapshot.end();
  }
}
