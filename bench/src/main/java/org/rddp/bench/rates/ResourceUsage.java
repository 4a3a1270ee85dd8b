package org.rddp.bench.rates;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import org.rddp.bench.harness.Sample;

/** CPU time, allocated octets and garbage collections of this process during some work. */
final class ResourceUsage {
  /** For processes without an engine. */
  static final long NO_ENGINE = -1;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final OperatingSystemMXBean SYSTEM =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private final long engine;
  private final long engineNanos;
  private final long programNanos;
  private final long processNanos;
  private final long engineOctets;
  private final long programOctets;
  private final long collections;

  /**
   * Starts to measure; the calling thread is the programs'.
   *
   * @param engine the engine's thread, or {@link #NO_ENGINE}
   */
  ResourceUsage(long engine) {
    this.engine = engine;
    collections = collections();
    engineOctets = engine == NO_ENGINE ? 0 : THREADS.getThreadAllocatedBytes(engine);
    programOctets = THREADS.getCurrentThreadAllocatedBytes();
    processNanos = SYSTEM.getProcessCpuTime();
    engineNanos = engine == NO_ENGINE ? 0 : THREADS.getThreadCpuTime(engine);
    programNanos = THREADS.getCurrentThreadCpuTime();
  }

  /**
   * Adds figures per message: cpu_ns of the whole process, program_ns and engine_ns of the two
   * threads, program_octets and engine_octets that they allocated; and gc, all collections.
   */
  Sample addTo(Sample sample, long messages) {
    double program = THREADS.getCurrentThreadCpuTime() - programNanos;
    double process = SYSTEM.getProcessCpuTime() - processNanos;
    double allocated = THREADS.getCurrentThreadAllocatedBytes() - programOctets;
    Sample all =
        sample
            .with("cpu_ns", process / messages)
            .with("program_ns", program / messages)
            .with("program_octets", allocated / messages)
            .with("gc", (double) (collections() - collections));
    if (engine == NO_ENGINE) {
      return all;
    }
    double own = THREADS.getThreadCpuTime(engine) - engineNanos;
    double ownAllocated = THREADS.getThreadAllocatedBytes(engine) - engineOctets;
    return all.with("engine_ns", own / messages).with("engine_octets", ownAllocated / messages);
  }

  private static long collections() {
    long count = 0;
    for (GarbageCollectorMXBean each : ManagementFactory.getGarbageCollectorMXBeans()) {
      count += each.getCollectionCount();
    }
    return count;
  }
}
