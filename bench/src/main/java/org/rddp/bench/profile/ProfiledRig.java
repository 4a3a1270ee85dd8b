package org.rddp.bench.profile;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;

/**
 * Records the rounds of another rig by JFR, into the file that the task's {@code profile} names.
 * Threads are sampled by CPU time; those of rddp poll all the time, so that waiting shows as well.
 */
public final class ProfiledRig implements Rig {
  /** Argument: the class of the other rig. */
  static final String RIG = "rig";

  /** Key of a task: the file. */
  static final String PROFILE = "profile";

  /** Samples without safepoint bias: Java 25 and later, on Linux. */
  static final String CPU_TIME = "jdk.CPUTimeSample";

  private static final Duration BETWEEN = Duration.ofMillis(1);

  private Rig rig;

  /** Whether this JVM can sample by CPU time. */
  static boolean available() {
    return FlightRecorder.getFlightRecorder().getEventTypes().stream()
        .anyMatch(type -> type.getName().equals(CPU_TIME));
  }

  @Override
  public void open(JsonObject arguments) throws Exception {
    String name = arguments.get(RIG).getAsString();
    rig = Class.forName(name).asSubclass(Rig.class).getDeclaredConstructor().newInstance();
    rig.open(arguments);
  }

  @Override
  public Sample round(JsonObject task) throws Exception {
    if (!task.has(PROFILE)) {
      return rig.round(task);
    }
    try (Recording recording = new Recording()) {
      recording.enable(CPU_TIME).with("throttle", BETWEEN.toMillis() + "ms").withStackTrace();
      recording.start();
      Sample sample = rig.round(task);
      recording.stop();
      recording.dump(Path.of(task.get(PROFILE).getAsString()));
      return sample;
    }
  }

  @Override
  public void close() throws IOException {
    if (rig != null) {
      rig.close();
    }
  }
}
