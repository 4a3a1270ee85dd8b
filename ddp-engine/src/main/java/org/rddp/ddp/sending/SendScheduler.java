package org.rddp.ddp.sending;

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
public final class SendScheduler {
  /** Segments that a stream sends before it is the next one's turn. */
  public static final int SHARE = 16;

  /** Octets after which, in company, a stream's turn is over: so many, or the segment beyond. */
  public static final int QUANTUM = 2048;

  /** How many segments are sent in company after the last stream that had little to send. */
  public static final int CONTENDED_SEGMENTS = 256;

  private static final int HEADER_ROOM = 128;

  private final long header = Memory.allocate(HEADER_ROOM);

  /** Streams that had sent everything, or nothing yet. */
  private final SenderQueue caughtUp = new SenderQueue();

  /** Streams with more to send than their share. */
  private final SenderQueue backlogged = new SenderQueue();

  private final SendCounters counters = new SendCounters();
  private long segments;
  private long contendedUntil;

  /** Counters of all streams of the engine. */
  public SendCounters counters() {
    return counters;
  }

  /** Memory to build one segment's header in. */
  long header() {
    return header;
  }

  /** Puts a stream at the end of its line; it must not be in one. */
  void add(DdpSender sender) {
    (sender.isBacklogged() ? backlogged : caughtUp).add(sender);
  }

  /**
   * Sends at most {@code limit} segments, in company {@link #SHARE} more; returns how many. What
   * fails inside ends its stream. In company there may be more to send when it returns less.
   */
  public int run(int limit) {
    int sent = 0;
    while (sent < limit && !caughtUp.isEmpty()) {
      sent += serve(caughtUp.removeFirst(), limit - sent);
    }
    if (isContended()) {
      return sent + serveOneBacklogged(limit);
    }
    while (sent < limit && !backlogged.isEmpty()) {
      sent += serve(backlogged.removeFirst(), limit - sent);
    }
    return sent;
  }

  /** Serves the first that is behind and can still send. */
  private int serveOneBacklogged(int limit) {
    int sent = 0;
    while (sent == 0 && !backlogged.isEmpty()) {
      sent = serve(backlogged.removeFirst(), limit);
    }
    return sent;
  }

  private boolean isContended() {
    return segments - contendedUntil < 0;
  }

  private int serve(DdpSender sender, int limit) {
    int quantum = isContended() ? QUANTUM : Integer.MAX_VALUE;
    boolean wasBehind = sender.isBacklogged();
    int sent;
    try {
      sent = sender.sendShare(Math.min(SHARE, limit), quantum);
    } catch (RuntimeException | Error e) {
      sender.abort();
      throw e;
    }
    segments += sent;
    if (!backlogged.isEmpty() && sent > 0 && !wasBehind && !sender.isBacklogged()) {
      noteContention();
    }
    return sent;
  }

  /** A stream had little to send: if the next that is behind can send, they have company. */
  private void noteContention() {
    if (backlogged.first().canSend()) {
      contendedUntil = segments + CONTENDED_SEGMENTS;
    }
  }
}
