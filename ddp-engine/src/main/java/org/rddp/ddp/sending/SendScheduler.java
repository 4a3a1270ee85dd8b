package org.rddp.ddp.sending;

import org.rddp.snapshot.References;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Memory;

/**
 * Decides which stream of an engine sends next: round robin with a quantum, in two classes, so that
 * no message, however long, holds up the others.
 *
 * <p>Streams that sent everything the last time (caught up) go before those that could not
 * (backlogged). Sending becomes contended when a stream has sent everything while a backlogged one
 * can send, and stays so for {@link #CONTENDED_SEGMENTS} segments: each call then serves one
 * backlogged stream, for one {@link #QUANTUM}, or one {@link #JOINED_QUANTUM}. So turns of the duty
 * cycle stay short, and short messages do not wait for long ones. Streams that wait for their peers
 * do not count.
 */
public final class SendScheduler {
  /**
   * Segments that a stream sends before the next one is served, and those that leave together with
   * the last of them, up to a {@link #FRAME}.
   */
  public static final int SHARE = 16;

  /**
   * Octets of payload that a stream sends before the next one is served, while sending is
   * contended. The segment that reaches them is sent whole.
   */
  public static final int QUANTUM = 2048;

  /**
   * The most octets of payload that it sends in place of {@link #QUANTUM} while each FPDU leaves
   * together with the one before: that costs an engine little more.
   */
  public static final int JOINED_QUANTUM = 12_288;

  /** The most octets of payload that leave in one frame. */
  public static final int FRAME = 1 << 16;

  /** Segments for which sending stays contended after a stream that had little to send. */
  public static final int CONTENDED_SEGMENTS = 256;

  private static final int HEADER_ROOM = 128;

  /**
   * Segments of streams with little to send that {@link #runQuantum} sends before those of a
   * backlogged one.
   */
  private static final int SHORT_FIRST = 64;

  private final SendCounters counters;
  private final long header;

  /** The tenant whose streams these are; null where there are no tenants. */
  private final SendTenant tenant;

  /** Streams that sent everything the last time, or are new. */
  private final SenderQueue caughtUp = new SenderQueue();

  /** Streams that had more to send than they could. */
  private final SenderQueue backlogged = new SenderQueue();

  private long segments;
  private long contendedUntil;

  /** Segments that {@link #runQuantum} has sent since the last ones of a backlogged stream. */
  private int shortSegments;

  /** Creates a scheduler of streams that are no tenant's. */
  public SendScheduler() {
    this(new SendCounters(), Memory.allocate(HEADER_ROOM), null);
  }

  /**
   * Creates a scheduler of a tenant's streams.
   *
   * @param counters of all streams of the engine
   * @param header memory of the engine to build a header in
   */
  SendScheduler(SendCounters counters, long header, SendTenant tenant) {
    this.counters = counters;
    this.header = header;
    this.tenant = tenant;
  }

  /** The tenant whose streams these are; null where there are no tenants. */
  SendTenant tenant() {
    return tenant;
  }

  /** Counters of all streams of the engine. */
  public SendCounters counters() {
    return counters;
  }

  /** Memory to build one segment's header in. */
  long header() {
    return header;
  }

  /** Puts a stream at the end of its queue; it must not be in one. */
  void add(DdpSender sender) {
    (sender.isBacklogged() ? backlogged : caughtUp).add(sender);
    if (tenant != null) {
      tenant.wake();
    }
  }

  /** Lets its tenant wait to send, if it has one and does not, once streams have been read. */
  void wakeTenant() {
    if (tenant != null && !isEmpty()) {
      tenant.wake();
    }
  }

  /** Whether no stream waits to send. */
  public boolean isEmpty() {
    return caughtUp.isEmpty() && backlogged.isEmpty();
  }

  /**
   * Sends one quantum of one stream; there must be one.
   *
   * @param limit the most segments
   * @return segments sent, 0 if the stream cannot send now
   */
  int runQuantum(int limit) {
    boolean bulk = caughtUp.isEmpty() || (shortSegments >= SHORT_FIRST && !backlogged.isEmpty());
    int sent = serve((bulk ? backlogged : caughtUp).removeFirst(), limit, QUANTUM);
    shortSegments = bulk ? 0 : shortSegments + sent;
    return sent;
  }

  /**
   * Sends {@code limit} segments, those that leave together with the last of them, and {@link
   * #SHARE} more of a backlogged stream while sending is contended or the others fill the limit. An
   * exception ends its stream.
   *
   * @return segments sent; while sending is contended, fewer than the limit does not mean that
   *     nothing is left
   */
  public int run(int limit) {
    boolean waits = !backlogged.isEmpty();
    int sent = 0;
    while (sent < limit && !caughtUp.isEmpty()) {
      sent += serve(caughtUp.removeFirst(), limit - sent);
    }
    if (isContended() || (waits && sent >= limit)) {
      return sent + serveOneBacklogged(limit);
    }
    while (sent < limit && !backlogged.isEmpty()) {
      sent += serve(backlogged.removeFirst(), limit - sent);
    }
    return sent;
  }

  /** Serves the first backlogged stream that can send. */
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
    return serve(sender, limit, isContended() ? QUANTUM : Integer.MAX_VALUE);
  }

  private int serve(DdpSender sender, int limit, int quantum) {
    boolean wasBacklogged = sender.isBacklogged();
    int sent;
    try {
      sent = sender.sendShare(Math.min(SHARE, limit), quantum);
    } catch (RuntimeException | Error e) {
      sender.abort();
      throw e;
    }
    segments += sent;
    if (!backlogged.isEmpty() && sent > 0 && !wasBacklogged && !sender.isBacklogged()) {
      noteContention();
    }
    return sent;
  }

  /**
   * Marks sending as contended, after a stream with little to send, if the next backlogged one can
   * send.
   */
  private void noteContention() {
    if (backlogged.first().canSend()) {
      contendedUntil = segments + CONTENDED_SEGMENTS;
    }
  }

  /** Transfers which streams wait to send, in which order. */
  void transfer(Snapshot snapshot, References<DdpSender> senders) {
    snapshot.begin(SendScheduler.class);
    caughtUp.transfer(snapshot, senders, scheduler -> scheduler.caughtUp);
    backlogged.transfer(snapshot, senders, scheduler -> scheduler.backlogged);
    segments = snapshot.number("segments", segments);
    contendedUntil = snapshot.number("contendedUntil", contendedUntil);
    shortSegments = snapshot.number("shortSegments", shortSegments);
    if (tenant == null) {
      snapshot.counters(counters);
    }
    snapshot.end();
  }
}
