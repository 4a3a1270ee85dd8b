package org.rddp.simulation;

/** Two cards joined by a wire each way. */
public final class Link {
  private final Wire there;
  private final Wire back;

  Link(Network network, Card first, Card second, WireSettings there, WireSettings back) {
    this.there = new Wire(network, there, second);
    this.back = new Wire(network, back, first);
    first.connect(this.there);
    second.connect(this.back);
  }

  /** The wire from the first card to the second. */
  public Wire there() {
    return there;
  }

  /** The wire from the second card to the first. */
  public Wire back() {
    return back;
  }
}
