package org.rddp.perf;

/** Asks a measurement to end early with what it has. Thread-safe. */
public final class StopSignal {
  private volatile boolean requested;

  /** A signal that has not been given. */
  public StopSignal() {}

  /** Ends the measurement as soon as possible. */
  public void request() {
    requested = true;
  }

  /** Whether the measurement is to end. */
  public boolean isRequested() {
    return requested;
  }
}
