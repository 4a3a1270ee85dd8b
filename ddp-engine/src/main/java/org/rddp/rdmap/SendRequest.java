package org.rddp.rdmap;

import org.rddp.ddp.memory.StreamRequest;

/** A request in the {@link RdmapSendQueue}. Reused. */
final class SendRequest {
  /** Octets of an object on the heap. */
  static final int OCTETS = 40;

  private long token;
  private int kind;
  private long length;
  private int status;
  private boolean fenced;
  private boolean ended;

  void post(StreamRequest request, int kind, long octets) {
    this.kind = kind;
    token = request.token();
    length = octets;
    fenced = RdmapFlags.fenced(request.flags());
    ended = false;
  }

  void end(int status) {
    this.status = status;
    ended = true;
  }

  long token() {
    return token;
  }

  int kind() {
    return kind;
  }

  int status() {
    return status;
  }

  boolean fenced() {
    return fenced;
  }

  boolean ended() {
    return ended;
  }

  /** Octets to report: those of the message, or 0 if it failed. */
  long octets() {
    return status == RdmapCompletionStatus.SUCCESS ? length : 0;
  }
}
