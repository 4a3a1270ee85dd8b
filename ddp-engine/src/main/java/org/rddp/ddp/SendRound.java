package org.rddp.ddp;

import org.rddp.wire.Memory;

/**
 * The streams of an engine that have something to send and may: each in turn sends a few segments,
 * so that no message, however long, holds up the others.
 *
 * <p>Those that had sent everything the last time go first. A stream that sends less than its share
 * while another has more than its own, and can send it, has company: for some time one of these
 * sends no more than a {@link #QUANTUM} in a call, so that turns of the duty cycle are short, and
 * what is short does not wait for what is long. Who waits for the peer is nobody's company.
 */
final class SendRound {
  /** Segments that a stream sends before it is the next one's turn. */
  static final int SHARE = 16;

  /** Octets after which, in company, a stream's turn is over: so many, or the segment beyond. */
  static final int QUANTUM = 2048;

  /** How many segments are sent in company after the last stream that had little to send. */
  static final int COMPANY = 256;

  private static final int HEADER_ROOM = 128;

  private final long header = Memory.allocate(HEADER_ROOM);

  /** Streams that had sent everything, or nothing yet. */
  private final SendLine fresh = new SendLine();

  /** Streams with more to send than their share. */
  private final SendLine behind = new SendLine();

  private long segments;
  private long companyUntil;

  /** Memory to build one segment's header in. */
  long header() {
    return header;
  }

  /** Puts a stream at the end of its line; it must not be in one. */
  void add(DdpSender sender) {
    (sender.isBehind() ? behind : fresh).add(sender);
  }

  /**
   * Sends at most {@code limit} segments, in company {@link #SHARE} more; returns how many. What
   * fails inside ends its stream. In company there may be more to send when it returns less.
   */
  int run(int limit) {
    int sent = 0;
    while (sent < limit && !fresh.isEmpty()) {
      sent += serve(fresh.removeFirst(), limit - sent);
    }
    if (inCompany()) {
      return sent + serveOneBehind(limit);
    }
    while (sent < limit && !behind.isEmpty()) {
      sent += serve(behind.removeFirst(), limit - sent);
    }
    return sent;
  }

  /** Serves the first that is behind and can still send. */
  private int serveOneBehind(int limit) {
    int sent = 0;
    while (sent == 0 && !behind.isEmpty()) {
      sent = serve(behind.removeFirst(), limit);
    }
    return sent;
  }

  private boolean inCompany() {
    return segments - companyUntil < 0;
  }

  private int serve(DdpSender sender, int limit) {
    int quantum = inCompany() ? QUANTUM : Integer.MAX_VALUE;
    boolean wasBehind = sender.isBehind();
    int sent;
    try {
      sent = sender.takeTurn(Math.min(SHARE, limit), quantum);
    } catch (RuntimeException | Error e) {
      sender.abort();
      throw e;
    }
    segments += sent;
    if (!behind.isEmpty() && sent > 0 && !wasBehind && !sender.isBehind()) {
      meet();
    }
    return sent;
  }

  /** A stream had little to send: if the next that is behind can send, they have company. */
  private void meet() {
    if (behind.first().canSend()) {
      companyUntil = segments + COMPANY;
    }
  }
}
