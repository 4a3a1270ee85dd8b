package org.rddp.bench.layers;

/** What a program can ask for: each of them has a path of its own through session and stream. */
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

  /** Whether it uses up a receive of the peer's. */
  boolean takesReceive() {
    return switch (this) {
      case WRITE_IMMEDIATE, IMMEDIATE, SEND, INLINE_SEND -> true;
      default -> false;
    };
  }

  /** Whether the request carries its message. */
  boolean isInline() {
    return this == INLINE_WRITE || this == INLINE_SEND;
  }
}
