package org.rddp.rdmap;

import org.rddp.ddp.DdpStream;
import org.rddp.ddp.segment.DdpError;
import org.rddp.ddp.segment.DdpErrorReport;
import org.rddp.mpa.MpaError;

/**
 * How a stream fails: the peer is told by a Terminate, the last message of the stream, our half
 * closes behind it, and the user hears of it (RFC 5040 sections 6.2 and 7).
 */
final class Termination {
  /** What DDP knows a Terminate by: no request of a program. */
  private static final long TERMINATE_ID = -1;

  private static final byte[] NONE = {};

  private final RdmapHandler handler;
  private final Requester requester;
  private DdpStream ddp;
  private boolean failed;

  Termination(RdmapHandler handler, Requester requester) {
    this.handler = handler;
    this.requester = requester;
  }

  void attach(DdpStream stream) {
    ddp = stream;
  }

  /** Whether nothing may be posted any more. */
  boolean failed() {
    return failed;
  }

  /** RDMAP itself has found an error, in no segment that could be named. */
  void fail(RdmapError error) {
    fail(error, null, NONE);
  }

  /** RDMAP itself has found an error, in the segment of the report. */
  void fail(RdmapError error, DdpErrorReport report) {
    fail(error, report, NONE);
  }

  /**
   * RDMAP itself has found an error.
   *
   * @param request the RDMA Read Request Header, or an empty array if there is none
   */
  void fail(RdmapError error, DdpErrorReport report, byte[] request) {
    ddp.fail();
    terminate(RdmapHandler.LAYER_RDMAP, error.type(), error.code(), report, request);
    handler.onError(
        RdmapHandler.LAYER_RDMAP,
        error.type(),
        error.code(),
        error.title() + (report == null ? "" : " in " + report));
  }

  /** DDP has found an error, and has failed. */
  void ddpFailed(DdpError error, DdpErrorReport report) {
    terminate(RdmapHandler.LAYER_DDP, error.type(), error.code(), report, NONE);
    handler.onError(
        RdmapHandler.LAYER_DDP, error.type(), error.code(), error.title() + " in " + report);
  }

  /** MPA has found an error, and has failed. */
  void llpFailed(MpaError error, String detail) {
    terminate(RdmapHandler.LAYER_LLP, 0, error.code(), null, NONE);
    handler.onError(RdmapHandler.LAYER_LLP, 0, error.code(), detail);
  }

  /** The peer has not done its part: it is not told. */
  void peerFailed(MpaError error, String detail) {
    ddp.fail();
    ended();
    handler.onError(RdmapHandler.LAYER_LLP, 0, error.code(), detail);
  }

  /** The peer has found an error, perhaps in a request of ours. */
  void terminated(Terminate terminate) {
    if (terminate.namesRequest()) {
      requester.refuse(terminate.msn(), terminate.requestStatus());
    }
    ddp.fail();
    ended();
    handler.onTerminated(
        terminate.layer(),
        terminate.type(),
        terminate.code(),
        "the peer ended the stream: " + terminate.description());
  }

  private void terminate(int layer, int type, int code, DdpErrorReport report, byte[] request) {
    byte[] octets = Terminate.encode(layer, type, code, report, request);
    ddp.postInline(
        TERMINATE_ID, RdmapHeader.TERMINATE, 0, RdmapHeader.TERMINATE_QUEUE, octets, octets.length);
    ended();
  }

  /** The stream is over but for what DDP still has to send. */
  private void ended() {
    end();
    ddp.close();
  }

  /** The stream is over. */
  void end() {
    failed = true;
    requester.abandon();
  }

  /** Closes in order; a stream that has never begun has no answers to wait for. */
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
}
