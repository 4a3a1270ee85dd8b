package org.rddp.tcp.loss;

import org.rddp.wire.TcpOptions;

/** One acknowledgment as loss recovery sees it. A stack uses a single one again and again. */
public final class Acknowledgment {
  /** SND.UNA before it. */
  public long una;

  /** What it acknowledges, from {@link #una} on. */
  public long ack;

  /** The same as a sequence number. */
  public int sequence;

  /** One past the last octet sent. */
  public long max;

  /** D-SACKs of octets before this are not believed. */
  public long oldest;

  /** Its options. */
  public TcpOptions options;

  /** Whether timestamps are in use. */
  public boolean timestamps;

  /** The round trip that its timestamp tells, in nanoseconds; 0 if none. */
  public long timestampRoundTrip;

  /** Whether it is a duplicate by RFC 5681 section 2. */
  public boolean duplicate;

  /** Whether it echoes congestion (RFC 3168). */
  public boolean congestion;

  /** Whether there is new data that the peer has room for. */
  public boolean canSendNew;

  /** When it has come. */
  public long now;

  /** Nothing yet. */
  public Acknowledgment() {}
}
