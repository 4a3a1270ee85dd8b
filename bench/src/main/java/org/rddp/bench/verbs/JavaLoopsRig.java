package org.rddp.bench.verbs;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.HdrHistogram.Histogram;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.JoinedInterfaces;
import org.rddp.bench.layout.OneDaemon;
import org.rddp.rig.ProgramPair;
import org.rddp.rig.RoundTripTimer;
import org.rddp.rig.WaitStrategy;

/** The loops by the Java client. Argument: {@code idle} of the daemon. */
public final class JavaLoopsRig implements Rig {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final int PORT = 7473;
  private static final int LONGEST = 65_536;

  private final RoundTripTimer timer = new RoundTripTimer();
  private OneDaemon daemon;
  private ProgramPair pair;
  private WriteLoops writes;

  @Override
  public void open(JsonObject arguments) throws Exception {
    daemon = OneDaemon.forRoundTrips(1500, arguments.get("idle").getAsString());
    pair =
        ProgramPair.connect(
            daemon.near(),
            daemon.far(),
            JoinedInterfaces.farAddress(PORT),
            LONGEST,
            WaitStrategy.spinning());
    // As perftest does.
    pair.signalAll(true);
    writes = new WriteLoops(daemon.near(), daemon.far());
  }

  @Override
  public Sample round(JsonObject json) throws Exception {
    LoopTask task = Json.to(json, LoopTask.class);
    long before = THREADS.getCurrentThreadCpuTime();
    return switch (task.kind()) {
      case TRIPS -> {
        pair.prepare(task.verb(), task.octets());
        Histogram found = timer.closedLoop(pair, task.count(), task.nanos());
        yield Sample.of(found).with("cpu_ns", cpuSince(before) / found.getTotalCount());
      }
      case COST -> {
        double[] found = writes.cost(task.window(), task.count());
        yield LoopSamples.cost(found[0], found[1], cpuSince(before) / task.count());
      }
      case STREAM -> {
        long began = System.nanoTime();
        long messages = writes.stream(task.octets(), task.window(), task.nanos());
        double took = System.nanoTime() - began;
        yield LoopSamples.stream(
            (double) messages * task.octets(), task.octets(), took, cpuSince(before));
      }
    };
  }

  private static double cpuSince(long before) {
    return THREADS.getCurrentThreadCpuTime() - before;
  }

  @Override
  public void close() throws IOException {
    if (writes != null) {
      writes.close();
    }
    if (pair != null) {
      pair.close();
    }
    if (daemon != null) {
      daemon.close();
    }
  }
}
