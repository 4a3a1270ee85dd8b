package org.rddp.wire;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;

/**
 * Sums by vectors what nobody needs until HotSpot has compiled it: before its last compiler is done
 * a vector is an object, and a segment's checksum takes microseconds. Until the trial has ended
 * well no engine sums by vectors.
 */
final class ChecksumWarmUp implements Runnable {
  /** A machine that is so busy does without. */
  private static final int MOST_BURSTS = 100_000;

  /** HotSpot needs so many to care, and none of them may allocate for as long at the end. */
  private static final int FEWEST_BURSTS = 200;

  private static final int FAST_BURSTS = 50;
  private static final int BURST = 100;
  private static final int LONGEST = 9000;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final MemorySegment octets = Arena.ofAuto().allocate(LONGEST, 64);
  private final Runnable pause;

  /** Keeps HotSpot from leaving the work out. */
  private long sum;

  /**
   * A trial to be run.
   *
   * @param pause leaves the core to others for a moment, and time to the compiler
   */
  ChecksumWarmUp(Runnable pause) {
    this.pause = pause;
  }

  @Override
  public void run() {
    if (warmedUp()) {
      Checksum.useVectors();
    }
  }

  private boolean warmedUp() {
    int fast = 0;
    for (int bursts = 0; bursts < FEWEST_BURSTS || fast < FAST_BURSTS; bursts++) {
      if (bursts == MOST_BURSTS) {
        return false;
      }
      long before = threads.getCurrentThreadAllocatedBytes();
      burst(bursts);
      fast = threads.getCurrentThreadAllocatedBytes() == before ? fast + 1 : 0;
      pause.run();
    }
    return true;
  }

  private void burst(int number) {
    int vectors = LONGEST / VectorChecksum.vector();
    for (int i = 0; i < BURST; i++) {
      int count = (number * 31 + i) % vectors;
      sum += VectorChecksum.sum(octets.address(), count * VectorChecksum.vector());
    }
  }

  /** What all came to. */
  long checksums() {
    return sum;
  }
}
