package org.rddp.tcp;

import org.rddp.tcp.loss.LossState;

/**
 * Receives the events of a traced connection. Called on the stack's thread; it must not use the
 * connection. The objects passed are reused for the next call.
 */
public interface TcpTraceHandler {
  /** A segment of a traced connection. Stream positions count payload octets; the SYN has -1. */
  final class Segment {
    /** Address of the TCP header, valid during the call. */
    public long header;

    /** Octets of the TCP header. */
    public int headerLength;

    /** Octets of the payload. */
    public int octets;

    /** Stream position of its sequence number. */
    public long position;

    /** Stream position, in the other direction, of its acknowledgment number. */
    public long acknowledged;

    /** Whether its first octet had been sent before. */
    public boolean again;

    /** How far its window field is shifted to the left. */
    public int windowShift;

    Segment() {}
  }

  /** The state of a traced connection's sender. Times in nanoseconds. */
  final class State {
    /** SND.UNA as a stream position. */
    public long una;

    /** SND.NXT as a stream position. */
    public long next;

    /** CWND in octets. */
    public long congestionWindow;

    /** SSTHRESH in octets. */
    public long slowStartThreshold;

    /** The smoothed round trip, 0 when none has been measured. */
    public long roundTrip;

    /** The variation of the round trip, likewise. */
    public long roundTripVariation;

    /** The retransmission timeout, with its backoff. */
    public long retransmissionTimeout;

    /** Octets that the peer allows from {@link #una} on. */
    public long sendWindow;

    /** How losses are being repaired. */
    public LossState loss = LossState.OPEN;

    State() {}
  }

  /** A segment is about to be sent. */
  void onSending(Segment segment);

  /** A segment has arrived, and has not been processed yet. */
  void onReceived(Segment segment);

  /** A timer has expired, and has not been handled yet. */
  void onExpired(TcpTimer timer);

  /** The sender's state has changed. */
  void onState(State state);

  /** The connection has ended. A segment in TIME-WAIT may still follow. */
  void onClosed(CloseReason reason);
}
