package org.rddp.perf;

/** The operation that is measured. */
public enum Verb {
  /** RDMA Write. */
  WRITE(0, "RDMA Write"),

  /** RDMA Read. */
  READ(1, "RDMA Read"),

  /** Send, for which the peer has posted a receive. */
  SEND(2, "Send"),

  /** Fetch and Add of eight octets (RFC 7306). */
  ATOMIC(3, "Fetch and Add");

  private final int code;
  private final String title;

  Verb(int code, String title) {
    this.code = code;
    this.title = title;
  }

  /** The number in a {@link PerfRequest}. */
  int code() {
    return code;
  }

  /** The operation's name in the RFCs. */
  public String title() {
    return title;
  }
}
