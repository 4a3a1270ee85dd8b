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

  /** The STag that it has once it is bound the next time. */
  int nextStag() {
    return nextStag;
  }

  /** A bind is posted. */
  void binding() {
    binds++;
  }

  /** A bind has ended, and this is the next STag. */
  void bindEnded(int stag) {
    binds--;
    nextStag = stag;
  }

  /** Binds that have not ended. */
  int binds() {
    return binds;
  }

  void bound(ModelStag tag) {
    bound = tag;
  }

  /** What it is bound as, or was the last time; null if it never was. */
  ModelStag bound() {
    return bound;
  }

  /** Whether it is bound as far as its program knows. */
  boolean isBound() {
    return bound != null && bound.live();
  }
}
