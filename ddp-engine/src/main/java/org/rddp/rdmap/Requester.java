package org.rddp.rdmap;

import org.rddp.ddp.DdpStream;
import org.rddp.ddp.sending.WorkQueue;
import org.rddp.mpa.Ulpdu;
import org.rddp.snapshot.Memories;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Memory;

/**
 * The requester side of reads and atomics: sends them when ORD and fences allow, takes responses.
 */
final class Requester {
  private final WorkQueue sendQueue;
  private final OutstandingRequests requests;
  private DdpStream ddp;

  /** The request that the peer has refused, or -1; {@link #refusedStatus} is its status. */
  private long refused = -1;

  private int refusedStatus;

  Requester(WorkQueue sendQueue, OutstandingRequests requests) {
    this.sendQueue = sendQueue;
    this.requests = requests;
  }

  void attach(DdpStream stream) {
    ddp = stream;
  }

  /** Whether a request may be sent now: checks ORD for reads and atomics, and the read fence. */
  boolean mayStart(long sequence, int opcode) {
    return switch (opcode) {
      case RdmapHeader.TERMINATE -> true;
      case RdmapHeader.READ_REQUEST, RdmapHeader.ATOMIC_REQUEST ->
          requests.mayStart() && passesFence(sequence); // RDMAP-5.2-01, RDMAPX-5.3-01
      default -> passesFence(sequence);
    };
  }

  private boolean passesFence(long sequence) {
    return requests.noneAtPeer() || !sendQueue.isFenced(sequence); // RDMAP-5.5-03
  }

  /** Records that a read or an atomic has been sent. */
  void started() {
    requests.start();
  }

  /** Whether every read and atomic has been answered. */
  boolean idle() {
    return requests.isEmpty();
  }

  /** Checks a segment of a Read Response in order: the error, or null if it was counted. */
  RdmapError take(int stag, long to, int octets, boolean last) {
    OutstandingRequest read = requests.awaited();
    if (read == null || read.atomic()) {
      return RdmapError.UNEXPECTED_OPCODE;
    }
    RdmapError error = read.refusal(stag, to, octets, last); // RDMAP-5.2-04
    if (error == null) {
      read.advance(octets);
    }
    return error;
  }

  /** Whether a segment of a Read Response may be placed out of order. */
  boolean awaits(int stag, long to, int octets) {
    return requests.awaits(stag, to, octets);
  }

  /** Completes the first read, which has been answered in full. */
  void readAnswered() {
    answered();
  }

  /** Ends the read being answered, because its sink is no longer valid. */
  void sinkRefused() {
    refused = requests.awaited().sequence();
    refusedStatus = RdmapCompletionStatus.LOCAL_PROTECTION_ERROR;
  }

  /** Takes an Atomic Response: the error, or null if the first atomic has completed. */
  RdmapError takeAtomic(Ulpdu segment, int from, int octets) {
    OutstandingRequest atomic = requests.awaited();
    if (atomic == null || !atomic.atomic()) {
      return RdmapError.UNEXPECTED_OPCODE;
    }
    // RDMAPX-5.2-10; RDMAPX-5.2-03: "originally provided in the corresponding Atomic Operation
    // Request Message"
    if (octets != AtomicRequest.ANSWER_LENGTH || segment.getInt(from) != atomic.identifier()) {
      return RdmapError.UNSPECIFIED;
    }
    if (atomic.address() == 0) {
      refused = atomic.sequence();
      refusedStatus = RdmapCompletionStatus.LOCAL_PROTECTION_ERROR;
      return RdmapError.LOCAL_CATASTROPHIC;
    }
    Memory.putLongNative(atomic.address(), segment.getLong(from + 4));
    // RDMAPX-5.2-09, RDMAPX-5.2-10
    ddp.queues().inPlace(RdmapHeader.ATOMIC_RESPONSE_QUEUE).releasePlace();
    answered();
    return null;
  }

  private void answered() {
    long sequence = requests.awaited().sequence();
    requests.removeFirst();
    ddp.sender().wake();
    // RDMAP-5.2-13: "MUST Deliver the RDMA Read Response Message to the ULP"; RDMAPX-5.4-01: "MUST
    // NOT be Completed at the Requester until the DDP layer Delivers"
    sendQueue.end(sequence, RdmapCompletionStatus.SUCCESS);
  }

  /**
   * Records that an RTR message was sent on the queue of reads and atomics; it shifts their
   * numbers.
   */
  void rtrSent() {
    requests.skip();
  }

  /**
   * The sequence number of the read or atomic that awaits its response, by its Message Sequence
   * Number; -1 if there is none.
   */
  long find(int msn) {
    OutstandingRequest request = requests.atPeer(msn);
    return request == null ? -1 : request.sequence();
  }

  /** Sets the status of a request that the peer has refused, instead of {@link #endOf} others. */
  void refuse(long sequence, int status) {
    refused = sequence;
    refusedStatus = status;
  }

  /** The status of a request that ends with the stream. */
  int endOf(long sequence) {
    return sequence == refused ? refusedStatus : RdmapCompletionStatus.FLUSHED;
  }

  /** Ends all reads and atomics: no response will come. */
  void abandon() {
    long sequence = requests.abandonFirst();
    while (sequence >= 0) {
      // RDMAP-5.4-02
      sendQueue.end(sequence, endOf(sequence));
      sequence = requests.abandonFirst();
    }
  }

  /** Limits requests at the peer; false if the limit is 0 and some have been posted. */
  boolean limit(int ord) {
    requests.limit(ord);
    return !requests.closed() || requests.isEmpty();
  }

  /** Transfers its state and the requests that wait for a response. */
  void transfer(Snapshot snapshot, Memories memories) {
    snapshot.begin(Requester.class);
    refused = snapshot.number("refused", refused);
    refusedStatus = snapshot.number("refusedStatus", refusedStatus);
    requests.transfer(snapshot, memories);
    snapshot.end();
  }
}
