package org.rddp.wire;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;

/**
 * Warms up {@link VectorChecksum}: until C2 has compiled it, each vector is an object, and a
 * segment's checksum takes microseconds. No engine sums by vectors before the warm-up has
 * succeeded.
 */
final class ChecksumWarmUp implements Runnable {
  /** Gives up after this many bursts: the machine is too busy, and vectors are not used. */
  private static final int MOST_BURSTS = 100_000;

  /** The least number of bursts, of which the last {@link #FAST_BURSTS} must not allocate. */
  private static final int FEWEST_BURSTS = 200;

  private static final int FAST_BURSTS = 50;
  private static final int BURST = 100;
  private static final int LONGEST = 9000;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final MemorySegment octets = Arena.ofAuto().allocate(LONGEST, 64);
  private final Runnable pause;

  /** The sum of all results, which keeps the JIT from removing the work. */
  private long sum;

  /**
   * Creates a warm-up that has not run.
   *
   * @param pause yields the core to other threads and the compiler for a moment
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

  /** The sum of all results. */
  long checksums() {
    return sum;
  }
}
