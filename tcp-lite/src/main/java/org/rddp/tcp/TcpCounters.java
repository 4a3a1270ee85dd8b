package org.rddp.tcp;

import org.rddp.tcp.loss.LossCounters;

/** What one stack has done. Written by the engine's thread; elsewhere a value may be old. */
public final class TcpCounters {
  /** Segments received with a right checksum. */
  public long segmentsIn;

  /** Segments sent, retransmissions included. */
  public long segmentsOut;

  /** Payload octets handed to users. */
  public long octetsIn;

  /** Payload octets sent for the first time. */
  public long octetsOut;

  /** Segments with impossible lengths, in the header or in its options. */
  public long malformed;

  /** Segments with a wrong checksum. */
  public long checksumErrors;

  /** Segments dropped before they were acknowledged, because their user said so. */
  public long refused;

  /** Segments sent again. */
  public long retransmitted;

  /** Segments sent as a copy, because the device still held the packet, or pieces share it. */
  public long copied;

  /** Segments cut in two because the peer's window or the EMSS was smaller. */
  public long split;

  /** Times that the retransmission timer expired. */
  public long timeouts;

  /** Fast retransmissions begun. */
  public long fastRetransmits;

  /** What loss recovery has seen and done. */
  public final LossCounters loss = new LossCounters();

  /** Times that the EMSS was lowered because a path swallowed segments without a word. */
  public long blackHoles;

  /** Duplicate acknowledgments received. */
  public long duplicateAcknowledgments;

  /** Zero-window probes sent. */
  public long probes;

  /** Segments that came before their turn and were held. */
  public long outOfOrder;

  /**
   * Octets of them that the user kept beyond the moment that they came: not those that it could do
   * something with before their turn.
   */
  public long octetsKept;

  /** Segments that came before their turn and were dropped, too many being held. */
  public long outOfOrderDropped;

  /** Segments, or parts, that had been received before. */
  public long duplicates;

  /** Segments outside of the window, or with an impossible acknowledgment. */
  public long unacceptable;

  /** Challenge ACKs sent (RFC 5961). */
  public long challengeAcknowledgments;

  /** Challenge ACKs not sent, because there had been too many within the second. */
  public long challengesSuppressed;

  /** Empty segments outside of the window, or too old, not answered: one had just been. */
  public long answersSuppressed;

  /** Keep-alive probes sent. */
  public long keepAliveProbes;

  /** Segments refused for an old timestamp (PAWS), or for having none. */
  public long oldTimestamps;

  /** Pure acknowledgments sent. */
  public long acknowledgmentsOut;

  /** Resets sent. */
  public long resetsOut;

  /** Resets received and obeyed. */
  public long resetsIn;

  /** Times that a path was found to carry less than was known. */
  public long pathMtuLowered;

  /** ICMP errors about no segment in flight, or otherwise not believed. */
  public long icmpIgnored;

  /** SYNs answered by a cookie, because the backlog was full. */
  public long synCookiesSent;

  /** Connections that came from a cookie. */
  public long synCookiesAccepted;

  /** Acknowledgments with a forged or stale cookie. */
  public long synCookiesFailed;

  /** SYNs dropped because the backlog, the connection table or the neighbour table was full. */
  public long synsDropped;

  /** Connections established, opened by us or by others. */
  public long established;

  /** Connections ended because the peer did not answer. */
  public long timedOut;

  /** Connections aborted because their handler threw. */
  public long handlerFailures;

  /** Times that no packet was to be had; what needed it is tried again. */
  public long packetsExhausted;

  /** Times that the device took no more frames; what needed it is tried again. */
  public long deviceBusy;

  /** All zero. */
  public TcpCounters() {}
}
