package org.rddp.ddp;

import org.rddp.mpa.Ulpdu;

/**
 * Checks every segment that MPA passes and, if there is nothing against it, places its payload (RFC
 * 5041 section 7.1). The checks come first and all of them: nothing of a bad segment is placed.
 *
 * <p>The order: version, whole header, what the user says, then queue, message number and offset,
 * or STag, stream, rights, wrap and range.
 */
final class DdpReceiver {
  private final DdpStream stream;
  private final TaggedBuffers taggedBuffers;
  private final UntaggedQueue[] queues;
  private final InPlaceQueue[] inPlaceQueues;
  private final UlpHandler user;
  private final DdpCounters counters;
  private final Delivery delivery;
  private int version;
  private boolean stopped;

  /**
   * A receiver that checks everything.
   *
   * @param queues by Queue Number; null where there is one of {@code inPlaceQueues}
   */
  DdpReceiver(
      DdpStream stream,
      DdpEngine engine,
      UlpHandler user,
      UntaggedQueue[] queues,
      InPlaceQueue[] inPlaceQueues) {
    this.stream = stream;
    this.taggedBuffers = engine.taggedBuffers();
    this.counters = engine.counters();
    this.user = user;
    this.queues = queues;
    this.inPlaceQueues = inPlaceQueues;
    delivery = new Delivery(user, counters);
  }

  /** Full Operation has begun with this DDP version. */
  void start(int version) {
    this.version = version;
  }

  /** From now on segments are dropped silently. */
  void stop() {
    stopped = true;
  }

  /** The next segment in the order in which the peer sent them. */
  void receive(Ulpdu segment) {
    if (stopped) {
      counters.segmentsDropped++;
    } else if (segment.length() == 0) {
      refuse(DdpError.LOCAL_CATASTROPHIC, segment);
    } else if (DdpHeader.tagged(DdpHeader.control(segment))) {
      receiveTagged(segment, segment.length() - DdpHeader.TAGGED_LENGTH);
    } else {
      receiveUntagged(segment, segment.length() - DdpHeader.UNTAGGED_LENGTH);
    }
  }

  private void receiveTagged(Ulpdu segment, int octets) {
    int control = DdpHeader.control(segment);
    if (DdpHeader.version(control) != version) {
      refuse(DdpError.TAGGED_VERSION, segment);
      return;
    }
    if (octets < 0) {
      refuse(DdpError.LOCAL_CATASTROPHIC, segment);
      return;
    }
    int rsvdUlp = DdpHeader.rsvdUlp(segment);
    int stag = DdpHeader.stag(segment);
    long to = DdpHeader.to(segment);
    int rights = user.admitTagged(rsvdUlp, stag, to, octets, DdpHeader.last(control));
    if (rights < 0) {
      stream.refuseForUser(segment);
      return;
    }
    if (octets > 0) {
      TaggedBuffer buffer = taggedBuffers.lookup(stag);
      DdpError refusal = refusal(buffer, rights, to, octets);
      if (refusal != null) {
        refuse(refusal, segment);
        return;
      }
      segment.copy(DdpHeader.TAGGED_LENGTH, buffer.addressOf(to), octets);
    }
    count(octets);
    if (DdpHeader.last(control)) {
      delivery.tagged(rsvdUlp, stag, to, octets);
    }
  }

  private DdpError refusal(TaggedBuffer buffer, int rights, long to, int octets) {
    if (buffer == null) {
      return DdpError.INVALID_STAG;
    }
    if (!buffer.associatedWith(stream)) {
      return DdpError.STAG_NOT_ASSOCIATED;
    }
    if (!buffer.permits(rights)) {
      return DdpError.INVALID_STAG;
    }
    if (TaggedBuffer.wraps(to, octets)) {
      return DdpError.TO_WRAP;
    }
    return buffer.contains(to, octets) ? null : DdpError.BASE_OR_BOUNDS;
  }

  private void receiveUntagged(Ulpdu segment, int octets) {
    int control = DdpHeader.control(segment);
    if (DdpHeader.version(control) != version) {
      refuse(DdpError.UNTAGGED_VERSION, segment);
      return;
    }
    if (octets < 0) {
      refuse(DdpError.LOCAL_CATASTROPHIC, segment);
      return;
    }
    int rsvdUlp = DdpHeader.rsvdUlp(segment);
    int qn = DdpHeader.qn(segment);
    if (user.admitUntagged(qn, rsvdUlp) < 0) {
      stream.refuseForUser(segment);
      return;
    }
    if (Integer.compareUnsigned(qn, queues.length) >= 0) {
      refuse(DdpError.INVALID_QN, segment);
    } else if (queues[qn] != null) {
      place(segment, control, qn, queues[qn], octets);
    } else {
      showInPlace(segment, control, qn, inPlaceQueues[qn], octets);
    }
  }

  private void place(Ulpdu segment, int control, int qn, UntaggedQueue queue, int octets) {
    int msn = DdpHeader.msn(segment);
    DdpError refusal = queue.refusal(msn);
    if (refusal != null) {
      refuse(refusal, segment);
      return;
    }
    ReceiveBuffer buffer = queue.buffer(msn);
    int mo = DdpHeader.mo(segment);
    boolean last = DdpHeader.last(control);
    refusal = buffer.refusal(mo, octets, last);
    if (refusal != null) {
      refuse(refusal, segment);
      return;
    }
    segment.copy(DdpHeader.UNTAGGED_LENGTH, buffer.addressOf(mo), octets);
    buffer.placed(mo, octets, last, DdpHeader.rsvdUlp(segment), DdpHeader.rsvdUlpRest(segment));
    count(octets);
    if (last) {
      delivery.untagged(qn, queue);
    }
  }

  private void showInPlace(Ulpdu segment, int control, int qn, InPlaceQueue queue, int octets) {
    DdpError refusal =
        queue.refusal(
            DdpHeader.msn(segment), DdpHeader.mo(segment), octets, DdpHeader.last(control));
    if (refusal != null) {
      refuse(refusal, segment);
      return;
    }
    queue.take();
    count(octets);
    counters.untaggedMessagesDelivered++;
    user.onMessageInPlace(
        qn, DdpHeader.rsvdUlp(segment), segment, DdpHeader.UNTAGGED_LENGTH, octets);
  }

  private void count(int octets) {
    counters.segmentsPlaced++;
    counters.octetsPlaced += octets;
  }

  private void refuse(DdpError error, Ulpdu segment) {
    stream.refuse(error, segment);
  }
}
