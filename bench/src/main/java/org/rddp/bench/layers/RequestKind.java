package org.rddp.bench.layers;

/** Kinds of requests, each with a path of its own through session and stream. */
enum RequestKind {
  WRITE,
  INLINE_WRITE,
  LISTED_WRITE,
  WRITE_IMMEDIATE,
  IMMEDIATE,
  SEND,
  INLINE_SEND,
  READ,
  FETCH_ADD,
  SWAP,
  COMPARE_SWAP;

  /** Whether it consumes a receive of the peer. */
  boolean takesReceive() {
    return switch (this) {
      case WRITE_IMMEDIATE, IMMEDIATE, SEND, INLINE_SEND -> true;
      default -> false;
    };
  }
}
