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
 * Another rig, whose rounds are recorded by JFR where the task has a {@code profile}: the file that
 * the recording goes to. Threads are sampled by the CPU time that they take; those of rddp that
 * poll take all of the time that there is, so that waiting shows as well.
 */
public final class ProfiledRig implements Rig {
  /** The argument that names the class of the other rig. */
  static final String RIG = "rig";

  /** What a task says of the file. */
  static final String PROFILE = "profile";

  /** From Java 25 on, on Linux: samples that do not wait for a safepoint. */
  static final String CPU_TIME = "jdk.CPUTimeSample";

  private static final Duration BETWEEN = Duration.ofMillis(1);

  private Rig rig;

  /** For the process of the rig. */
  public ProfiledRig() {}

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
