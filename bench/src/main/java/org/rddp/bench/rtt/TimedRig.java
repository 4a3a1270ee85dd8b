package org.rddp.bench.rtt;

import com.google.gson.JsonObject;
import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import org.HdrHistogram.Histogram;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.rig.RoundTrip;
import org.rddp.rig.RoundTripTimer;

/**
 * A rig that measures round trips one by one. Where all are counted, a sample also has {@code
 * cpu_ns}: CPU time of this process, with what the kernel does for it, for a round trip.
 */
abstract class TimedRig implements Rig {
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private final RoundTripTimer timer = new RoundTripTimer();

  /**
   * Makes the rig ready for a task's messages; none is under way.
   *
   * @return what does one round trip of them
   * @throws CannotRunException when this rig cannot do that task
   * @throws Exception when the rig has failed
   */
  abstract RoundTrip prepare(RttTask task) throws Exception;

  @Override
  public final Sample round(JsonObject json) throws Exception {
    RttTask task = Json.to(json, RttTask.class);
    RoundTrip trip = prepare(task);
    long cpu = SYSTEM.getProcessCpuTime();
    Sample sample = Sample.of(measure(task, trip));
    return task.warmUp() > 0
        ? sample
        : sample.with("cpu_ns", (SYSTEM.getProcessCpuTime() - cpu) / sample.figures().get("count"));
  }

  /** Times of a task's round trips, in ns. */
  Histogram measure(RttTask task, RoundTrip trip) throws Exception {
    timer.warmUp(trip, task.warmUp(), task.mostNanos());
    return task.isClosedLoop()
        ? timer.closedLoop(trip, task.count(), task.mostNanos())
        : timer.openLoop(trip, task.count(), task.gap(), task.mostNanos());
  }
}
