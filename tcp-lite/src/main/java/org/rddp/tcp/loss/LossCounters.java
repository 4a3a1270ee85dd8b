package org.rddp.tcp.loss;

/** Counters of loss recovery. Written by the engine's thread. */
public final class LossCounters {
  /** Recoveries begun because acknowledgments reported a loss. */
  public long recoveries;

  /** Recoveries and timeouts that were spurious, and undone. */
  public long undone;

  /** Tail loss probes sent. */
  public long tailLossProbes;

  /** D-SACKs received: the peer received octets twice. */
  public long duplicatesReported;

  /** Times that a peer discarded octets that it had acknowledged by SACK. */
  public long reneged;

  /** Congestion windows reduced because the peer echoed congestion. */
  public long congestionEchoes;

  /** Creates counters that are all zero. */
  public LossCounters() {}
}
