package org.rddp.rdmap;

import org.rddp.ddp.memory.StreamRequest;
import org.rddp.snapshot.Memories;
import org.rddp.snapshot.Snapshot;

/** A read or an atomic of ours: where its response goes, and how much of it has come. Reused. */
final class OutstandingRequest {
  /** Octets of an object on the heap. */
  static final int OCTETS = 48;

  private long sequence;
  private boolean atomic;

  /** Read: the sink. Atomic: the identifier. */
  private int name;

  /** Read: Tagged Offset of the next octet. Atomic: address for the value. */
  private long next;

  private long left;

  void beginRead(long sequence, StreamRequest request) {
    this.sequence = sequence;
    atomic = false;
    name = request.localStag();
    next = request.localTo();
    left = request.length();
  }

  void beginAtomic(long sequence, int identifier, long address) {
    this.sequence = sequence;
    atomic = true;
    name = identifier;
    next = address;
    left = 0;
  }

  /** The request's sequence number in the {@link org.rddp.ddp.sending.WorkQueue}. */
  long sequence() {
    return sequence;
  }

  /** Whether it is an atomic; otherwise it is a read. */
  boolean atomic() {
    return atomic;
  }

  /** Atomic: the identifier that the response repeats. */
  int identifier() {
    return name;
  }

  /** Revokes the memory of an atomic; a read's memory is protected by its STag. */
  void revoke() {
    if (atomic) {
      next = 0;
    }
  }

  /** Atomic: address for the value; 0 if the memory has been revoked. */
  long address() {
    return next;
  }

  /**
   * The error in a segment of a Read Response, or null. The segment must go where the request said,
   * without a gap, and must be the last one when everything has come. Error Type 1 is only for
   * requests (RFC 5040 Figure 10), and no code of type 2 is for a wrong response.
   */
  RdmapError refusal(int stag, long to, int octets, boolean last) {
    // RDMAP-4.8-07, RDMAP-5.2-04
    boolean elsewhere = octets > 0 && (stag != name || to != next || octets > left);
    return elsewhere || (last && octets < left) ? RdmapError.UNSPECIFIED : null;
  }

  /** Whether octets lie in the rest of a read. */
  boolean awaits(int stag, long to, int octets) {
    long ahead = to - next;
    return !atomic && stag == name && octets <= left && ahead >= 0 && ahead <= left - octets;
  }

  /** Records a segment of the response that has been placed. */
  void advance(int octets) {
    next += octets;
    left -= octets;
  }

  /** Transfers a request. */
  void transfer(Snapshot snapshot, Memories memories) {
    snapshot.begin(OutstandingRequest.class);
    sequence = snapshot.number("sequence", sequence);
    atomic = snapshot.flag("atomic", atomic);
    name = snapshot.number("name", name);
    next =
        atomic
            ? memories.transfer(snapshot, "next", next, AtomicRequest.OPERAND)
            : snapshot.number("next", next);
    left = snapshot.number("left", left);
    snapshot.end();
  }
}
