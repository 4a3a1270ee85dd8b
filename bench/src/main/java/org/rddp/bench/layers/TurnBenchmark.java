package org.rddp.bench.layers;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * CPU time of a message from end to end: both programs and both engines on one thread, whole turns,
 * over a link that copies. Reported for one direction; to and fro is twice that.
 */
@State(Scope.Thread)
@Warmup(iterations = 5, time = 1)
public class TurnBenchmark extends LayerBenchmark {
  static final int MESSAGES = 64;

  /** Octets of a write: a short one, and almost a segment. */
  @Param({"64", "1408"})
  public int octets;

  /** Writes in a turn. */
  @Param({"1", "32"})
  public int batch;

  /** Whether writes of a turn share segments. */
  @Param({"true", "false"})
  public boolean packing;

  private EnginePair engines;

  /** Connects the programs. */
  @Setup
  public void open() {
    engines = EnginePair.overLink(octets, 1500, packing);
  }

  /** Writes to and fro, {@code batch} at once. */
  @Benchmark
  @OperationsPerInvocation(MESSAGES)
  public long write() {
    long written = 0;
    for (int done = 0; done < MESSAGES; done += 2 * batch) {
      written = engines.toAndFro(batch, System.nanoTime());
    }
    return written;
  }

  /** A turn of an engine with nothing to do, and a reading of the clock. */
  @Benchmark
  @OperationsPerInvocation(MESSAGES)
  public int idle() {
    int work = 0;
    for (int i = 0; i < MESSAGES; i++) {
      work += engines.firstEngine().turn(System.nanoTime());
    }
    return work;
  }

  /** A reading of the clock, which an engine's thread does once a turn. */
  @Benchmark
  @OperationsPerInvocation(MESSAGES)
  public long clock() {
    long sum = 0;
    for (int i = 0; i < MESSAGES; i++) {
      sum += System.nanoTime();
    }
    return sum;
  }

  /** Writes that have arrived. */
  long written() {
    return engines.firstEngine().counters().requests + engines.secondEngine().counters().requests;
  }
}
