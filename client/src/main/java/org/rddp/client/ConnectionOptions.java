package org.rddp.client;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.rddp.client.types.CongestionChoice;
import org.rddp.client.types.ProtectionDomains;
import org.rddp.client.types.StartupOptions;
import org.rddp.ipc.control.ConnectionSettings;

/**
 * Options of a connection. Both ends must choose the same protocol, RDMAP or plain DDP: it is not
 * negotiated on the wire.
 *
 * @param heldOctets octets that the daemon keeps of messages without a posted receive, until the
 *     program posts one; meanwhile TCP's window slows the peer down. A message beyond this limit
 *     ends the connection (RFC 5041 section 7.1); with 0, every message without a receive does. The
 *     daemon's configuration sets the maximum (hold-messages). From about 1.4 times TCP's receive
 *     buffer on, no message exceeds the limit
 * @param taggedNotices plain DDP: number of Tagged Message notices that may be posted ({@link
 *     DdpQueues#postTaggedNotice}); each Tagged Message from the peer consumes one, as an Untagged
 *     Message consumes a receive. 0: the program is not notified of Tagged Messages
 * @param queues plain DDP: number of receives that each queue holds, from Queue Number 0 on; their
 *     sum is limited by {@link org.rddp.client.types.SessionLimits#receiveQueue}. Empty: the
 *     connection speaks RDMAP
 * @param receiveQueue RDMAP: the shared receive queue of the connection; null if receives are
 *     posted to the connection
 * @param startup RDMAP: IRD, ORD, MPA revision and who may send first
 * @param completionQueue where the connection's completions are polled; null: by {@link Rddp#poll}
 * @param domain number of the protection domain, see {@link ProtectionDomains}: the peer may use
 *     STags, and requests of this program regions, of this domain only
 * @param acknowledged whether this program's Sends and Writes complete when TCP has their last
 *     octet acknowledged, not when they have been sent: see {@link #withAcknowledged}
 * @param sendWithImmediate RDMAP: whether this program wants Sends with immediate data: see {@link
 *     #withSendWithImmediate}
 * @param dscp Differentiated Services codepoint of the packets that this end sends, 0 to 63; -1: as
 *     the interface is configured. Packets of the handshake that accepts a connection have the
 *     interface's
 * @param congestion congestion control of what this end sends: see {@link #withCongestion}
 */
public record ConnectionOptions(
    int heldOctets,
    int taggedNotices,
    List<Integer> queues,
    SharedReceiveQueue receiveQueue,
    StartupOptions startup,
    CompletionQueue completionQueue,
    int domain,
    boolean acknowledged,
    boolean sendWithImmediate,
    int dscp,
    CongestionChoice congestion) {
  private static final int LARGEST_DSCP = 63;

  /** RDMAP; a message without a posted receive ends the connection. */
  public static final ConnectionOptions DEFAULTS =
      new ConnectionOptions(
          0,
          0,
          List.of(),
          null,
          StartupOptions.DEFAULTS,
          null,
          ProtectionDomains.DEFAULT,
          false,
          false,
          -1,
          CongestionChoice.AS_CONFIGURED);

  /** Checks the ranges. */
  public ConnectionOptions {
    queues = List.copyOf(queues);
    Objects.requireNonNull(congestion, "congestion");
    ProtectionDomains.check(domain);
    if (dscp < -1 || dscp > LARGEST_DSCP) {
      throw new IllegalArgumentException(
          "DSCP " + dscp + " is not 0 to 63, or -1 for the interface's");
    }
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
            "a queue that holds " + depth + " receives; the least is 1");
      }
    }
    if (receiveQueue != null && !queues.isEmpty()) {
      throw new IllegalArgumentException("shared receive queues are for RDMAP");
    }
    if (!queues.isEmpty() && !startup.equals(StartupOptions.DEFAULTS)) {
      throw new IllegalArgumentException("startup options are for RDMAP");
    }
    if (sendWithImmediate && !queues.isEmpty()) {
      throw new IllegalArgumentException("Sends with immediate data are for RDMAP");
    }
    if (taggedNotices < 0 || (taggedNotices > 0 && queues.isEmpty())) {
      throw new IllegalArgumentException(
          "notices of Tagged Messages are for plain DDP, and 0 or more: " + taggedNotices);
    }
  }

  /** Checks that a session may use the options. */
  void check(Rddp session) {
    if (receiveQueue != null && receiveQueue.session() != session) {
      throw new IllegalArgumentException("the receive queue belongs to another session");
    }
    if (completionQueue != null && completionQueue.session() != session) {
      throw new IllegalArgumentException("the completion queue belongs to another session");
    }
  }

  /**
   * Options for plain DDP (RFC 5041): the program is the ULP and posts through {@link
   * Connection#ddp()}.
   *
   * @param receives number of receives that each queue holds, from Queue Number 0 on; at least one
   *     queue. The peer's queues have the same numbers
   */
  public static ConnectionOptions plainDdp(int... receives) {
    if (receives.length == 0) {
      throw new IllegalArgumentException("plain DDP needs at least one queue");
    }
    List<Integer> depths = Arrays.stream(receives).boxed().toList();
    return DEFAULTS.with(draft -> draft.queues = depths);
  }

  /** Copies the options with another limit for messages without a receive. */
  public ConnectionOptions withHeldOctets(int octets) {
    return with(draft -> draft.heldOctets = octets);
  }

  /** Copies the options with another number of Tagged Message notices. */
  public ConnectionOptions withTaggedNotices(int notices) {
    return with(draft -> draft.taggedNotices = notices);
  }

  /** Copies the options with a shared receive queue, or null for none. */
  public ConnectionOptions withReceiveQueue(SharedReceiveQueue queue) {
    return with(draft -> draft.receiveQueue = queue);
  }

  /** Copies the options with other options of MPA's startup. */
  public ConnectionOptions withStartup(StartupOptions options) {
    return with(draft -> draft.startup = options);
  }

  /**
   * Copies the options with or without peer-to-peer: whether the accepting program may be the first
   * to send. Without it, what that program posts waits for the connecting program's first message,
   * for ever if none comes.
   *
   * @see StartupOptions#peerToPeer
   */
  public ConnectionOptions withPeerToPeer(boolean wanted) {
    return withStartup(startup.withPeerToPeer(wanted));
  }

  /** Copies the options with another queue of completions, or null for {@link Rddp#poll}. */
  public ConnectionOptions withCompletionQueue(CompletionQueue queue) {
    return with(draft -> draft.completionQueue = queue);
  }

  /** Copies the options with another protection domain. */
  public ConnectionOptions withDomain(int number) {
    return with(draft -> draft.domain = number);
  }

  /**
   * Copies the options with Sends and Writes (with plain DDP: all messages) that complete when TCP
   * has their last octet acknowledged, or with such that complete when they have been sent, as is
   * the default. A peer that is rddp acknowledges a message when it has placed it, unless it is
   * held for a receive that the peer's program has not posted, or the peer has found an error,
   * which ends the connection. Other peers need not. The memory of a message may be used again no
   * sooner than it completes, and its place in the send queue is taken for a round trip longer.
   * What was sent and not acknowledged when a connection fails is flushed, but for the message that
   * the peer has refused.
   */
  public ConnectionOptions withAcknowledged(boolean wanted) {
    return with(draft -> draft.acknowledged = wanted);
  }

  /**
   * Copies the options with the wish for Sends with immediate data ({@link
   * Connection#postSendWithImmediate}). RDMAP does not have them, so both ends must be rddp, and
   * both programs must want them; {@link org.rddp.client.types.StartupTerms#sendWithImmediate} says
   * whether they do. The wish is 12 octets behind the private data, which then has at most 496. A
   * daemon takes them off before its program gets the private data; a peer that is not rddp does
   * not.
   */
  public ConnectionOptions withSendWithImmediate(boolean wanted) {
    return with(draft -> draft.sendWithImmediate = wanted);
  }

  /**
   * Copies the options with a Differentiated Services codepoint (RFC 2474), by which switches and
   * routers choose queues; -1 for the interface's. The network's operator says which codepoints
   * mean something.
   */
  public ConnectionOptions withDscp(int codepoint) {
    return with(draft -> draft.dscp = codepoint);
  }

  /**
   * Copies the options with another congestion control than the interface's. {@link
   * CongestionChoice#DCTCP} is for networks whose switches mark packets, and the peer should use
   * it, too; an interface without ECN refuses it. Of a connection that is accepted it holds once
   * TCP's handshake is over.
   */
  public ConnectionOptions withCongestion(CongestionChoice choice) {
    return with(draft -> draft.congestion = choice);
  }

  /** Whether the connection speaks plain DDP. */
  public boolean isPlainDdp() {
    return !queues.isEmpty();
  }

  ConnectionSettings settings() {
    int shared = receiveQueue == null ? 0 : receiveQueue.id();
    return new ConnectionSettings(
        heldOctets,
        taggedNotices,
        queues,
        shared,
        startup,
        domain,
        acknowledged,
        sendWithImmediate,
        0,
        dscp,
        congestion);
  }

  private ConnectionOptions with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.options();
  }

  /** A copy that is being changed. */
  private static final class Draft {
    int heldOctets;
    int taggedNotices;
    List<Integer> queues;
    SharedReceiveQueue receiveQueue;
    StartupOptions startup;
    CompletionQueue completionQueue;
    int domain;
    boolean acknowledged;
    boolean sendWithImmediate;
    int dscp;
    CongestionChoice congestion;

    Draft(ConnectionOptions from) {
      heldOctets = from.heldOctets;
      taggedNotices = from.taggedNotices;
      queues = from.queues;
      receiveQueue = from.receiveQueue;
      startup = from.startup;
      completionQueue = from.completionQueue;
      domain = from.domain;
      acknowledged = from.acknowledged;
      sendWithImmediate = from.sendWithImmediate;
      dscp = from.dscp;
      congestion = from.congestion;
    }

    ConnectionOptions options() {
      return new ConnectionOptions(
          heldOctets,
          taggedNotices,
          queues,
          receiveQueue,
          startup,
          completionQueue,
          domain,
          acknowledged,
          sendWithImmediate,
          dscp,
          congestion);
    }
  }
}
