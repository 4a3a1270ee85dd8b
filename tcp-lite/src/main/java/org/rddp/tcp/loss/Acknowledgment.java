package org.rddp.tcp.loss;

import org.rddp.tcp.congestion.AccEcnSender;
import org.rddp.wire.AccEcn;
import org.rddp.wire.TcpOptions;
import org.rddp.wire.TcpSegment;

/** The values of one acknowledgment that loss recovery needs. A stack reuses a single instance. */
public final class Acknowledgment {
  /** SND.UNA before it. */
  public long una;

  /** The stream position that it acknowledges, at least {@link #una}. */
  public long ack;

  /** {@link #ack} as a sequence number. */
  public int sequence;

  /** One past the last octet sent. */
  public long max;

  /** D-SACKs of octets before this position are ignored. */
  public long oldest;

  /** Its options. */
  public TcpOptions options;

  /** Whether timestamps are in use. */
  public boolean timestamps;

  /** The round trip by its timestamp, in nanoseconds; 0 if there is none. */
  public long timestampRoundTrip;

  /** Whether it is a duplicate by RFC 5681 section 2. */
  public boolean duplicate;

  /** Whether it echoes congestion (RFC 3168, RFC 9768). */
  public boolean congestion;

  /** Counts what it says of congestion (RFC 9768); null without accurate ECN. */
  public AccEcnSender feedback;

  /** Its counter of marked packets. */
  public int ace;

  /** Whether there is new data that the peer has room for. */
  public boolean canSendNew;

  /** When it was received, in nanoseconds. */
  public long now;

  /** Creates an instance without values. */
  public Acknowledgment() {}

  /**
   * Takes what the segment itself says.
   *
   * @param stamped whether timestamps have been agreed on
   */
  public void take(TcpSegment segment, boolean stamped) {
    sequence = segment.acknowledgment;
    options = segment.options;
    ace = AccEcn.ace(segment.flags);
    timestamps = stamped && options.timestamps();
    timestampRoundTrip = 0;
  }

  /**
   * Takes what it says of congestion.
   *
   * @param segments that it acknowledges, not counting those reported out of order
   * @param delivered octets that it newly reports as delivered
   * @param emss octets of a full segment
   * @return octets up to {@link #ack} that were marked
   */
  long marked(int segments, long delivered, int emss) {
    long advance = ack - una;
    if (feedback == null) {
      return congestion ? advance : 0;
    }
    congestion = false;
    if (delivered > 0) {
      // Otherwise a later one may have overtaken it.
      int packets = Math.max(segments, (int) Math.ceilDiv(delivered, emss));
      congestion = feedback.acknowledged(ace, options.accEcn, packets, delivered, emss);
    }
    return advance > 0 ? feedback.takeMarked(advance) : 0;
  }
}
