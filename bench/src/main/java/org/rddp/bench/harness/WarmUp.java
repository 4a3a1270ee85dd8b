package org.rddp.bench.harness;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Lets a rig do a task until it does it as quickly as it ever will: until nothing is compiled or
 * tried beside it any more, and the rounds come to the same. Rounds are short, and between them the
 * rig rests while HotSpot compiles: threads that poll on every core would leave its compilers none.
 */
final class WarmUp {
  /** The median of so many rounds is that of as many before, and nothing is compiled meanwhile. */
  static final int STEADY = 3;

  /** How far the medians may be apart: the greater over the lesser, less one. */
  private static final double APART = 0.1;

  /** What may be compiled in those rounds, in ns of CPU time. */
  private static final long UNNOTICED = 3_000_000;

  /** The length of a round where the task says one, in ms. */
  private static final int ROUND = 100;

  /** Compilers that use less of this time have nothing to do. */
  private static final int LOOK = 10;

  private static final double QUIET = 0.02;
  private static final int QUIET_LOOKS = 2;

  /** The key of a task that says how long a round of it is to take, in ms. */
  private static final String MILLIS = "millis";

  private final LongSupplier clock;
  private final LongSupplier background;

  /** Figures of the rounds, and the CPU time of what is done beside at the end of each. */
  private final List<Double> figures = new ArrayList<>();

  private final List<Long> spent = new ArrayList<>();

  WarmUp() {
    this(System::nanoTime, BackgroundWork::nanos);
  }

  /**
   * By other means.
   *
   * @param clock in ns
   * @param background CPU time of what is done beside, in ns
   */
  WarmUp(LongSupplier clock, LongSupplier background) {
    this.clock = clock;
    this.background = background;
  }

  /**
   * What came of it.
   *
   * @param rounds that were done
   * @param seconds that they took
   * @param steady whether they came to the same in the end
   */
  record Result(int rounds, double seconds, boolean steady) {}

  /**
   * Does rounds.
   *
   * @param most time that it may take, but for the last round
   * @throws Exception as the rig does
   */
  Result run(Rig rig, JsonObject task, Duration most) throws Exception {
    JsonObject brief = task.deepCopy();
    if (brief.has(MILLIS)) {
      brief.addProperty(MILLIS, Math.min(ROUND, brief.get(MILLIS).getAsInt()));
    }
    long began = clock.getAsLong();
    long end = began + most.toNanos();
    do {
      rest(end);
      figures.add(rig.round(brief).figures().values().iterator().next());
      spent.add(background.getAsLong());
    } while (!isSteady() && clock.getAsLong() < end);
    double seconds = Math.round((clock.getAsLong() - began) / 1e7) / 100.0;
    return new Result(figures.size(), seconds, isSteady());
  }

  /** Until nothing is done beside. */
  private void rest(long end) throws InterruptedException {
    int quiet = 0;
    long before = background.getAsLong();
    long since = clock.getAsLong();
    while (quiet < QUIET_LOOKS && since < end) {
      Thread.sleep(LOOK);
      long now = clock.getAsLong();
      long after = background.getAsLong();
      quiet = after - before <= QUIET * (now - since) ? quiet + 1 : 0;
      before = after;
      since = now;
    }
  }

  private boolean isSteady() {
    int count = figures.size();
    if (count < 2 * STEADY || spent.getLast() - spent.get(count - STEADY) > UNNOTICED) {
      return false;
    }
    double last = median(figures.subList(count - STEADY, count));
    double before = median(figures.subList(count - 2 * STEADY, count - STEADY));
    return Math.max(last, before) <= Math.min(last, before) * (1 + APART);
  }

  private static double median(List<Double> some) {
    return new Series(some.stream().mapToDouble(Double::doubleValue).toArray()).median();
  }
}
