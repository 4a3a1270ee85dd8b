package org.rddp.bench.verbs;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.rddp.bench.layout.ConnectionOpener;
import org.rddp.bench.layout.JoinedInterfaces;
import org.rddp.client.Completion;
import org.rddp.client.CompletionHandler;
import org.rddp.client.Connection;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.SendFlags;

/**
 * Writes from one program to another, both on this thread, as verbs/bench/loops.c does them. Every
 * write is signalled.
 */
final class WriteLoops implements AutoCloseable {
  private static final VarHandle NUMBER = ValueLayout.JAVA_LONG.varHandle();
  private static final int LONGEST = 65_536;
  private static final int AT_ONCE = 16;
  private static final int PORT = 7474;

  /** Pause as in loops.c, in ns: then completions are there, and the engine sleeps if it may. */
  private static final long SETTLED = 300_000;

  private static final long LONGEST_WAIT = 10_000_000_000L;

  private final Rddp session;
  private final ConnectionOpener.Ends ends;
  private final Connection connection;
  private final MemoryRegion source;
  private final MemoryRegion sink;
  private final CompletionHandler handler = this::take;
  private int taken;
  private long number;

  WriteLoops(Rddp near, Rddp far) throws IOException, InterruptedException {
    session = near;
    try (ConnectionOpener opener =
        new ConnectionOpener(near, far, JoinedInterfaces.farAddress(PORT))) {
      ends = opener.connect();
    }
    connection = ends.near();
    source = near.allocate(LONGEST);
    sink = far.allocate(LONGEST, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
  }

  private void take(Completion completion) {
    ConnectionOpener.check(completion);
    taken++;
  }

  private boolean post(int octets) {
    return connection.postWrite(
        0, source, 0, octets, sink.stag(), sink.baseTo(), SendFlags.SIGNALLED);
  }

  private void fill(int octets) {
    number++;
    NUMBER.set(source.segment(), 0L, number);
    NUMBER.set(source.segment(), (long) octets - Long.BYTES, number);
  }

  private void awaitData(int octets) throws IOException {
    long deadline = System.nanoTime() + LONGEST_WAIT;
    while ((long) NUMBER.getAcquire(sink.segment(), (long) octets - Long.BYTES) != number) {
      checkTime(deadline);
    }
  }

  private static void checkTime(long deadline) throws IOException {
    if (System.nanoTime() > deadline) {
      throw new IOException("no message for 10 s");
    }
  }

  private static void settle() {
    long settled = System.nanoTime() + SETTLED;
    while (System.nanoTime() < settled) {
      Thread.onSpinWait();
    }
  }

  /**
   * What a post and a completion take.
   *
   * @param window writes of a batch
   * @return medians over the batches, in ns
   */
  double[] cost(int window, int batches) throws IOException {
    double[] posts = new double[batches];
    double[] completions = new double[batches];
    int counted = 0;
    for (int batch = 0; batch < batches; batch++) {
      fill(Long.BYTES);
      // Not counted: it wakes the engine.
      long began = postFirst();
      postRest(window);
      long posted = System.nanoTime();
      awaitData(Long.BYTES);
      settle();
      long polling = System.nanoTime();
      boolean all = takeAll(window);
      long polled = System.nanoTime();
      if (all) {
        posts[counted] = (double) (posted - began) / (window - 1);
        completions[counted++] = (double) (polled - polling) / window;
      }
    }
    if (counted == 0) {
      throw new IOException("no batch whose completions were there in time");
    }
    return new double[] {median(posts, counted), median(completions, counted)};
  }

  private long postFirst() {
    requirePosted(post(Long.BYTES));
    return System.nanoTime();
  }

  private void postRest(int window) {
    for (int i = 1; i < window; i++) {
      requirePosted(post(Long.BYTES));
    }
  }

  private static void requirePosted(boolean posted) {
    if (!posted) {
      throw new IllegalStateException("a queue is full");
    }
  }

  /** Takes {@code window} completions; false if not all were there. */
  private boolean takeAll(int window) {
    boolean all = true;
    taken = 0;
    while (taken < window) {
      all &= session.poll(handler, AT_ONCE) > 0;
    }
    return all;
  }

  private static double median(double[] values, int count) {
    double[] sorted = Arrays.copyOf(values, count);
    Arrays.sort(sorted);
    return sorted[count / 2];
  }

  /**
   * Writes one way for {@code nanos}.
   *
   * @return writes, all of which have arrived
   */
  long stream(int octets, int window, long nanos) throws IOException {
    fill(octets);
    long posted = 0;
    taken = 0;
    long end = System.nanoTime() + nanos;
    while (System.nanoTime() < end) {
      while (posted - taken < window && post(octets)) {
        posted++;
      }
      session.poll(handler, AT_ONCE);
    }
    while (taken < posted) {
      session.poll(handler, AT_ONCE);
      checkTime(end + LONGEST_WAIT);
    }
    awaitData(octets);
    return posted;
  }

  @Override
  public void close() {
    ends.near().close();
    ends.far().close();
    source.close();
    sink.close();
  }
}
