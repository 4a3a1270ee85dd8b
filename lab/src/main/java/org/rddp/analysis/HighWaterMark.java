package org.rddp.analysis;

/** A quantity that rises and falls, and its maximum. */
final class HighWaterMark {
  private long now;
  private long most;

  void add(long more) {
    set(now + more);
  }

  void set(long value) {
    now = value;
    most = Math.max(most, value);
  }

  void restart() {
    most = now;
  }

  long maximum() {
    return most;
  }
}
