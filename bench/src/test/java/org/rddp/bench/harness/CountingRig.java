package org.rddp.bench.harness;

import com.google.gson.JsonObject;
import org.HdrHistogram.Histogram;

/** A rig whose figure is the round's number; or that fails as its arguments say. */
public final class CountingRig implements Rig {
  private int rounds;
  private int failAt;

  /** For {@link RigMain}. */
  public CountingRig() {}

  @Override
  public void open(JsonObject arguments) throws CannotRunException {
    if (arguments.has("cannot")) {
      throw new CannotRunException(arguments.get("cannot").getAsString());
    }
    failAt = arguments.has("fail_at") ? arguments.get("fail_at").getAsInt() : 0;
    System.out.println("what a library says is no answer");
  }

  @Override
  public Sample round(JsonObject task) throws CannotRunException {
    rounds++;
    if (rounds == failAt) {
      throw new IllegalStateException("broken on purpose");
    }
    if (task.has("cannot")) {
      throw new CannotRunException("not this one");
    }
    Histogram nanoseconds = new Histogram(1_000_000, 3);
    nanoseconds.recordValue(1000L * rounds);
    return Sample.of(nanoseconds).with("when", (double) System.nanoTime()).with("round", rounds);
  }

  @Override
  public void close() {}
}
