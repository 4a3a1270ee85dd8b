package org.rddp.bench.layers;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What RDMAP, DDP and MPA cost together for a message of one segment, sent and placed, among so
 * many regions of which each is as likely to be the next: each region is memory of its own, so with
 * many the copy finds it cold. In bursts of 32, each message in a segment of its own; TCP costs
 * next to nothing.
 */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class DdpBenchmark {
  /** A burst of RDMA Writes has been sent and waits. */
  public static class Placing extends RdmapPair {
    /** Before each burst. */
    @Setup(Level.Invocation)
    public void prepare() {
      draw();
      writeBurst();
    }
  }

  /** Everything sent has been placed. */
  public static class Writing extends RdmapPair {
    /** Before each burst. */
    @Setup(Level.Invocation)
    public void prepare() {
      deliverBurst();
      draw();
    }
  }

  /** A burst of Sends waits, and receives for them are posted. */
  public static class Receiving extends RdmapPair {
    /** Before each burst. */
    @Setup(Level.Invocation)
    public void prepare() {
      draw();
      postReceives();
      sendBurst();
    }
  }

  /** Everything sent has been received, and receives for what comes next are posted. */
  public static class Sending extends RdmapPair {
    /** Before each burst. */
    @Setup(Level.Invocation)
    public void prepare() {
      deliverBurst();
      draw();
      postReceives();
    }
  }

  /** RDMA Writes are placed in the regions that they name. */
  @Benchmark
  @OperationsPerInvocation(RdmapPair.BURST)
  public int placed(Placing state) {
    return state.deliverBurst();
  }

  /** RDMA Writes are posted and sent. */
  @Benchmark
  @OperationsPerInvocation(RdmapPair.BURST)
  public int written(Writing state) {
    return state.writeBurst();
  }

  /** Sends are placed in receives, which complete. */
  @Benchmark
  @OperationsPerInvocation(RdmapPair.BURST)
  public int received(Receiving state) {
    return state.deliverBurst();
  }

  /** Sends are posted and sent. */
  @Benchmark
  @OperationsPerInvocation(RdmapPair.BURST)
  public int sent(Sending state) {
    return state.sendBurst();
  }
}
