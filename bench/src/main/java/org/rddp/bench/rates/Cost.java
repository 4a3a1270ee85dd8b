package org.rddp.bench.rates;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import org.rddp.bench.method.Sample;

/** What this process spends on something: CPU time, octets allocated, collections of garbage. */
final class Cost {
  /** There is no engine. */
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
   * Counts from here on; the calling thread is the program's.
   *
   * @param engine the engine's thread, or {@link #NO_ENGINE}
   */
  Cost(long engine) {
    this.engine = engine;
    collections = collections();
    engineOctets = engine == NO_ENGINE ? 0 : THREADS.getThreadAllocatedBytes(engine);
    programOctets = THREADS.getCurrentThreadAllocatedBytes();
    processNanos = SYSTEM.getProcessCpuTime();
    engineNanos = engine == NO_ENGINE ? 0 : THREADS.getThreadCpuTime(engine);
    programNanos = THREADS.getCurrentThreadCpuTime();
  }

  /**
   * Adds what it cost a message: cpu_ns of the whole process, program_ns and engine_ns of CPU time
   * of the two threads, program_octets and engine_octets that they allocated; and gc, collections.
   */
  Sample addTo(Sample sample, long messages) {
    double program = THREADS.getCurrentThreadCpuTime() - programNanos;
    double process = SYSTEM.getProcessCpuTime() - processNanos;
    double allocated = THREADS.getCurrentThreadAllocatedBytes() - programOctets;
    Sample all =
        sample
            .and("cpu_ns", process / messages)
            .and("program_ns", program / messages)
            .and("program_octets", allocated / messages)
            .and("gc", (double) (collections() - collections));
    if (engine == NO_ENGINE) {
      return all;
    }
    double own = THREADS.getThreadCpuTime(engine) - engineNanos;
    double ownAllocated = THREADS.getThreadAllocatedBytes(engine) - engineOctets;
    return all.and("engine_ns", own / messages).and("engine_octets", ownAllocated / messages);
  }

  private static long collections() {
    long count = 0;
    for (GarbageCollectorMXBean each : ManagementFactory.getGarbageCollectorMXBeans()) {
      count += each.getCollectionCount();
    }
    return count;
  }
}
