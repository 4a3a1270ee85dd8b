package org.rddp.daemon.control;

import java.util.List;

/** The watches over all engines' threads. Control thread only. */
final class EngineWatches {
  /** Those of no thread. */
  static final EngineWatches NONE = new EngineWatches(List.of());

  private final List<EngineWatch> watches;

  EngineWatches(List<EngineWatch> watches) {
    this.watches = watches;
  }

  /** Looks at every thread, and returns the watches of those that are stuck now and were not. */
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
