package org.rddp.tcp.loss;

/** What loss recovery has seen and done. Written by the engine's thread. */
public final class LossCounters {
  /** Recoveries begun because the peer's acknowledgments tell of a loss. */
  public long recoveries;

  /** Recoveries and timeouts that turned out to have been needless, and were undone. */
  public long undone;

  /** Tail loss probes sent. */
  public long tailLossProbes;

  /** D-SACKs received: something had come twice. */
  public long duplicatesReported;

  /** Times that a peer had thrown away what it had acknowledged out of order. */
  public long reneged;

  /** Windows reduced because the peer echoed that a segment had met congestion. */
  public long congestionEchoes;

  /** All zero. */
  public LossCounters() {}
}
