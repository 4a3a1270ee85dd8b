package org.rddp.simulation;

/** Bits turned so that only MPA's CRCs can show it: not before every stream is up. */
public final class UndetectedCorruption {
  private final HostPair world;
  private final double there;
  private final double back;
  private boolean begun;

  /**
   * A world without any so far.
   *
   * @param allowed whether there may be any: every connection has CRCs
   */
  public UndetectedCorruption(HostPair world, boolean allowed) {
    this.world = world;
    there = often(allowed);
    back = often(allowed);
    set(world.link().forward(), 0);
    set(world.link().backward(), 0);
  }

  private double often(boolean allowed) {
    boolean quiet = world.settings().oneIn(2);
    double often = world.settings().logUniform(0.0003, 0.02);
    return quiet || !allowed ? 0 : often;
  }

  private static void set(SimulatedWire wire, double often) {
    wire.settings(wire.settings().withCorruptUnseen(often));
  }

  /** Every stream is up. */
  public void begin() {
    if (!begun) {
      begun = true;
      set(world.link().forward(), there);
      set(world.link().backward(), back);
    }
  }

  /** Whether bits may have been turned. */
  public boolean begun() {
    return begun && there + back > 0;
  }
}
