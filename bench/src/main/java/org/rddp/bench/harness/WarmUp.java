package org.rddp.bench.harness;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Runs a rig's task until the rig is steady: HotSpot compiles nothing more and the figures stay the
 * same. Rounds are short, and between them the rig rests while HotSpot compiles, since threads that
 * poll on every core would leave none to its compilers.
 */
final class WarmUp {
  /** Rounds whose median is compared with that of as many rounds before. */
  static final int STEADY = 3;

  /** How far the greater median may exceed the lesser one, as a share of it. */
  private static final double APART = 0.1;

  /** CPU time of compilers, in ns, that is ignored in those rounds. */
  private static final long UNNOTICED = 3_000_000;

  /** The longest round in ms, for tasks that give a length. */
  private static final int ROUND = 100;

  /** Ms between two looks at the compilers, and the share of CPU below which they idle. */
  private static final int LOOK = 10;

  private static final double QUIET = 0.02;
  private static final int QUIET_LOOKS = 2;

  /** Key of a task: the length of a round in ms. */
  private static final String MILLIS = "millis";

  private final LongSupplier clock;
  private final LongSupplier background;
  private final BooleanSupplier trying;

  /** Figures of the rounds, and the background CPU time at the end of each. */
  private final List<Double> figures = new ArrayList<>();

  private final List<Long> spent = new ArrayList<>();

  WarmUp() {
    this(System::nanoTime, BackgroundWork::nanos, BackgroundWork::isTrying);
  }

  /**
   * With other clocks.
   *
   * @param clock in ns
   * @param background CPU time of background work, in ns
   * @param trying whether a daemon tries vectors, or is going to
   */
  WarmUp(LongSupplier clock, LongSupplier background, BooleanSupplier trying) {
    this.clock = clock;
    this.background = background;
    this.trying = trying;
  }

  /**
   * The result of a warm-up.
   *
   * @param rounds done
   * @param seconds taken
   * @param steady whether the rig was steady in the end
   */
  record Result(int rounds, double seconds, boolean steady) {}

  /**
   * Warms a rig up.
   *
   * @param most time that it may take, without the last round
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

  private void rest(long end) throws InterruptedException {
    int quiet = 0;
    long before = background.getAsLong();
    long since = clock.getAsLong();
    while ((quiet < QUIET_LOOKS || trying.getAsBoolean()) && since < end) {
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
