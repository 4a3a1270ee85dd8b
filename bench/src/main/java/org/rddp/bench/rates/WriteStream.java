package org.rddp.bench.rates;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import org.rddp.bench.layout.ConnectionOpener;
import org.rddp.client.Connection;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.SendFlags;

/**
 * RDMA Writes from one program to another, both on this thread, with a number outstanding: posted,
 * and not yet seen by the other program. Each write carries its number in its last octets.
 */
final class WriteStream implements AutoCloseable {
  private static final VarHandle NUMBER = ValueLayout.JAVA_LONG.varHandle();
  private static final int CACHE_LINE = 64;
  private static final int BATCH = 64;
  private static final int POLLS = 64;
  private static final long TIMEOUT = 20_000_000_000L;

  /** The last messages, which have no completion of their own, arrive within it. */
  private static final Duration LONGEST_WAIT = Duration.ofMillis(1);

  private final Rddp session;
  private final Connection connection;
  private final MemoryRegion source;
  private final MemoryRegion sink;
  private final MemorySegment sourceMemory;
  private final MemorySegment sinkMemory;
  private int octets;
  private int outstanding;
  private int stride;
  private int signalEvery;
  private long posted;
  private long arrived;
  private boolean ending;
  private boolean yields;
  private boolean waits;

  /**
   * A stream over a connection.
   *
   * @param memory octets at either end: messages times their number outstanding, at the most
   */
  WriteStream(Rddp from, Rddp to, Connection connection, long memory) {
    session = from;
    this.connection = connection;
    source = from.allocate(memory);
    sink = to.allocate(memory, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    sourceMemory = source.segment();
    sinkMemory = sink.segment();
  }

  /** Makes it yield whenever nothing has arrived for some polls. */
  WriteStream yielding() {
    yields = true;
    return this;
  }

  /** Makes it wait in a call for a completion whenever nothing has arrived for some polls. */
  WriteStream waiting() {
    waits = true;
    return this;
  }

  /**
   * Changes the messages; none may be outstanding.
   *
   * @param octets of a message, a multiple of 8
   * @param outstanding at the most, 1 to 256
   */
  void configure(int octets, int outstanding) {
    if (posted != arrived) {
      throw new IllegalStateException(posted - arrived + " messages are under way");
    }
    this.octets = octets;
    this.outstanding = outstanding;
    stride = octets + CACHE_LINE - 1 & -CACHE_LINE;
    if ((long) stride * outstanding > source.length()) {
      throw new IllegalArgumentException(outstanding + " messages of " + octets + " octets");
    }
    signalEvery = Math.max(1, Math.min(32, outstanding / 2));
    posted = 0;
    arrived = 0;
    // Numbers of earlier writes must not be taken for new ones.
    for (int i = 0; i < outstanding; i++) {
      NUMBER.set(sinkMemory, at(i) + octets - Long.BYTES, 0L);
    }
    ending = false;
  }

  private long at(long number) {
    return number % outstanding * stride;
  }

  /** Posts while there is room, and polls for arrivals. */
  void work() {
    while (!ending && posted - arrived < outstanding && post()) {
      posted++;
    }
    session.poll(ConnectionOpener::check, BATCH);
    while (arrived < posted
        && (long) NUMBER.getAcquire(sinkMemory, at(arrived) + octets - Long.BYTES) == arrived + 1) {
      arrived++;
    }
  }

  private boolean post() {
    long at = at(posted);
    NUMBER.set(sourceMemory, at + octets - Long.BYTES, posted + 1);
    int flags = (posted + 1) % signalEvery == 0 ? SendFlags.SIGNALLED : 0;
    return connection.postWrite(posted, source, at, octets, sink.stag(), sink.baseTo() + at, flags);
  }

  /** Writes until a time of {@link System#nanoTime}. */
  void workUntil(long end) {
    while (System.nanoTime() < end) {
      polls();
    }
  }

  /** Works for some polls, and yields, or waits, if nothing has arrived. */
  private void polls() {
    long before = arrived;
    for (int i = 0; i < POLLS; i++) {
      work();
    }
    if (arrived > before) {
      return;
    }
    if (waits) {
      boolean ignored = session.await(LONGEST_WAIT);
    } else if (yields) {
      session.yieldProcessor();
    }
  }

  void end() {
    ending = true;
  }

  boolean ended() {
    return posted == arrived;
  }

  long arrived() {
    return arrived;
  }

  /**
   * Writes for {@code nanos}.
   *
   * @return nanoseconds from the first write to the arrival of the last
   */
  long run(long nanos) {
    long began = System.nanoTime();
    long now = began;
    while (!ending || !ended()) {
      polls();
      now = System.nanoTime();
      if (now - began >= nanos) {
        end();
      }
      if (now - began > nanos + TIMEOUT) {
        throw new IllegalStateException(
            posted - arrived + " of " + posted + " writes have not arrived");
      }
    }
    return now - began;
  }

  /** Frees the memory; nothing may be under way. */
  @Override
  public void close() {
    source.close();
    sink.close();
  }
}
