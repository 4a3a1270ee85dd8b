package org.rddp.client;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.rddp.ipc.control.ConnectionSettings;

/**
 * What a program may choose for a connection. Both ends have to choose the same protocol: nothing
 * on the wire says which it is.
 *
 * @param heldOctets how much the daemon keeps of messages that find no posted receive, until the
 *     program posts one; meanwhile the peer is slowed down by TCP's window. 0: such a message, as
 *     any beyond this, ends the connection (RFC 5041 section 7.1). At most what the daemon's
 *     configuration allows (hold-messages); nothing is refused from about 1.4 times TCP's receive
 *     buffer on
 * @param taggedNotices plain DDP: how many notices of Tagged Messages may be posted ({@link
 *     DdpQueues#postTaggedNotice}), of which each Tagged Message of the peer's then uses one up, as
 *     an untagged one does a receive. 0: the program is not told of Tagged Messages
 * @param queues plain DDP: the queues of Queue Number 0, 1 and so on, by how many receives each
 *     holds; together at most what a connection may have. Empty: the connection speaks RDMAP
 * @param receiveQueue RDMAP: where the connection takes its receives from, as others may; null if
 *     they are posted to the connection itself
 */
public record ConnectionOptions(
    int heldOctets, int taggedNotices, List<Integer> queues, SharedReceiveQueue receiveQueue) {
  /** RDMAP; a message without a receive ends the connection. */
  public static final ConnectionOptions DEFAULTS = new ConnectionOptions(0, 0, List.of(), null);

  /** Checks the ranges. */
  public ConnectionOptions {
    queues = List.copyOf(queues);
    if (heldOctets < 0) {
      throw new IllegalArgumentException("held octets: " + heldOctets);
    }
    if (queues.size() > ConnectionSettings.MAX_QUEUES) {
      throw new IllegalArgumentException(
          queues.size() + " queues, at most " + ConnectionSettings.MAX_QUEUES);
    }
    for (int depth : queues) {
      if (depth < 1) {
        throw new IllegalArgumentException(
            "a queue that holds " + depth + " receives; it holds 1 at least");
      }
    }
    if (receiveQueue != null && !queues.isEmpty()) {
      throw new IllegalArgumentException("shared receive queues are for RDMAP");
    }
    if (taggedNotices < 0 || (taggedNotices > 0 && queues.isEmpty())) {
      throw new IllegalArgumentException(
          "notices of Tagged Messages are for plain DDP, and 0 or more: " + taggedNotices);
    }
  }

  /** Whether a session may use them. */
  void check(Rddp session) {
    if (receiveQueue != null && receiveQueue.session() != session) {
      throw new IllegalArgumentException("the receive queue belongs to another session");
    }
  }

  /**
   * A connection that speaks plain DDP (RFC 5041): the program is the ULP, and posts through {@link
   * Connection#ddp()}.
   *
   * @param receives for each queue, of Queue Number 0 and so on, how many receives it holds; one
   *     queue at least. The peer's queues have the same numbers
   */
  public static ConnectionOptions plainDdp(int... receives) {
    if (receives.length == 0) {
      throw new IllegalArgumentException("plain DDP takes one queue at least");
    }
    return new ConnectionOptions(
        0, 0, Arrays.stream(receives).boxed().collect(Collectors.toUnmodifiableList()), null);
  }

  /** The same with another bound for messages without a receive. */
  public ConnectionOptions withHeldOctets(int octets) {
    return new ConnectionOptions(octets, taggedNotices, queues, receiveQueue);
  }

  /** The same, telling the program of Tagged Messages. */
  public ConnectionOptions withTaggedNotices(int notices) {
    return new ConnectionOptions(heldOctets, notices, queues, receiveQueue);
  }

  /** The same with receives from a shared queue; null for receives of the connection's own. */
  public ConnectionOptions withReceiveQueue(SharedReceiveQueue queue) {
    return new ConnectionOptions(heldOctets, taggedNotices, queues, queue);
  }

  /** Whether the program is the ULP. */
  public boolean isPlainDdp() {
    return !queues.isEmpty();
  }

  ConnectionSettings settings() {
    int shared = receiveQueue == null ? 0 : receiveQueue.id();
    return new ConnectionSettings(heldOctets, taggedNotices, queues, shared);
  }
}
