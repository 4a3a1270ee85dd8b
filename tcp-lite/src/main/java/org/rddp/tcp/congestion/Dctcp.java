package org.rddp.tcp.congestion;

import org.rddp.snapshot.Snapshot;

/**
 * DCTCP (RFC 8257): an echo of congestion reduces the window by the share of octets that have been
 * marked lately. Growth and losses are as with {@link NewReno}.
 *
 * <p>The peer has to count the marks (RFC 9768), or to echo each change of the mark ({@link
 * org.rddp.tcp.CongestionAlgorithm#DCTCP}). A peer may instead echo until the window was reduced
 * (RFC 3168): then every octet seems to be marked, and the window is halved as in that RFC.
 */
public final class Dctcp extends NewReno {
  /** The unit of {@link #alpha}: a share of one. */
  private static final int ONE = 1 << 20;

  /** Binary logarithm of 1/g, the weight of a window in alpha: 1/16 (section 4.2). */
  private static final int GAIN = 4;

  /** DCTCP.Alpha. */
  private int alpha = ONE;

  /** DCTCP.BytesAcked. */
  private long acknowledgedOctets;

  /** DCTCP.BytesMarked. */
  private long markedOctets;

  /** Octets up to DCTCP.WindowEnd. */
  private long left;

  /** Creates the state of a new connection. */
  public Dctcp() {}

  @Override
  public void onEcho(long acknowledged, long outstanding, long marked) {
    acknowledgedOctets += acknowledged;
    markedOctets += marked;
    left -= acknowledged;
    if (left < 0) {
      alpha += (int) (markedOctets * (ONE >> GAIN) / acknowledgedOctets) - (alpha >> GAIN);
      acknowledgedOctets = 0;
      markedOctets = 0;
      left = outstanding;
    }
  }

  @Override
  public boolean isGentle() {
    return true;
  }

  @Override
  public void onCongestion(long flight, boolean lost, long now) {
    if (lost) {
      super.onCongestion(flight, true, now);
    } else {
      remember();
      reduceTo(window - (long) window * alpha / (2 * ONE), false);
    }
  }

  @Override
  public void transfer(Snapshot snapshot) {
    super.transfer(snapshot);
    snapshot.begin(Dctcp.class);
    alpha = snapshot.number("alpha", alpha);
    acknowledgedOctets = snapshot.number("acknowledgedOctets", acknowledgedOctets);
    markedOctets = snapshot.number("markedOctets", markedOctets);
    left = snapshot.number("left", left);
    snapshot.end();
  }
}
