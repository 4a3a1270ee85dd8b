package org.rddp.simulation;

/** Corruption that only MPA's CRC detects. It begins when every stream is established. */
public final class UndetectedCorruption {
  private final HostPair hosts;
  private final double there;
  private final double back;
  private boolean begun;

  /**
   * No corruption so far.
   *
   * @param allowed whether there may be corruption: every connection has CRCs
   */
  public UndetectedCorruption(HostPair hosts, boolean allowed) {
    this.hosts = hosts;
    there = often(allowed);
    back = often(allowed);
    set(hosts.link().forward(), 0);
    set(hosts.link().backward(), 0);
  }

  private double often(boolean allowed) {
    boolean quiet = hosts.settings().oneIn(2);
    double often = hosts.settings().logUniform(0.0003, 0.02);
    return quiet || !allowed ? 0 : often;
  }

  private static void set(SimulatedWire wire, double often) {
    wire.settings(wire.settings().withCorruptUnseen(often));
  }

  /** Begins: every stream is established. */
  public void begin() {
    if (!begun) {
      begun = true;
      set(hosts.link().forward(), there);
      set(hosts.link().backward(), back);
    }
  }

  /** Whether bits may have been flipped. */
  public boolean begun() {
    return begun && there + back > 0;
  }
}
