package org.rddp.crc;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/**
 * Warms up the folding until HotSpot has compiled all of it, then measures from which lengths it is
 * faster than the JDK's intrinsic on this machine.
 *
 * <p>Until C2 has compiled the folding, every vector is an object, and a message of some KiB takes
 * a hundred microseconds or more. So that no engine waits for that, the trial runs on its own
 * thread, and the JDK's intrinsic is used until it has succeeded.
 */
final class FoldTrial implements Runnable {
  /** Time limit in ns; a machine too busy to finish in time stays with the JDK's intrinsic. */
  private static final long LONGEST = 60_000_000_000L;

  /** The least number of bursts, and how many at the end must not allocate. */
  private static final int FEWEST_BURSTS = 200;

  private static final int FAST_BURSTS = 50;
  private static final int BURST = 100;

  private static final int OCTETS_PER_MEASUREMENT = 1 << 20;

  /**
   * Lengths are tried from the longest down to the shortest; no known CPU folds shorter messages
   * faster.
   */
  private static final int LONGEST_TRIED = 1 << 14;

  private static final int LEAST_TRIED = 1 << 12;

  /** Whole blocks of the intrinsic, for which it is fastest. */
  private static final int STEP = 512;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final VectorCrc32c vectors =
      new VectorCrc32c(new Crc32cThresholds(Crc32cThresholds.SHORTEST, Crc32cThresholds.SHORTEST));
  private final IntrinsicCrc32c intrinsic = new IntrinsicCrc32c();
  private final ScalarCrc32c scalar = new ScalarCrc32c();
  private final Crc32c[] all = {vectors, intrinsic, scalar};
  private final LongSupplier clock;
  private final Runnable pause;
  private final Crossover crossover;
  private final long foldAsked;
  private final long copyAsked;
  private final MemorySegment messages = Arena.ofAuto().allocate(2L * LONGEST_TRIED, 64);
  private final long from = messages.address();
  private final long to = from + LONGEST_TRIED;

  /** The sum of all results, which keeps the JIT from removing the work. */
  private int sum;

  /**
   * Creates a trial.
   *
   * @param crossover receives the result
   * @param foldAsked a configured length to fold from; 0 to measure it
   * @param copyAsked a configured length for copies; 0 to measure it
   * @param clock time in ns
   * @param pause yields the core to other threads and the compiler for a moment
   */
  FoldTrial(
      Crossover crossover, long foldAsked, long copyAsked, LongSupplier clock, Runnable pause) {
    this.clock = clock;
    this.pause = pause;
    this.crossover = crossover;
    this.foldAsked = foldAsked;
    this.copyAsked = copyAsked;
  }

  @Override
  public void run() {
    if (warmedUp()) {
      crossover.set(
          foldAsked != 0 ? foldAsked : findThreshold(false),
          copyAsked != 0 ? copyAsked : findThreshold(true));
    }
  }

  /** Warms up; returns true once bursts no longer allocate, false if that took too long. */
  private boolean warmedUp() {
    long began = clock.getAsLong();
    int fast = 0;
    for (int bursts = 0; bursts < FEWEST_BURSTS || fast < FAST_BURSTS; bursts++) {
      if (clock.getAsLong() - began > LONGEST) {
        return false;
      }
      long before = threads.getCurrentThreadAllocatedBytes();
      burst(bursts);
      fast = threads.getCurrentThreadAllocatedBytes() == before ? fast + 1 : 0;
      pause.run();
    }
    return true;
  }

  /**
   * Folds many short messages of various lengths. Alternating three classes keeps HotSpot from
   * inlining the folding here, where it would not help other callers.
   */
  private void burst(int number) {
    for (int i = 0; i < BURST; i++) {
      long length = Crc32cThresholds.SHORTEST + (number * 131L + i * 67L) % 3000;
      for (Crc32c each : all) {
        long octets = each == scalar ? 16 : length;
        sum += each.update(sum, from, octets);
        sum += each.copy(sum, from, to, octets);
      }
    }
  }

  /** The shortest length from which folding is faster. */
  private long findThreshold(boolean copying) {
    return new ThresholdSearch(
            length -> measure(vectors, length, copying),
            length -> measure(intrinsic, length, copying),
            pause)
        .least(LEAST_TRIED, LONGEST_TRIED, STEP);
  }

  private long measure(Crc32c crc32c, int length, boolean copying) {
    long began = clock.getAsLong();
    for (int octets = 0; octets < OCTETS_PER_MEASUREMENT; octets += length) {
      sum += copying ? crc32c.copy(0, from, to, length) : crc32c.update(0, from, length);
    }
    return clock.getAsLong() - began;
  }

  /** The sum of all results. */
  int outcome() {
    return sum;
  }
}
