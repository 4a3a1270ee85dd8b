package org.rddp.daemon.control;

import java.util.List;

/** The watches over all engines' threads. Control thread only. */
final class EngineWatches {
  /** Watches over no thread. */
  static final EngineWatches NONE = new EngineWatches(List.of());

  private final List<EngineWatch> watches;

  EngineWatches(List<EngineWatch> watches) {
    this.watches = watches;
  }

  /** Checks every thread, and returns the watches of those that have become stuck. */
  List<EngineWatch> look() {
    return watches.stream().filter(EngineWatch::look).toList();
  }

  /** Whether an engine's thread has stalled. */
  boolean isStalled(InterfaceEngine at) {
    return watches.stream().anyMatch(watch -> watch.isStalled(at.engine()));
  }

  /** Whether an engine's thread is stuck. */
  boolean isStuck(InterfaceEngine at) {
    return watches.stream().anyMatch(watch -> watch.isStuck(at.engine()));
  }
}
