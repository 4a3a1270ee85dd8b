package org.rddp.rdmap;

import org.rddp.ddp.DdpStream;
import org.rddp.ddp.UlpHandler;
import org.rddp.ddp.memory.AccessRights;
import org.rddp.ddp.memory.DdpReferences;
import org.rddp.ddp.memory.TaggedBuffer;
import org.rddp.ddp.memory.TaggedBuffers;
import org.rddp.ddp.segment.DdpError;
import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.ddp.sending.UnsentResponse;
import org.rddp.ddp.sending.WorkQueue;
import org.rddp.mpa.Depths;
import org.rddp.mpa.MpaConnection;
import org.rddp.mpa.MpaError;
import org.rddp.mpa.Ulpdu;
import org.rddp.snapshot.Snapshot;
import org.rddp.tcp.CloseReason;

/**
 * RDMAP as the user of DDP: checks received segments, and dispatches received and sent messages
 * (RFC 5040 sections 4 and 5, RFC 7306).
 */
final class RdmapReceiver implements UlpHandler {
  private final RdmapHandler handler;
  private final TaggedBuffers taggedBuffers;
  private final WorkQueue sendQueue;
  private final Requester requester;
  private final Termination termination;

  /** Whether sends and writes complete when they are acknowledged. */
  private final boolean acknowledged;

  private Responder responder;
  private InPlaceMessages inPlaceMessages;
  private RdmapLocalOperations localOperations;
  private DdpStream ddp;
  private int version;
  private int writeRights = AccessRights.REMOTE_WRITE;

  /** Whether the stream has the messages of RFC 7306, which are of version 1 only (section 4.1). */
  private boolean extended = true;

  /** Whether a message of RFC 7306 has been posted. */
  private boolean extensionPosted;

  /** Whether both ends have agreed on Sends with immediate data. */
  private boolean sendWithImmediate;

  /** Whether one of them has been posted. */
  private boolean sendWithImmediatePosted;

  /** Whether Full Operation has begun. */
  private boolean started;

  private final ReadyToReceive rtr = new ReadyToReceive();
  private boolean peerClosed;

  /** The reason why a segment was refused; null if it was not the expected RTR. */
  private RdmapError refused;

  RdmapReceiver(
      RdmapHandler handler,
      TaggedBuffers taggedBuffers,
      WorkQueue sendQueue,
      Requester requester,
      Termination termination,
      boolean acknowledged) {
    this.handler = handler;
    this.taggedBuffers = taggedBuffers;
    this.sendQueue = sendQueue;
    this.requester = requester;
    this.termination = termination;
    this.acknowledged = acknowledged;
  }

  /** Sets the stream. Call before the stream is used. */
  void attach(DdpStream stream) {
    ddp = stream;
    requester.attach(stream);
    termination.attach(stream);
    responder = new Responder(stream, taggedBuffers);
    inPlaceMessages = new InPlaceMessages(rtr, requester, responder, termination);
  }

  /** Sets the object that runs local operations. */
  void attach(RdmapLocalOperations operations) {
    localOperations = operations;
  }

  /** Whether the stream has failed, so that nothing may be posted. */
  boolean failed() {
    return termination.failed();
  }

  /**
   * Records that a message of RFC 7306 is to be posted; returns false if the stream does not
   * support these. That is not known before the start: a message posted earlier ends a stream
   * without support.
   */
  boolean postsExtension() {
    extensionPosted = true;
    return extended;
  }

  /** Both ends have agreed on Sends with immediate data. */
  void allowSendWithImmediate() {
    sendWithImmediate = true;
  }

  /** A Send with immediate data is to be posted: false as {@link #postsExtension}. */
  boolean postsSendWithImmediate() {
    sendWithImmediatePosted = true;
    return sendWithImmediate || !started;
  }

  /** Whether the peer has closed its half, so that no response can be received. */
  boolean peerClosed() {
    return peerClosed;
  }

  @Override
  public int ulpBits(int ddpVersion) {
    version = ddpVersion;
    extended = ddpVersion > 0; // RDMAPX-4-02
    return RdmapHeader.versionBits(ddpVersion); // RDMAP-4.1-02: "Both version numbers are valid"
  }

  /** See {@link RdmapStream#withhold}. */
  void withhold(int rights) {
    writeRights = AccessRights.needed(AccessRights.REMOTE_WRITE, rights);
    responder.withhold(rights);
  }

  @Override
  public void onFullOperation(MpaConnection connection) {
    started = true;
    termination.start(connection.negotiated().itself());
    rtr.start(ddp, connection);
    if (rtr.unanswered()) {
      requester.rtrSent();
    }
    Depths depths = connection.negotiated().depths();
    responder.limit(depths.ird()); // RDMAP-5.2-02, RDMAP-6.1-02
    // RDMAP-6.1-02: "MUST provide the maximum number of outstanding, outbound RDMA Read Requests"
    if (!requester.limit(depths.ord())) {
      // P2P-9.3-01: "for which the special Error Code is not defined in Section 8"
      termination.llpFailed(
          MpaError.LOCAL_CATASTROPHIC,
          "Reads or atomics have been posted, and the peer serves none: its IRD is 0");
    } else if ((extensionPosted && !extended) || (sendWithImmediatePosted && !sendWithImmediate)) {
      // RDMAP-7.1-03, RDMAPX-8.1-02: "the Terminate Message and Error code are sent instead"
      termination.fail(RdmapError.LOCAL_CATASTROPHIC);
    }
  }

  @Override
  public int admitTagged(int rsvdUlp, int stag, long to, int octets, boolean last) {
    if (RdmapHeader.version(rsvdUlp) != version) {
      // RDMAP-4.1-02; RDMAP-7.2-03: "The RDMA Version MUST be valid"
      return refusal(RdmapError.INVALID_VERSION);
    }
    int opcode = RdmapHeader.opcode(rsvdUlp);
    if (!rtr.admits(opcode, octets, last)) {
      return refusal(null);
    }
    return switch (opcode) {
      case RdmapHeader.WRITE -> writeRights; // RDMAP-4.1-05, RDMAP-5.1-02
      case RdmapHeader.READ_RESPONSE -> {
        if (rtr.unanswered() && octets == 0 && last) {
          yield AccessRights.LOCAL_WRITE;
        }
        RdmapError error = requester.take(stag, to, octets, last);
        yield error == null ? AccessRights.LOCAL_WRITE : refusal(error);
      }
      // RDMAP-7.2-02: "The RDMA OpCode MUST be valid"
      default -> refusal(RdmapError.UNEXPECTED_OPCODE);
    };
  }

  /** Decides without a change of state: {@link #admitTagged} follows in order. */
  @Override
  public int admitEarly(int rsvdUlp, int stag, long to, int octets) {
    if (RdmapHeader.version(rsvdUlp) != version) {
      return REFUSED;
    }
    return switch (RdmapHeader.opcode(rsvdUlp)) {
      case RdmapHeader.WRITE -> writeRights; // RDMAP-5.5-05
      case RdmapHeader.READ_RESPONSE ->
          requester.awaits(stag, to, octets) ? AccessRights.LOCAL_WRITE : REFUSED;
      default -> REFUSED;
    };
  }

  @Override
  public int admitUntagged(int qn, int rsvdUlp) {
    if (RdmapHeader.version(rsvdUlp) != version) {
      return refusal(RdmapError.INVALID_VERSION); // RDMAP-4.1-02, RDMAP-7.2-03, RDMAPX-8.2-01
    }
    int opcode = RdmapHeader.opcode(rsvdUlp);
    int queue = isInUse(opcode) ? RdmapHeader.queue(opcode) : -1;
    boolean wrongQueue = queue != qn && qn >= 0 && qn <= RdmapHeader.ATOMIC_RESPONSE_QUEUE;
    if (queue < 0 || wrongQueue) {
      return refusal(RdmapError.UNEXPECTED_OPCODE); // RDMAP-4.1-05, RDMAP-7.2-02
    }
    if (!rtr.admits(opcode, 0, true)) {
      return refusal(null);
    }
    return RdmapHeader.immediate(opcode) ? ImmediateData.LENGTH : 0;
  }

  /** Whether the peer may use an opcode, as far as agreements and versions go. */
  private boolean isInUse(int opcode) {
    if (opcode <= RdmapHeader.TERMINATE) {
      return true;
    }
    // RDMAPX-8.2-01; RDMAPX-4-02: "The RDMA Version (RV) field: 01b"
    return RdmapHeader.sendsWithImmediate(opcode) ? sendWithImmediate : extended;
  }

  @Override
  public void onBufferMissing(int qn) {
    handler.onReceiveMissing();
  }

  @Override
  public int admitUntaggedEarly(int qn, int rsvdUlp) {
    return rtr.admitsEarly() ? admitUntagged(qn, rsvdUlp) : REFUSED;
  }

  private int refusal(RdmapError error) {
    refused = error;
    return REFUSED;
  }

  /**
   * Completes a read by its Read Response. An RDMA Write is not reported to the program (RFC 5040
   * section 5.1).
   */
  @Override
  public void onTaggedMessage(int rsvdUlp, int stag, long to, int octets) {
    // RDMAP-5.1-01: "MUST NOT be delivered to the Data Sink's ULP"
    if (RdmapHeader.opcode(rsvdUlp) != RdmapHeader.READ_RESPONSE) {
      rtr.received();
    } else if (rtr.unanswered()) {
      rtr.answered();
      ddp.sender().wake();
    } else {
      // RDMAP-5.2-13; RDMAP-5.5-12: "MUST be sufficient to Complete the RDMA Read operation"
      requester.readAnswered();
    }
  }

  @Override
  public void onUntaggedMessage(
      int qn, int msn, long token, long head, int rsvdUlp, int rsvdUlpRest, long octets) {
    int opcode = RdmapHeader.opcode(rsvdUlp);
    boolean solicited = RdmapHeader.solicits(opcode); // RDMAP-5.3-04, RDMAPX-6-02
    if (token == ReadyToReceive.TOKEN) {
      rtr.received();
    } else if (RdmapHeader.immediate(opcode)) {
      onImmediate(token, head, octets, solicited);
    } else if (RdmapHeader.sendsWithImmediate(opcode)) {
      handler.onReceivedWithImmediate(token, octets, rsvdUlpRest, solicited);
    } else if (!RdmapHeader.invalidates(opcode)) { // RDMAP-4.1-06, RDMAPX-4-03
      // RDMAP-5.3-01: "One Send Message Type MUST consume one Untagged Buffer"; RDMAP-5.3-07: "A
      // zero-length Send Message Type MUST consume an Untagged Buffer"; RDMAP-5.5-10: "Delivered to
      // the ULP only after the DDP Message has been Delivered"; Reads and Atomics before it may
      // still wait (RDMAP-5.5-11, RDMAPX-5.4-03).
      handler.onReceived(token, octets, solicited, 0);
    } else if (mayInvalidate(rsvdUlpRest)) {
      // RDMAP-5.3-03; RDMAP-5.3-02: "Invalidate the STag if it is associated with the RDMAP Stream"
      taggedBuffers.invalidate(rsvdUlpRest);
      handler.onReceived(token, octets, solicited, rsvdUlpRest); // RDMAP-5.3-02
    } else {
      flushReceive(token);
      // RDMAP-7.1-02; RDMAP-5.3-03: "if the STag is not associated with the RDMAP Stream"
      termination.fail(RdmapError.CANNOT_INVALIDATE, ddp.deliveredSegment());
    }
  }

  private void onImmediate(long token, long head, long octets, boolean solicited) {
    if (octets == ImmediateData.LENGTH) { // RDMAPX-6-01: "include exactly 8 bytes of data"
      // RDMAPX-6-03: "MUST consume one Untagged Buffer"; RDMAPX-6-05: "MUST be Delivered to the
      // Remote Peer's ULP in the order they were sent"
      handler.onImmediate(token, head, solicited);
    } else {
      flushReceive(token);
      termination.fail(RdmapError.UNSPECIFIED, ddp.deliveredSegment()); // RDMAPX-8.1-01
    }
  }

  private boolean mayInvalidate(int stag) {
    TaggedBuffer buffer = taggedBuffers.lookup(stag);
    return buffer != null && buffer.mayBeInvalidatedBy(ddp);
  }

  @Override
  public void onMessageInPlace(int qn, int rsvdUlp, Ulpdu segment, int from, int octets) {
    inPlaceMessages.take(RdmapHeader.opcode(rsvdUlp), segment, from, octets);
  }

  @Override
  public boolean mayStart(long sequence, int rsvdUlp) {
    int opcode = RdmapHeader.opcode(rsvdUlp);
    boolean asks = opcode == RdmapHeader.READ_REQUEST || opcode == RdmapHeader.ATOMIC_REQUEST;
    return !(asks && rtr.unanswered()) && requester.mayStart(sequence, opcode); // RDMAP-5.2-01
  }

  @Override
  public void onSent(long sequence, int rsvdUlp, long octets) {
    switch (RdmapHeader.opcode(rsvdUlp)) {
      case RdmapHeader.READ_REQUEST, RdmapHeader.ATOMIC_REQUEST -> requester.started();
      case RdmapHeader.TERMINATE -> {}
      default -> {
        if (!acknowledged) {
          sendQueue.end(sequence, RdmapCompletionStatus.SUCCESS); // RDMAP-5.5-09
        }
      }
    }
  }

  /** Reads and atomics complete when they are answered. */
  @Override
  public void onAcknowledged(long sequence, int rsvdUlp, long octets) {
    switch (RdmapHeader.opcode(rsvdUlp)) {
      case RdmapHeader.READ_REQUEST, RdmapHeader.ATOMIC_REQUEST, RdmapHeader.TERMINATE -> {}
      default -> sendQueue.end(sequence, RdmapCompletionStatus.SUCCESS);
    }
  }

  @Override
  public void onLocalOperation(long sequence) {
    localOperations.run(sequence);
  }

  @Override
  public int onResponseDue(byte[] octets) {
    return responder.answerAtomic(octets) ? AtomicRequest.ANSWER_LENGTH : REFUSED;
  }

  @Override
  public void onResponseRefused(DdpErrorReport question) {
    termination.fail(responder.refused(), question);
  }

  @Override
  public void onResponseSent(int rsvdUlp) {
    responder.answered(RdmapHeader.opcode(rsvdUlp));
    ddp.queues().inPlace(RdmapHeader.READ_QUEUE).releasePlace(); // RDMAP-5.2-07
  }

  @Override
  public void onSourceInvalidated(UnsentResponse unsent) {
    byte[] left = ReadRequest.left(unsent); // RDMAP-5.2-05
    termination.fail(RdmapError.INVALID_STAG, unsent.request(), left);
  }

  /**
   * Ends a request that was not sent. {@link Requester#abandon} ends reads and atomics, sent or
   * not.
   */
  @Override
  public void onSendFlushed(long sequence, int rsvdUlp) {
    switch (RdmapHeader.opcode(rsvdUlp)) {
      case RdmapHeader.READ_REQUEST, RdmapHeader.ATOMIC_REQUEST, RdmapHeader.TERMINATE -> {}
      case RdmapHeader.NO_MESSAGE -> localOperations.flush(sequence);
      default -> sendQueue.end(sequence, requester.endOf(sequence)); // RDMAP-5.4-02
    }
  }

  @Override
  public void onSendRevoked(long sequence, int rsvdUlp) {
    sendQueue.end(sequence, RdmapCompletionStatus.LOCAL_PROTECTION_ERROR);
    termination.fail(RdmapError.LOCAL_CATASTROPHIC);
  }

  @Override
  public void onReceiveRevoked(int qn, long token) {
    handler.onCompletion(
        token, CompletionKind.RECEIVE, RdmapCompletionStatus.LOCAL_PROTECTION_ERROR, 0);
  }

  @Override
  public void onReceiveRefused(int qn, long token, int status) {
    handler.onCompletion(token, CompletionKind.RECEIVE, status, 0);
  }

  @Override
  public void onReceiveFlushed(int qn, long token) {
    if (token != ReadyToReceive.TOKEN) {
      flushReceive(token);
    }
  }

  @Override
  public void onReceiveTooShort(int qn, long token) {
    if (token == ReadyToReceive.TOKEN) {
      return;
    }
    handler.onCompletion(
        token, CompletionKind.RECEIVE, RdmapCompletionStatus.LOCAL_LENGTH_ERROR, 0); // RDMAP-5.3-06
  }

  private void flushReceive(long token) {
    handler.onCompletion(token, CompletionKind.RECEIVE, RdmapCompletionStatus.FLUSHED, 0);
  }

  @Override
  public void onError(DdpError error, DdpErrorReport report) {
    if (error == DdpError.INVALID_STAG && RdmapHeader.answersRead(report)) {
      // The response was right: its sink has been deregistered or invalidated here.
      requester.sinkRefused();
    }
    termination.ddpFailed(error, report);
  }

  @Override
  public void onRefused(DdpErrorReport report) {
    if (refused == null) {
      termination.llpFailed(MpaError.NO_MATCHING_RTR, rtr.mismatch());
    } else {
      termination.fail(refused, report);
    }
  }

  /**
   * Reports an error of MPA, unless the stream has failed: a peer may reset the connection after
   * its Terminate.
   */
  @Override
  public void onLlpError(MpaError error, String detail) {
    if (!termination.failed()) { // RDMAP-5.4-03
      termination.llpFailed(error, detail); // RDMAP-6.2-03
    }
  }

  @Override
  public void onPeerClosed() {
    peerClosed = true;
    if (requester.idle()) {
      handler.onPeerClosed();
    } else {
      termination.llpFailed( // RDMAP-6.2-02
          MpaError.CONNECTION_LOST, "the peer closed before it had answered every RDMA Read");
    }
  }

  @Override
  public void onClosed(CloseReason reason) {
    termination.end();
    handler.onClosed(reason);
  }

  /** Transfers its state and that of what it uses, but for DDP. */
  void transfer(Snapshot snapshot, DdpReferences references) {
    snapshot.begin(RdmapReceiver.class);
    version = snapshot.number("version", version);
    writeRights = snapshot.number("writeRights", writeRights);
    extended = snapshot.flag("extended", extended);
    extensionPosted = snapshot.flag("extensionPosted", extensionPosted);
    sendWithImmediate = snapshot.flag("sendWithImmediate", sendWithImmediate);
    sendWithImmediatePosted = snapshot.flag("sendWithImmediatePosted", sendWithImmediatePosted);
    started = snapshot.flag("started", started);
    peerClosed = snapshot.flag("peerClosed", peerClosed);
    rtr.transfer(snapshot, ddp);
    sendQueue.transfer(snapshot);
    requester.transfer(snapshot, references.memories());
    responder.transfer(snapshot);
    termination.transfer(snapshot);
    localOperations.transfer(snapshot, references);
    snapshot.end();
  }
}
