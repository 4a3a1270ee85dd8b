package org.rddp.bench.rates;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.SplittableRandom;
import org.HdrHistogram.Histogram;
import org.rddp.bench.layout.ConnectionOpener;
import org.rddp.bench.layout.OneDaemon;
import org.rddp.client.Connection;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.ipc.ring.WorkRequest;

/** RDMA Writes to and fro between two programs on this thread, one at a time, beside other work. */
final class PingPong {
  private static final VarHandle NUMBER = ValueLayout.JAVA_LONG.varHandle();
  private static final int SIGNAL_EVERY = 32;
  private static final long LONGEST = 10_000_000_000L;
  private static final int POLLS = 1 << 12;

  private final Side near;
  private final Side far;
  private final List<ConnectionOpener.Ends> connections;
  private final SplittableRandom random = new SplittableRandom(1);
  private final int octets;
  private long number;

  /**
   * Over some connections.
   *
   * @param octets of a write, a multiple of 8
   */
  PingPong(OneDaemon daemon, List<ConnectionOpener.Ends> connections, int octets) {
    this.connections = connections;
    this.octets = octets;
    near = new Side(daemon.near(), octets);
    far = new Side(daemon.far(), octets);
  }

  /** A program's memory. */
  private static final class Side {
    private final Rddp session;
    private final MemoryRegion source;
    private final MemoryRegion sink;
    private final MemorySegment sourceMemory;
    private final MemorySegment sinkMemory;
    private int writes;

    Side(Rddp session, int octets) {
      this.session = session;
      source = session.allocate(octets);
      sink = session.allocate(octets, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
      sourceMemory = source.segment();
      sinkMemory = sink.segment();
    }
  }

  private void write(Side from, Side to, Connection connection, boolean signalled) {
    NUMBER.set(from.sourceMemory, octets - (long) Long.BYTES, number);
    boolean due = signalled || ++from.writes % SIGNAL_EVERY == 0;
    int flags = due ? WorkRequest.SIGNALLED : 0;
    while (!connection.postWrite(
        number, from.source, 0, octets, to.sink.stag(), to.sink.baseTo(), flags)) {
      from.session.poll(ConnectionOpener::check, SIGNAL_EVERY);
    }
    from.session.poll(ConnectionOpener::check, SIGNAL_EVERY);
  }

  private boolean has(Side side) {
    return (long) NUMBER.getAcquire(side.sinkMemory, octets - (long) Long.BYTES) == number;
  }

  /**
   * Measures round trips for so long, in ns.
   *
   * @param spread over all connections at random, with every write signalled, instead of over the
   *     first
   * @param beside a stream to be driven meanwhile, or null
   */
  Histogram run(long nanos, boolean spread, WriteStream beside) {
    Histogram nanoseconds = new Histogram(LONGEST, 3);
    long began = System.nanoTime();
    long now = began;
    while (now - began < nanos) {
      ConnectionOpener.Ends ends = connections.get(spread ? random.nextInt(connections.size()) : 0);
      number++;
      long start = System.nanoTime();
      write(near, far, ends.near(), spread);
      await(far, start, beside);
      write(far, near, ends.far(), spread);
      await(near, start, beside);
      now = System.nanoTime();
      nanoseconds.recordValue(Math.min(now - start, LONGEST));
    }
    return nanoseconds;
  }

  private void await(Side side, long start, WriteStream beside) {
    for (int polls = 1; !has(side); polls++) {
      if (beside == null) {
        Thread.onSpinWait();
      } else {
        beside.work();
      }
      if (polls % POLLS == 0 && System.nanoTime() - start > LONGEST) {
        throw new IllegalStateException("a write has not arrived");
      }
    }
  }
}
