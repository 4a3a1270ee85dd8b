package org.rddp.ddp;

import org.rddp.wire.Memory;

/**
 * The streams of an engine that have something to send and may: each in turn sends a few segments,
 * so that no message, however long, holds up the others.
 */
final class SendRound {
  /** Segments that a stream sends before it is the next one's turn. */
  static final int SHARE = 16;

  private static final int HEADER_ROOM = 128;

  private final long header = Memory.allocate(HEADER_ROOM);
  private DdpSender first;
  private DdpSender last;

  /** Memory to build one segment's header in. */
  long header() {
    return header;
  }

  /** Puts a stream at the end of the round; it must not be in it. */
  void add(DdpSender sender) {
    sender.next = null;
    if (last == null) {
      first = sender;
    } else {
      last.next = sender;
    }
    last = sender;
  }

  private DdpSender removeFirst() {
    DdpSender sender = first;
    first = sender.next;
    if (first == null) {
      last = null;
    }
    sender.next = null;
    return sender;
  }

  /** Sends at most {@code limit} segments; returns how many. What fails inside ends its stream. */
  int run(int limit) {
    int sent = 0;
    while (sent < limit && first != null) {
      DdpSender sender = removeFirst();
      try {
        sent += sender.takeTurn(Math.min(SHARE, limit - sent));
      } catch (RuntimeException | Error e) {
        sender.abort();
        throw e;
      }
    }
    return sent;
  }
}
