package org.rddp.ddp.receiving;

/**
 * One of the queues that a stream's peer sends Untagged Messages to.
 *
 * @param depth messages that may wait for their buffers' user, 1 to 2^24
 * @param limit 0 if the user posts the buffers; else the messages are short, of at most that many
 *     octets and one segment, and the user reads them where they arrived
 * @param shared where the buffers come from, which the user posts there; null if it posts them to
 *     this stream. Depth and limit are 1 and 0 then
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

  /** A queue of buffers that the user posts. */
  public static QueueSettings buffered(int depth) {
    return new QueueSettings(depth, 0, null);
  }

  /** A queue whose buffers come from one that other streams take theirs from too. */
  public static QueueSettings shared(DdpSharedReceiveQueue from) {
    return new QueueSettings(1, 0, from);
  }

  /** A queue of short messages that the user reads where they arrived. */
  public static QueueSettings inPlace(int depth, int limit) {
    return new QueueSettings(depth, limit, null);
  }
}
