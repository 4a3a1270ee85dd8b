package org.rddp.ddp;

/**
 * One of the queues that a stream's peer sends Untagged Messages to.
 *
 * @param depth messages that may wait for their buffers' user, 1 to 2^24
 * @param limit 0 if the user posts the buffers; else the messages are short, of at most that many
 *     octets and one segment, and the user reads them where they arrived
 */
public record QueueSettings(int depth, int limit) {
  /** Checks the ranges. */
  public QueueSettings {
    if (depth < 1 || depth > 1 << 24 || limit < 0) {
      throw new IllegalArgumentException("depth " + depth + ", limit " + limit);
    }
  }

  /** A queue of buffers that the user posts. */
  public static QueueSettings buffered(int depth) {
    return new QueueSettings(depth, 0);
  }

  /** A queue of short messages that the user reads where they arrived. */
  public static QueueSettings inPlace(int depth, int limit) {
    return new QueueSettings(depth, limit);
  }
}
