package org.rddp.perf;

/** What the server does for a peer that measures. */
public enum Service {
  /**
   * It receives, and answers no message. It posts only as many operations of its own as the peer
   * grants ({@link LoadMessage}).
   */
  LOAD(0),

  /** It answers each RDMA Write into its buffer by an RDMA Write of the same slot. */
  WRITE_BACK(1),

  /** It answers each Send by a Send of the same message. */
  SEND_BACK(2);

  private final int code;

  Service(int code) {
    this.code = code;
  }

  /** The number in a {@link PerfRequest}. */
  int code() {
    return code;
  }
}
