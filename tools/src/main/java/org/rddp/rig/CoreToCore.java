package org.rddp.rig;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * The round trip of a cache line between two CPUs: the lower bound of any round trip between two
 * threads. It differs between machines, and on virtual machines from run to run, so no latency
 * should be reported without it.
 */
public final class CoreToCore {
  private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

  /** Reading the clock takes as long as a round trip between near cores, so it is read rarely. */
  private static final int ROUND_TRIPS_PER_SAMPLE = 200;

  private static final int WARM_UP_SAMPLES = 500;
  private static final int SAMPLES = 1001;

  /** Polls before a waiting thread sleeps: the other thread may need the same CPU. */
  private static final int POLLS = 10_000;

  private static final long SLEEP_NANOS = 1_000;

  /** Index of the shared word, with two cache lines of padding on either side. */
  private static final int SHARED = 16;

  private final long[] words = new long[2 * SHARED];

  private CoreToCore() {}

  /**
   * Measures the median round trip between two CPUs in ns, in some hundreds of ms.
   *
   * @param near the CPU that measures
   * @param far the CPU that answers; with the same CPU the scheduler is measured
   * @throws IOException when a thread may not be bound to its CPU
   */
  public static long medianNanos(int near, int far) throws IOException, InterruptedException {
    CoreToCore line = new CoreToCore();
    try (PinnedThread<Void> _ = PinnedThread.start("core-to-core-far", far, line::answer);
        PinnedThread<Long> measuring =
            PinnedThread.start("core-to-core-near", near, line::measure)) {
      return measuring.join();
    }
  }

  /** Answers every number with its negative, until interrupted. */
  private Void answer() {
    long expected = 1;
    while (await(expected)) {
      WORD.setRelease(words, SHARED, -expected);
      expected++;
    }
    return null;
  }

  private long measure() {
    long[] samples = new long[SAMPLES];
    long number = 0;
    for (int i = -WARM_UP_SAMPLES; i < SAMPLES; i++) {
      long began = System.nanoTime();
      for (int j = 0; j < ROUND_TRIPS_PER_SAMPLE; j++) {
        number++;
        WORD.setRelease(words, SHARED, number);
        if (!await(-number)) {
          throw new IllegalStateException("interrupted");
        }
      }
      if (i >= 0) {
        samples[i] = (System.nanoTime() - began) / ROUND_TRIPS_PER_SAMPLE;
      }
    }
    Arrays.sort(samples);
    return samples[SAMPLES / 2];
  }

  /** Waits for a number to appear; returns false if interrupted before. */
  private boolean await(long number) {
    int polls = 0;
    while ((long) WORD.getAcquire(words, SHARED) != number) {
      Thread.onSpinWait();
      if (++polls >= POLLS) {
        polls = 0;
        if (Thread.currentThread().isInterrupted()) {
          return false;
        }
        LockSupport.parkNanos(SLEEP_NANOS);
      }
    }
    return true;
  }
}
