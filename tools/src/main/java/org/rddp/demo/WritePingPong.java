package org.rddp.demo;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.HdrHistogram.Histogram;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.Completion;
import org.rddp.client.types.SendFlags;
import org.rddp.rig.RoundTrips;

/**
 * Two programs on one thread that write into each other's memory, to and fro: one writes a number,
 * the other finds it in its memory and writes it back. The layout for machines with few cores: both
 * engines take another thread, and no round trip waits for the scheduler.
 */
public final class WritePingPong implements AutoCloseable {
  private static final VarHandle NUMBER = ValueLayout.JAVA_LONG.varHandle();
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  /** Every so many writes one is signalled, and completions are read. */
  private static final int SIGNAL_EVERY = 32;

  private static final long STUCK_NANOS = TIMEOUT.toNanos();

  /** One program: a session, a connection, memory to write from and memory to be written. */
  private static final class Side {
    final Rddp session;
    final MemoryRegion source;
    final MemoryRegion sink;
    final MemorySegment sinkMemory;
    final long numberAt;
    Connection connection;
    AdvertisedBuffer target;
    private int writes;

    Side(Rddp session, int octets) {
      this.session = session;
      this.source = session.allocate(octets);
      this.sink = session.allocate(octets, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
      this.sinkMemory = sink.segment();
      // The end of the message comes last.
      this.numberAt = ((long) octets - Long.BYTES) & -Long.BYTES;
    }

    void write(long number) {
      NUMBER.set(source.segment(), numberAt, number);
      int flags = ++writes % SIGNAL_EVERY == 0 ? SendFlags.SIGNALLED : 0;
      while (!connection.postWrite(
          number, source, 0, source.length(), target.stag(), target.to(), flags)) {
        session.poll(Side::check, SIGNAL_EVERY);
      }
      if (flags != 0) {
        session.poll(Side::check, SIGNAL_EVERY);
      }
    }

    boolean has(long number) {
      return (long) NUMBER.getAcquire(sinkMemory, numberAt) == number;
    }

    private static void check(Completion completion) {
      if (!completion.isSuccess()) {
        throw new IllegalStateException("a request failed: " + completion);
      }
    }
  }

  private final Side near;
  private final Side far;

  /**
   * Connects two programs.
   *
   * @param nearSession the one that measures
   * @param farSession the one that answers; listens at {@code address}
   * @param octets of each write, a multiple of 8
   */
  public WritePingPong(Rddp nearSession, Rddp farSession, InetSocketAddress address, int octets) {
    near = new Side(nearSession, octets);
    far = new Side(farSession, octets);
    try (Listener listener = farSession.listen(address.getPort())) {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(
              () -> listener.await(TIMEOUT).accept(AdvertisedBuffer.of(far.sink).toPrivateData()));
      near.connection =
          nearSession.connect(address, AdvertisedBuffer.of(near.sink).toPrivateData(), TIMEOUT);
      far.connection = accepted.join();
    }
    near.target = AdvertisedBuffer.read(near.connection.privateData());
    far.target = AdvertisedBuffer.read(far.connection.privateData());
  }

  /**
   * Measures.
   *
   * @param warmUp round trips that are not counted
   * @param count round trips that are
   * @param device what they go over, for the result
   */
  public RoundTrips measure(int warmUp, int count, String device) {
    Histogram nanoseconds = RoundTrips.histogram();
    long end = System.nanoTime();
    for (long number = 1; number <= (long) warmUp + count; number++) {
      long start = System.nanoTime();
      roundTrip(number, start);
      end = System.nanoTime();
      if (number > warmUp) {
        nanoseconds.recordValue(Math.min(end - start, nanoseconds.getHighestTrackableValue()));
      }
    }
    return RoundTrips.of(nanoseconds, device);
  }

  private void roundTrip(long number, long start) {
    near.write(number);
    int looks = 0;
    while (!far.has(number)) {
      looks = wait(looks, start);
    }
    far.write(number);
    while (!near.has(number)) {
      looks = wait(looks, start);
    }
  }

  private static int wait(int looks, long start) {
    Thread.onSpinWait();
    if ((looks & 0xffff) == 0xffff && System.nanoTime() - start > STUCK_NANOS) {
      throw new IllegalStateException("a write has not arrived for " + TIMEOUT);
    }
    return looks + 1;
  }

  /** Closes both connections. */
  @Override
  public void close() {
    near.connection.close();
    far.connection.close();
  }
}
