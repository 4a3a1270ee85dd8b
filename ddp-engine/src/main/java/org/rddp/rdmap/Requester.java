package org.rddp.rdmap;

import org.rddp.ddp.DdpStream;
import org.rddp.mpa.Ulpdu;
import org.rddp.wire.Memory;

/** Our reads and atomics at the peer: when they may go there, and their answers. */
final class Requester {
  private final RdmapSendQueue sendQueue;
  private final OutstandingRequests requests;
  private DdpStream ddp;

  /** The request that the peer has refused, or -1, and how it ends. */
  private long refused = -1;

  private int refusedStatus;

  Requester(RdmapSendQueue sendQueue, OutstandingRequests requests) {
    this.sendQueue = sendQueue;
    this.requests = requests;
  }

  void attach(DdpStream stream) {
    ddp = stream;
  }

  /** Whether a request may go to the peer now: for reads and atomics, and for what is fenced. */
  boolean mayStart(long number, int opcode) {
    return switch (opcode) {
      case RdmapHeader.TERMINATE -> true;
      case RdmapHeader.READ_REQUEST, RdmapHeader.ATOMIC_REQUEST ->
          requests.mayStart() && passesFence(number);
      default -> passesFence(number);
    };
  }

  private boolean passesFence(long number) {
    return requests.noneAtPeer() || !sendQueue.isFenced(number);
  }

  /** A read or an atomic has gone to the peer. */
  void started() {
    requests.start();
  }

  /** Whether every request has its answer. */
  boolean idle() {
    return requests.isEmpty();
  }

  /** What is wrong with a segment of a Read Response in its turn, or null; notes it then. */
  RdmapError take(int stag, long to, int octets, boolean last) {
    OutstandingRequest read = requests.awaited();
    if (read == null || read.atomic()) {
      return RdmapError.UNEXPECTED_OPCODE;
    }
    RdmapError error = read.refusal(stag, to, octets, last);
    if (error == null) {
      read.advance(octets);
    }
    return error;
  }

  /** Whether a segment of a Read Response may be placed before its turn. */
  boolean awaits(int stag, long to, int octets) {
    return requests.awaits(stag, to, octets);
  }

  /** The awaited read has its whole answer. */
  void readAnswered() {
    answered();
  }

  /** What is wrong with an Atomic Response, or null; the awaited atomic has ended then. */
  RdmapError takeAtomic(Ulpdu segment, int from, int octets) {
    OutstandingRequest atomic = requests.awaited();
    if (atomic == null || !atomic.atomic()) {
      return RdmapError.UNEXPECTED_OPCODE;
    }
    if (octets != AtomicRequest.ANSWER_LENGTH || segment.getInt(from) != atomic.identifier()) {
      return RdmapError.UNSPECIFIED;
    }
    Memory.putLongNative(atomic.address(), segment.getLong(from + 4));
    ddp.releasePlace(RdmapHeader.ATOMIC_RESPONSE_QUEUE);
    answered();
    return null;
  }

  private void answered() {
    long number = requests.awaited().number();
    requests.removeFirst();
    ddp.resumeSending();
    sendQueue.end(number, RdmapCompletionStatus.SUCCESS);
  }

  /** The RTR is a message of the queue of our reads and atomics. */
  void rtrSent() {
    requests.skip();
  }

  /**
   * The peer's Terminate names a request of ours: it ends so once it is abandoned.
   *
   * @param msn its Message Sequence Number; of an answered one, or of none, nothing follows
   */
  void refuse(int msn, int status) {
    OutstandingRequest request = requests.atPeer(msn);
    if (request != null) {
      refused = request.number();
      refusedStatus = status;
    }
  }

  /** No answer will come any more. */
  void abandon() {
    long number = requests.abandonFirst();
    while (number >= 0) {
      sendQueue.end(number, number == refused ? refusedStatus : RdmapCompletionStatus.FLUSHED);
      number = requests.abandonFirst();
    }
  }

  /** The peer serves so many requests at a time; false if that is none, and some were posted. */
  boolean limit(int ord) {
    requests.limit(ord);
    return !requests.closed() || requests.isEmpty();
  }
}
