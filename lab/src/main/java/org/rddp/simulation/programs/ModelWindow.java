package org.rddp.simulation.programs;

import org.rddp.simulation.memory.ModelStag;

/** A memory window as its program knows it. */
final class ModelWindow {
  private final int number;
  private int nextStag;
  private ModelStag bound;
  private int binds;

  ModelWindow(int number, int nextStag) {
    this.number = number;
    this.nextStag = nextStag;
  }

  int number() {
    return number;
  }

  /** The STag of its next bind. */
  int nextStag() {
    return nextStag;
  }

  /** A bind was posted. */
  void binding() {
    binds++;
  }

  /** A bind has ended; the STag is that of the next bind. */
  void bindEnded(int stag) {
    binds--;
    nextStag = stag;
  }

  /** Number of pending binds. */
  int binds() {
    return binds;
  }

  void bound(ModelStag tag) {
    bound = tag;
  }

  /** The STag of its last bind, or null. */
  ModelStag bound() {
    return bound;
  }

  /** Whether its program knows it as bound. */
  boolean isBound() {
    return bound != null && bound.live();
  }
}
