package org.rddp.ipc.ring;

import java.util.function.LongSupplier;
import org.rddp.ipc.linux.TimeSlice;

/**
 * Decides how long a thread polls before it sleeps, by the results of earlier polling. Polling
 * saves the time of a wake-up if the thread has a processor for itself. Otherwise it keeps the
 * thread that it waits for from running, or yields to a thread of another program, which keeps the
 * processor until the kernel's next tick.
 *
 * <p>Between two checks the thread yields its processor, in time slices that it shortens before:
 * the kernel charges a yield the rest of the slice. After some waits whose polling failed ({@link
 * #FAILURE}, {@link #ENOUGH}), or one in which a yield took {@link #LOST} or longer, the next waits
 * sleep at once; then one polls again as a trial. Each failed trial doubles the number of waits
 * that sleep at once, up to {@link #MOST_SLEEPS}; each success halves it.
 *
 * <pre>{@code
 * polling.begin();
 * while (polling.goesOn()) {
 *   if (there()) {
 *     polling.succeed();
 *     return;
 *   }
 * }
 * sleep();
 * }</pre>
 *
 * <p>For one thread at a time.
 */
public final class AdaptivePolling {
  /** A yield that takes this long, in ns, gave the processor to a thread that does not wait. */
  static final long LOST = EngineProcessors.LOST;

  /**
   * Points for a wait whose polling failed; a success takes one point back. So polling stops if
   * every other wait fails, as with occasional round trips.
   */
  static final int FAILURE = 2;

  /** Points at which the next waits sleep at once: four failures in a row. */
  static final int ENOUGH = 4 * FAILURE;

  /** Least number of waits that sleep at once, unless none do. */
  static final int FEWEST_SLEEPS = 8;

  /** Waits that sleep at once after a yield that took long. */
  static final int SLEEPS_AFTER_LOSS = 64;

  /** The largest number of waits in a row that sleep at once. */
  static final int MOST_SLEEPS = 4096;

  private final long longest;
  private final LongSupplier clock;
  private final Runnable yield;
  private final Runnable move;

  /** When this wait's polling began. */
  private long began;

  /** Yields of this wait. */
  private int yields;

  /** No more yields in this wait. */
  private boolean ended;

  private int points;

  /** Waits that sleep at once between two trials. */
  private int sleeps;

  /** Those of them still to come. */
  private int sleepsLeft;

  /**
   * Starts in the state that polls.
   *
   * @param longest time in ns that a wait polls
   */
  public AdaptivePolling(long longest) {
    this(longest, () -> {});
  }

  /**
   * Starts in the state that polls.
   *
   * @param longest time in ns that a wait polls
   * @param move may move the thread to another processor; run in each wait whose first yield was
   *     not enough
   */
  public AdaptivePolling(long longest, Runnable move) {
    this(longest, System::nanoTime, Thread::yield, move);
  }

  /** For tests. */
  AdaptivePolling(long longest, LongSupplier clock, Runnable yield, Runnable move) {
    this.longest = longest;
    this.clock = clock;
    this.yield = yield;
    this.move = move;
  }

  /** A wait begins. */
  public void begin() {
    TimeSlice.shortenOnce();
    yields = 0;
    ended = sleepsLeft > 0;
    if (ended) {
      sleepsLeft--;
    } else {
      began = clock.getAsLong();
    }
  }

  /** Yields and returns true if the thread is to check again; false if it is to sleep. */
  public boolean goesOn() {
    if (ended) {
      return false;
    }
    if (yields == 1) {
      move.run();
    }
    long now = clock.getAsLong();
    if (now - began >= longest) {
      ended = true;
      fail();
      return false;
    }
    yields++;
    yield.run();
    if (clock.getAsLong() - now >= LOST) {
      // The awaited event may have come during the yield: check once more.
      ended = true;
      lose();
    }
    return true;
  }

  /** Counts a success, unless the awaited event was there before polling. */
  public void succeed() {
    if (yields > 0 && !ended) {
      points = Math.max(0, points - 1);
      sleeps = sleeps / 2 < FEWEST_SLEEPS ? 0 : sleeps / 2;
    }
  }

  private void fail() {
    points = Math.min(points + FAILURE, ENOUGH);
    if (points >= ENOUGH) {
      sleepsLeft = sleeps = Math.clamp(2L * sleeps, FEWEST_SLEEPS, MOST_SLEEPS);
    }
  }

  private void lose() {
    sleepsLeft = sleeps = Math.clamp(2L * sleeps, SLEEPS_AFTER_LOSS, MOST_SLEEPS);
  }
}
