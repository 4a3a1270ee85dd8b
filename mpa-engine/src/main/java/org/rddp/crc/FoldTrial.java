package org.rddp.crc;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.function.LongSupplier;

/**
 * Folds messages that nobody needs until HotSpot has compiled all of it, and then finds from which
 * lengths it is quicker than the JDK's intrinsic on this machine.
 *
 * <p>Before HotSpot's last compiler is done a vector is an object, and a message of some KiB costs
 * a hundred microseconds and more: no engine should have to wait for that, so this is for a thread
 * of its own, and until it has ended well messages go to the JDK.
 */
final class FoldTrial implements Runnable {
  /** In ns; a machine that is so busy stays with the JDK. */
  private static final long LONGEST = 60_000_000_000L;

  /** HotSpot needs so many to care, and none of them may be slow for as long at the end. */
  private static final int FEWEST_BURSTS = 200;

  private static final int FAST_BURSTS = 50;
  private static final int BURST = 100;

  private static final int OCTETS_PER_MEASUREMENT = 1 << 20;

  /** Tried from the longest down to the least, which no CPU is known to fold more quickly. */
  private static final int LONGEST_TRIED = 1 << 14;

  private static final int LEAST_TRIED = 1 << 12;

  /** Whole blocks of the intrinsic's: the JDK at its best. */
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

  /** Keeps HotSpot from leaving the work out. */
  private int sum;

  /**
   * A trial to be run.
   *
   * @param crossover where what was found goes
   * @param foldAsked the length to fold from, however quick it is; 0 for what is found
   * @param copyAsked the same for copies
   * @param clock time in ns
   * @param pause leaves the core to others for a moment, and time to the compiler
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

  /** Whether no vector was an object for some time; false when that took too long. */
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
   * Messages of all shapes, short ones: what costs is their number. Three classes by turns keep
   * HotSpot from compiling the folding as a part of this method, which would help nobody else.
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

  /** The least length from which folding is quicker. */
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

  /** What all came to. */
  int outcome() {
    return sum;
  }
}
