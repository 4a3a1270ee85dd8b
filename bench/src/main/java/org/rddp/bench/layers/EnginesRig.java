package org.rddp.bench.layers;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.rig.Affinity;
import org.rddp.rig.PinnedThread;

/**
 * Writes of 64 octets between the engines of two interfaces that have several each: {@link
 * EnginePair#sharing}. Arguments: {@code engines} of each interface, {@code threads} that share
 * them. A sample has {@code rate} (writes a second, all together), {@code cpu_ns} (CPU time of a
 * write, both programs and both engines), and {@code heap_of_engine} (live octets of one engine
 * with its program).
 */
public final class EnginesRig implements Rig {
  private static final int OCTETS = 64;

  /** Writes in a turn. */
  private static final int BATCH = 32;

  private static final int BATCHES = 64;

  private final List<List<EnginePair>> shares = new ArrayList<>();
  private double heapOfEngine;

  @Override
  public void open(JsonObject arguments) {
    int engines = arguments.get("engines").getAsInt();
    int threads = arguments.get("threads").getAsInt();
    double before = liveOctets();
    List<EnginePair> pairs = EnginePair.sharing(engines, OCTETS);
    heapOfEngine = (liveOctets() - before) / (2 * engines);
    for (int i = 0; i < threads; i++) {
      List<EnginePair> share = new ArrayList<>();
      for (int j = i; j < engines; j += threads) {
        share.add(pairs.get(j));
      }
      shares.add(share);
    }
  }

  /**
   * Octets of the heap in use. Collects until nothing more goes: what a cleaner holds is freed by
   * the collection after the one that finds it.
   */
  private static double liveOctets() {
    MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
    long before;
    long now = Long.MAX_VALUE;
    do {
      before = now;
      memory.gc();
      now = memory.getHeapMemoryUsage().getUsed();
    } while (now < before);
    return now;
  }

  @Override
  public Sample round(JsonObject task) throws IOException, InterruptedException {
    long nanos = Json.nanos(task);
    int[] processors = Affinity.allowed();
    List<PinnedThread<Work>> threads = new ArrayList<>();
    for (int i = 0; i < shares.size(); i++) {
      List<EnginePair> share = shares.get(i);
      int cpu = processors[i % processors.length];
      threads.add(PinnedThread.start("engines " + i, cpu, () -> work(share, nanos)));
    }
    double rate = 0;
    double cpu = 0;
    for (PinnedThread<Work> each : threads) {
      Work done = each.join();
      rate += done.rate();
      cpu += done.cpuOfWrite() / threads.size();
    }
    return Sample.of(Map.of("rate", rate)).with("cpu_ns", cpu).with("heap_of_engine", heapOfEngine);
  }

  /** Runs the engines of one thread, one after the other, for some time. */
  private static Work work(List<EnginePair> pairs, long nanos) {
    long writes = 0;
    long cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    long began = System.nanoTime();
    long now = began;
    while (now - began < nanos) {
      for (int i = 0; i < BATCHES; i++) {
        for (EnginePair pair : pairs) {
          pair.toAndFro(BATCH, System.nanoTime());
        }
      }
      writes += 2L * BATCH * BATCHES * pairs.size();
      now = System.nanoTime();
    }
    cpu = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - cpu;
    return new Work(writes * 1e9 / (now - began), (double) cpu / writes);
  }

  @Override
  public void close() {}

  /**
   * What a thread has done.
   *
   * @param rate writes a second
   * @param cpuOfWrite in ns
   */
  private record Work(double rate, double cpuOfWrite) {}
}
