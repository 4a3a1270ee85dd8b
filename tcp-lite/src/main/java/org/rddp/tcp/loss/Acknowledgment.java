package org.rddp.tcp.loss;

import org.rddp.wire.TcpOptions;

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

  /** Whether it echoes congestion (RFC 3168). */
  public boolean congestion;

  /** Whether there is new data that the peer has room for. */
  public boolean canSendNew;

  /** When it was received, in nanoseconds. */
  public long now;

  /** Creates an instance without values. */
  public Acknowledgment() {}
}
