package org.rddp.bench.layers;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/**
 * CPU time of a write of 64 KiB from end to end, 46 segments of MTU 1500 or 8 of 9000: both
 * programs and both engines on one thread, over a link in Java that copies.
 */
@State(Scope.Thread)
public class BulkBenchmark extends LayerBenchmark {
  private static final int OCTETS = 64 << 10;

  /** MTU of the link. */
  @Param({"1500", "9000"})
  public int mtu;

  /** Octets of a frame of several segments; 0: each has a frame of its own. */
  @Param({"0", "16384", "32768"})
  public int longest;

  /** Whether TCP computes checksums. */
  @Param({"true", "false"})
  public boolean checksums;

  private EnginePair engines;

  /** Connects the programs. */
  @Setup
  public void open() {
    engines = EnginePair.overRing(OCTETS, mtu, Math.max(longest, mtu), checksums);
  }

  /** A write to and one fro. */
  @Benchmark
  @OperationsPerInvocation(2)
  public long write() {
    return engines.toAndFro(1, System.nanoTime());
  }
}
