package org.rddp.tcp;

import org.rddp.counters.Published;
import org.rddp.tcp.loss.LossCounters;

/** The counters of one stack. Written by the engine's thread; other threads may read old values. */
public final class TcpCounters {
  @Published(
      name = "tcp_received_segments",
      help = "TCP segments received; those of one frame count as one.")
  public long segmentsIn;

  @Published(
      name = "tcp_sent_segments",
      help = "TCP segments sent; those of one frame count as one.")
  public long segmentsOut;

  @Published(name = "tcp_sent_trains", help = "Frames sent that held several TCP segments.")
  public long trainsOut;

  @Published(
      name = "tcp_sent_train_segments",
      help = "TCP segments sent in frames of several; each holds one FPDU.")
  public long trainSegmentsOut;

  @Published(name = "tcp_received_trains", help = "Frames received that held several TCP segments.")
  public long trainsIn;

  @Published(
      name = "tcp_received_train_segments",
      help = "TCP segments received in frames of several, by their octets and our MSS.")
  public long trainSegmentsIn;

  @Published(name = "tcp_received_bytes", help = "Octets of payload that TCP handed to MPA.")
  public long octetsIn;

  @Published(name = "tcp_sent_bytes", help = "Octets of payload that TCP sent for the first time.")
  public long octetsOut;

  @Published(
      name = "tcp_malformed_segments",
      help = "TCP segments with invalid lengths in the header or its options.")
  public long malformed;

  @Published(name = "tcp_checksum_errors", help = "TCP segments with a wrong checksum.")
  public long checksumErrors;

  @Published(name = "tcp_refused_segments", help = "TCP segments dropped because MPA refused them.")
  public long refused;

  @Published(name = "tcp_retransmitted_segments", help = "TCP segments sent again.")
  public long retransmitted;

  /**
   * Segments sent as a copy, because the device still held the packet or other segments share it.
   */
  public long copied;

  /** Segments cut in two because the peer's window or the EMSS was smaller. */
  public long split;

  @Published(
      name = "tcp_retransmission_timeouts",
      help = "Expirations of TCP's retransmission timer.")
  public long timeouts;

  @Published(name = "tcp_fast_retransmits", help = "Fast retransmissions begun.")
  public long fastRetransmits;

  /** Counters of loss recovery. */
  public final LossCounters loss = new LossCounters();

  /** Times that EMSS was lowered because of a path MTU black hole. */
  public long blackHoles;

  /** Duplicate acknowledgments received. */
  public long duplicateAcknowledgments;

  /** Zero-window probes sent. */
  public long probes;

  @Published(
      name = "tcp_out_of_order_segments",
      help = "TCP segments received out of order and kept.")
  public long outOfOrder;

  @Published(name = "tcp_kept_bytes", help = "Octets received out of order that MPA kept.")
  public long octetsKept;

  /**
   * Segments dropped because of a limit: received out of order, or in order while the user keeps
   * too many packets.
   */
  public long outOfOrderDropped;

  @Published(
      name = "tcp_duplicate_segments",
      help = "TCP segments, or parts of them, received again.")
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

  @Published(name = "tcp_sent_resets", help = "Resets sent.")
  public long resetsOut;

  @Published(name = "tcp_received_resets", help = "Resets received and obeyed.")
  public long resetsIn;

  @Published(name = "tcp_path_mtu_lowered", help = "Reductions of a path's MTU.")
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

  @Published(
      name = "tcp_dropped_syns",
      help = "SYNs dropped because a backlog or a table was full.")
  public long synsDropped;

  @Published(name = "tcp_established_connections", help = "TCP connections that were established.")
  public long established;

  /** Connections ended because the peer did not answer. */
  public long timedOut;

  /** Connections aborted because their handler threw. */
  public long handlerFailures;

  @Published(
      name = "tcp_packets_exhausted",
      help = "Times that no packet buffer was free; the operation is tried again.")
  public long packetsExhausted;

  @Published(
      name = "tcp_device_busy",
      help = "Times that the device took no further frame; it is tried again.")
  public long deviceBusy;

  /** Creates counters that are all zero. */
  public TcpCounters() {}
}
