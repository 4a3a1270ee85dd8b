package org.rddp.tcp.congestion;

import org.rddp.snapshot.Snapshot;

/** No congestion control, for a private link that is never shared. Without state. */
public final class Unlimited implements CongestionControl {
  /** The only instance. */
  public static final Unlimited INSTANCE = new Unlimited();

  private Unlimited() {}

  @Override
  public void open(int emss, long now) {}

  @Override
  public void onSynLost() {}

  @Override
  public void emss(int emss) {}

  @Override
  public long window() {
    return LARGEST;
  }

  @Override
  public long threshold() {
    return LARGEST;
  }

  @Override
  public void onAcknowledged(
      long acknowledged, long flight, long roundTrip, long smoothed, boolean limited, long now) {}

  @Override
  public void onCongestion(long flight, boolean lost, long now) {}

  @Override
  public void onRecovered(long now) {}

  @Override
  public void onTimeout(long flight, boolean first, long now) {}

  @Override
  public void onIdle(long now) {}

  @Override
  public void undo(long now) {}

  @Override
  public void transfer(Snapshot snapshot) {}
}
