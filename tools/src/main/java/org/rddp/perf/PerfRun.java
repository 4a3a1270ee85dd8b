package org.rddp.perf;

import java.util.List;
import org.rddp.client.Rddp;
import org.rddp.client.RemoteHost;

/** Measures one size after the other with {@code rddp echo} at the other end. For one thread. */
public final class PerfRun {
  private static final int BATCH = 64;

  private final Rddp session;
  private RemoteHost server;
  private final PerfSettings settings;
  private final StopSignal stop;
  private final PerfMemory[] memory;
  private int ord;

  /**
   * Allocates the memory.
   *
   * @param sizes octets of the messages that will be measured
   * @param stop ends a measurement early
   * @throws PerfException if the session's limits do not allow the settings
   * @throws org.rddp.client.RefusedException if there is not enough memory
   */
  public PerfRun(
      Rddp session,
      RemoteHost server,
      PerfSettings settings,
      List<Integer> sizes,
      StopSignal stop) {
    this.session = session;
    this.server = server;
    this.settings = settings;
    this.stop = stop;
    new LimitCheck(session.limits()).check(settings);
    long octets = sizes.stream().mapToLong(settings::memoryOctets).max().orElseThrow();
    memory = new PerfMemory[settings.connections()];
    for (int i = 0; i < memory.length; i++) {
      memory[i] = PerfMemory.allocate(session, octets);
    }
  }

  /**
   * Measures latencies.
   *
   * @param size octets of a message
   * @throws PerfException if the server does not take part, or a connection ends
   */
  public LatencyResult latency(int size) {
    PerfConnection[] connections = new PerfConnection[settings.connections()];
    try {
      Pump pump = connect(connections, size);
      LatencyLoop loop = new LatencyLoop(connections, pump, stop);
      loop.run(Long.MAX_VALUE, settings.warmUpNanos(), 0, null);
      LatencyRecorder recorder = new LatencyRecorder();
      CpuTimes before = CpuTimes.read(session.daemonPid());
      long nanos = loop.run(settings.iterations(), settings.nanos(), settings.gapNanos(), recorder);
      CpuUse cpu = before.until(CpuTimes.read(session.daemonPid()), nanos);
      return new LatencyResult(size, recorder.nanoseconds(), nanos, loop.unsent(), cpu);
    } finally {
      close(connections);
    }
  }

  /**
   * Measures throughput.
   *
   * @param size octets of a message
   * @throws PerfException if the server does not take part, or a connection ends
   */
  public BandwidthResult bandwidth(int size) {
    PerfConnection[] connections = new PerfConnection[settings.connections()];
    try {
      Pump pump = connect(connections, size);
      BandwidthLoop loop = new BandwidthLoop(connections, pump, stop);
      loop.run(Long.MAX_VALUE, settings.warmUpNanos(), 0);
      CpuTimes before = CpuTimes.read(session.daemonPid());
      long nanos = loop.run(settings.iterations(), settings.nanos(), settings.gapNanos());
      CpuUse cpu = before.until(CpuTimes.read(session.daemonPid()), nanos);
      int ends = settings.bidirectional() ? 2 : 1;
      return new BandwidthResult(
              size, loop.started(), ends * loop.started(), nanos, ends * loop.peak(), cpu)
          .withoutPeakBelowAverage();
    } finally {
      close(connections);
    }
  }

  /** Reads and atomics of a connection outstanding at a time in the last measurement. */
  public int ord() {
    return ord;
  }

  private Pump connect(PerfConnection[] connections, int size) {
    for (int i = 0; i < connections.length; i++) {
      connections[i] = new PerfConnection(session, server, settings, i, size, memory[i]);
      // All connections are measured over the same address.
      server = RemoteHost.of(connections[i].remote());
    }
    ord = connections[0].ord();
    return new Pump(session, connections, settings.waiting(), stop);
  }

  /** Closes connections, and discards their completions, which the next ones must not get. */
  private void close(PerfConnection[] connections) {
    for (PerfConnection connection : connections) {
      if (connection != null) {
        connection.close();
      }
    }
    int flushed;
    do {
      flushed = session.poll(completion -> {}, BATCH);
    } while (flushed > 0);
  }
}
