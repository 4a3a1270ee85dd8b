package org.rddp.daemon.engine;

import java.util.List;

/** The octet streams of one program on all engines of a thread. Engine thread only. */
final class StreamSections implements SleepAware {
  private final StreamSection[] sections;

  StreamSections(List<StreamSection> sections) {
    this.sections = sections.toArray(StreamSection[]::new);
  }

  @Override
  public void announceSleep() {
    for (StreamSection each : sections) {
      each.announceSleep();
    }
  }

  @Override
  public boolean endSleep() {
    boolean woken = false;
    for (StreamSection each : sections) {
      woken |= each.endSleep();
    }
    return woken;
  }

  @Override
  public boolean isBlocked() {
    for (StreamSection each : sections) {
      if (each.isBlocked()) {
        return true;
      }
    }
    return false;
  }
}
