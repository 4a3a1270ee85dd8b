package org.rddp.rdmap;

import java.nio.ByteBuffer;
import org.rddp.ddp.DdpStream;
import org.rddp.ddp.segment.DdpError;
import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.ddp.sending.DdpSender;
import org.rddp.mpa.MpaError;
import org.rddp.snapshot.Snapshot;

/**
 * Ends a stream after an error: sends a Terminate as the last message, closes our half after it,
 * and reports the error to the user (RFC 5040 sections 6.2 and 7).
 */
final class Termination {
  /** The id under which a Terminate is posted to DDP; no request has it. */
  private static final long TERMINATE_ID = -1;

  private static final byte[] NONE = {};

  private final RdmapHandler handler;
  private final Requester requester;
  private DdpStream ddp;

  /** Whether the stream is its own peer, whose Terminate it does not read. */
  private boolean itself;

  private boolean failed;

  Termination(RdmapHandler handler, Requester requester) {
    this.handler = handler;
    this.requester = requester;
  }

  void attach(DdpStream stream) {
    ddp = stream;
  }

  /**
   * Full Operation begins.
   *
   * @param ownPeer whether the stream is its own peer
   */
  void start(boolean ownPeer) {
    itself = ownPeer;
  }

  /** Whether the stream has failed, so that nothing may be posted. */
  boolean failed() {
    return failed;
  }

  /** Ends the stream after an error of RDMAP that belongs to no segment. */
  void fail(RdmapError error) {
    fail(error, null, NONE);
  }

  /** Ends the stream after an error of RDMAP in the reported segment. */
  void fail(RdmapError error, DdpErrorReport report) {
    fail(error, report, NONE);
  }

  /**
   * Ends the stream after an error of RDMAP.
   *
   * @param request the RDMA Read Request Header, or an empty array if there is none
   */
  void fail(RdmapError error, DdpErrorReport report, byte[] request) {
    // RDMAP-4.8-01, RDMAP-6.2-03, RDMAP-7.1-02
    terminate(RdmapHandler.LAYER_RDMAP, error.type(), error.code(), report, request);
    handler.onError( // RDMAP-7.1-01: "MUST attempt to inform the local ULP"
        RdmapHandler.LAYER_RDMAP,
        error.type(),
        error.code(),
        error.title() + (report == null ? "" : " in " + report));
  }

  /** Ends the stream after an error of DDP. */
  void ddpFailed(DdpError error, DdpErrorReport report) {
    terminate(RdmapHandler.LAYER_DDP, error.type(), error.code(), report, NONE); // RDMAP-4.8-01
    handler.onError(
        // RDMAP-7.1-01
        RdmapHandler.LAYER_DDP, error.type(), error.code(), error.title() + " in " + report);
  }

  /**
   * Ends the stream after an error of MPA, or after the peer has closed its half too early: ours
   * still carries a Terminate.
   */
  void llpFailed(MpaError error, String detail) {
    // RDMAP-4.8-01, RDMAP-6.2-03; P2P-8-02: "MUST contain Layer 2, Error Type 0"
    terminate(RdmapHandler.LAYER_LLP, 0, error.code(), null, NONE);
    handler.onError(RdmapHandler.LAYER_LLP, 0, error.code(), detail); // RDMAP-7.1-01
  }

  /** Ends the stream after a Terminate of the peer, possibly about a request of ours. */
  void terminated(Terminate terminate) {
    refuseNamed(terminate);
    ddp.fail();
    ended(); // RDMAP-5.4-03
    handler.onTerminated( // RDMAP-4.8-03: "MUST Deliver the Terminate Message to the ULP"
        terminate.layer(),
        terminate.type(),
        terminate.code(),
        "the peer ended the stream: " + terminate.description());
  }

  /** Sets the status of the request that a Terminate is about; those before it have succeeded. */
  private void refuseNamed(Terminate terminate) {
    long named = find(terminate);
    if (named >= 0) {
      // Messages are delivered in their order (RFC 5041 section 5.3): those before it are there.
      ddp.sender().takeAcknowledgedBefore(named);
      requester.refuse(named, terminate.requestStatus());
    }
  }

  /** The sequence number of the request that a Terminate is about; -1 if it is none that waits. */
  private long find(Terminate terminate) {
    return switch (terminate.named()) {
      case REQUEST -> requester.find(terminate.msn());
      case SEND -> ddp.sender().findUntagged(RdmapHeader.SEND_QUEUE, terminate.msn());
      case WRITE -> ddp.sender().findTagged(terminate.stag(), terminate.to());
      // The peer has failed at a message, or a part of one, that we do not know to be there.
      case NOTHING -> terminate.isCatastrophic() ? ddp.sender().findFirst() : DdpSender.NONE;
    };
  }

  private void terminate(int layer, int type, int code, DdpErrorReport report, byte[] request) {
    byte[] octets = Terminate.encode(layer, type, code, report, request);
    if (itself) {
      Terminate own = Terminate.read(ByteBuffer.wrap(octets));
      if (own.named() != Terminate.Named.NOTHING) {
        refuseNamed(own);
      }
    }
    ddp.fail();
    ddp.sender()
        // RDMAP-5.4-01, RDMAP-7.1-03, RDMAP-7.1-05; RDMAP-7.1-04: "MUST be captured by the
        // Terminate Message"
        .postInline(
            TERMINATE_ID,
            RdmapHeader.TERMINATE,
            0,
            RdmapHeader.TERMINATE_QUEUE,
            octets,
            octets.length);
    ended();
  }

  /** Ends the stream; DDP still sends what is posted. */
  private void ended() {
    end();
    // RDMAP-6.2-04; RDMAP-5.4-01: "MUST NOT send any more Messages on that specific RDMAP Stream"
    ddp.close();
  }

  /** Ends the stream. */
  void end() {
    failed = true;
    requester.abandon(); // RDMAP-5.4-02
  }

  /**
   * Closes gracefully. On a stream that never started, outstanding requests end now, since no
   * response will come.
   */
  void close() {
    ddp.close();
    if (!ddp.acceptsBuffers()) {
      requester.abandon();
    }
  }

  /** Flushes everything and resets the connection. */
  void abort() {
    failed = true;
    ddp.abort();
    requester.abandon();
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(Termination.class);
    itself = snapshot.flag("itself", itself);
    failed = snapshot.flag("failed", failed);
    snapshot.end();
  }
}
