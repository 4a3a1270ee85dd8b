package org.rddp.ipc.ring;

import java.util.concurrent.TimeUnit;

/**
 * For how long threads that poll stay on the engine's processor after one has lost another
 * processor to a thread that does not wait: longer each time that the other one is lost again at
 * once. For one thread at a time.
 */
final class EngineStay {
  /** The least and the longest time in ns. Trying the other processor costs some ms in vain. */
  static final long LEAST = TimeUnit.MILLISECONDS.toNanos(5);

  static final long LONGEST = TimeUnit.MILLISECONDS.toNanos(100);

  /** A processor that is lost in this time, in ns, after a stay was busy all the while. */
  static final long AT_ONCE = TimeUnit.MILLISECONDS.toNanos(10);

  private long began;

  /** 0: there was none. */
  private long length;

  /**
   * Begins without a stay.
   *
   * @param now a time in ns, as all are here
   */
  EngineStay(long now) {
    began = now;
  }

  /** Whether threads may leave the engine's processor. */
  boolean isOver(long now) {
    return now - began >= length;
  }

  /** A thread has lost the other processor. One that is under way goes on. */
  void begin(long now) {
    if (isOver(now)) {
      length = now - began < length + AT_ONCE ? Math.clamp(2 * length, LEAST, LONGEST) : LEAST;
      began = now;
    }
  }
}
