package org.rddp.ddp.receiving;

/**
 * Settings of one queue for the peer's Untagged Messages.
 *
 * @param depth the most posted buffers or, for a queue read in place, the most messages being
 *     processed, 1 to 2^24
 * @param limit 0 if the user posts buffers; otherwise the most octets of a message, which the user
 *     reads in place and which must fit one segment
 * @param shared the shared queue that the buffers come from, with depth 1 and limit 0; null if the
 *     user posts buffers to this stream
 */
public record QueueSettings(int depth, int limit, DdpSharedReceiveQueue shared) {
  /** Checks the ranges. */
  public QueueSettings {
    if (depth < 1 || depth > 1 << 24 || limit < 0) {
      throw new IllegalArgumentException("depth " + depth + ", limit " + limit);
    }
    if (shared != null && (depth != 1 || limit != 0)) {
      throw new IllegalArgumentException("a shared queue has depth 1 and limit 0 here");
    }
  }

  /** A queue to which the user posts buffers. */
  public static QueueSettings buffered(int depth) {
    return new QueueSettings(depth, 0, null);
  }

  /** A queue whose buffers come from a shared queue. */
  public static QueueSettings shared(DdpSharedReceiveQueue from) {
    return new QueueSettings(1, 0, from);
  }

  /** A queue of short messages that the user reads in place. */
  public static QueueSettings inPlace(int depth, int limit) {
    return new QueueSettings(depth, limit, null);
  }
}
