package org.rddp.bench.layers;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Setup;

/**
 * CPU time of RDMAP, DDP and MPA together for a message of one segment, sent and placed in a random
 * one of several regions, which are cold where there are many. Bursts of 32 segments, a message
 * each; TCP costs almost nothing.
 */
public class DdpBenchmark extends LayerBenchmark {
  /** A burst of RDMA Writes has been sent. */
  public static class Placing extends RdmapPair {
    /** Before each burst. */
    @Setup(Level.Invocation)
    public void prepare() {
      draw();
      writeBurst();
    }
  }

  /** All RDMA Writes have been placed. */
  public static class Writing extends RdmapPair {
    /** Before each burst. */
    @Setup(Level.Invocation)
    public void prepare() {
      deliverBurst();
      draw();
    }
  }

  /** A burst of Sends has been sent, and receives are posted. */
  public static class Receiving extends RdmapPair {
    /** Before each burst. */
    @Setup(Level.Invocation)
    public void prepare() {
      draw();
      postReceives();
      sendBurst();
    }
  }

  /** All Sends have been received, and receives for the next burst are posted. */
  public static class Sending extends RdmapPair {
    /** Before each burst. */
    @Setup(Level.Invocation)
    public void prepare() {
      deliverBurst();
      draw();
      postReceives();
    }
  }

  /** Places RDMA Writes. */
  @Benchmark
  @OperationsPerInvocation(RdmapPair.BURST)
  public int placed(Placing state) {
    return state.deliverBurst();
  }

  /** Posts and sends RDMA Writes. */
  @Benchmark
  @OperationsPerInvocation(RdmapPair.BURST)
  public int written(Writing state) {
    return state.writeBurst();
  }

  /** Places Sends, and completes their receives. */
  @Benchmark
  @OperationsPerInvocation(RdmapPair.BURST)
  public int received(Receiving state) {
    return state.deliverBurst();
  }

  /** Posts and sends Sends. */
  @Benchmark
  @OperationsPerInvocation(RdmapPair.BURST)
  public int sent(Sending state) {
    return state.sendBurst();
  }
}
