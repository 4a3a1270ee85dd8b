package org.rddp.tcp;

import org.rddp.tcp.loss.LossCounters;

/** The counters of one stack. Written by the engine's thread; other threads may read old values. */
public final class TcpCounters {
  /** Segments received with a right checksum; a train counts as one. */
  public long segmentsIn;

  /** Segments sent, retransmissions included; a train counts as one. */
  public long segmentsOut;

  /** Trains sent: frames that held several segments. */
  public long trainsOut;

  /** Segments sent in trains. */
  public long trainSegmentsOut;

  /** Trains received, and segments that a card has merged: frames longer than one segment. */
  public long trainsIn;

  /** Segments of our MSS that would have carried what was received in trains. */
  public long trainSegmentsIn;

  /** Payload octets handed to users. */
  public long octetsIn;

  /** Payload octets sent for the first time. */
  public long octetsOut;

  /** Segments with invalid lengths in the header or its options. */
  public long malformed;

  /** Segments with a wrong checksum. */
  public long checksumErrors;

  /** Segments dropped because {@link StreamHandler#accepts} was false. */
  public long refused;

  /** Segments sent again. */
  public long retransmitted;

  /**
   * Segments sent as a copy, because the device still held the packet or other segments share it.
   */
  public long copied;

  /** Segments cut in two because the peer's window or the EMSS was smaller. */
  public long split;

  /** Times that the retransmission timer expired. */
  public long timeouts;

  /** Fast retransmissions begun. */
  public long fastRetransmits;

  /** Counters of loss recovery. */
  public final LossCounters loss = new LossCounters();

  /** Times that EMSS was lowered because of a path MTU black hole. */
  public long blackHoles;

  /** Duplicate acknowledgments received. */
  public long duplicateAcknowledgments;

  /** Zero-window probes sent. */
  public long probes;

  /** Segments received out of order and kept. */
  public long outOfOrder;

  /** Octets received out of order that the user kept, because it could not process them at once. */
  public long octetsKept;

  /**
   * Segments dropped because of a limit: received out of order, or in order while the user keeps
   * too many packets.
   */
  public long outOfOrderDropped;

  /** Segments or parts that had been received before. */
  public long duplicates;

  /** Segments outside of the window, or with an unacceptable acknowledgment. */
  public long unacceptable;

  /** Challenge ACKs sent (RFC 5961). */
  public long challengeAcknowledgments;

  /** Challenge ACKs not sent because of the limit per second. */
  public long challengesSuppressed;

  /** Empty segments outside of the window or too old, not answered because of the limit. */
  public long answersSuppressed;

  /** Keep-alive probes sent. */
  public long keepAliveProbes;

  /** Segments dropped for an old timestamp (PAWS), or for having none. */
  public long oldTimestamps;

  /** Pure acknowledgments sent. */
  public long acknowledgmentsOut;

  /** Resets sent. */
  public long resetsOut;

  /** Resets received and obeyed. */
  public long resetsIn;

  /** Times that a path MTU was lowered. */
  public long pathMtuLowered;

  /** Connections visited because the security associations for their path had changed. */
  public long associationChanges;

  /** ICMP errors that quote no segment in flight, or change nothing. */
  public long icmpIgnored;

  /** SYNs answered by a cookie because the backlog was full. */
  public long synCookiesSent;

  /** Connections made from a cookie. */
  public long synCookiesAccepted;

  /** Acknowledgments with a forged or stale cookie. */
  public long synCookiesFailed;

  /** SYNs dropped because the backlog, the connection table or the neighbour table was full. */
  public long synsDropped;

  /** Connections established, opened by either end. */
  public long established;

  /** Connections ended because the peer did not answer. */
  public long timedOut;

  /** Connections aborted because their handler threw. */
  public long handlerFailures;

  /** Times that the pool had no packet; the operation is tried again. */
  public long packetsExhausted;

  /** Times that the device took no more frames; the operation is tried again. */
  public long deviceBusy;

  /** Creates counters that are all zero. */
  public TcpCounters() {}
}
