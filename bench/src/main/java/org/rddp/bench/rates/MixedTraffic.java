package org.rddp.bench.rates;

import org.rddp.bench.layout.ConnectionOpener;
import org.rddp.bench.layout.OneDaemon;
import org.rddp.client.Completion;
import org.rddp.client.CompletionHandler;
import org.rddp.client.Connection;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.SendFlags;

/**
 * Writes, sends and reads in turn, short and long, from one program to another, both on this
 * thread. Every request is signalled; every completed receive is posted again.
 */
final class MixedTraffic {
  private static final int[] LENGTHS = {64, 64, 1024, 64, 64, 8192, 64, 64 << 10};
  private static final int LONGEST = 64 << 10;
  private static final int OUTSTANDING = 32;
  private static final int RECEIVES = 2 * OUTSTANDING;
  private static final int BATCH = 64;
  private static final int POLLS = 64;
  private static final long TIMEOUT = 20_000_000_000L;

  /** The kinds of messages, which alternate. */
  private static final int WRITE = 0;

  private static final int SEND = 1;
  private static final int WAYS = 3;

  private final Rddp near;
  private final Rddp far;
  private final Connection connection;
  private final Connection receiving;
  private final MemoryRegion source;
  private final MemoryRegion sink;
  private final MemoryRegion remote;
  private final MemoryRegion receives;
  private final CompletionHandler ended = this::ended;
  private final CompletionHandler received = this::received;
  private long posted;
  private long finished;
  private long arrived;
  private long octets;

  /** Over a connection between the programs of a daemon. */
  MixedTraffic(OneDaemon daemon, ConnectionOpener.Ends ends) {
    near = daemon.near();
    far = daemon.far();
    connection = ends.near();
    receiving = ends.far();
    source = near.allocate(LONGEST);
    sink = near.allocate(LONGEST, Access.LOCAL_WRITE);
    remote = far.allocate(LONGEST, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);
    receives = far.allocate((long) RECEIVES * LONGEST, Access.LOCAL_WRITE);
    for (int i = 0; i < RECEIVES; i++) {
      receive(i);
    }
  }

  private void receive(long number) {
    if (!receiving.postReceive(number, receives, number * LONGEST, LONGEST)) {
      throw new IllegalStateException("no room for receive " + number);
    }
  }

  private void ended(Completion completion) {
    ConnectionOpener.check(completion);
    finished++;
    octets += completion.octets();
  }

  private void received(Completion completion) {
    ConnectionOpener.check(completion);
    arrived++;
    receive(completion.id());
  }

  /** Posts while there is room, and polls completions. */
  private void work(boolean more) {
    while (more && posted - finished < OUTSTANDING && post(posted)) {
      posted++;
    }
    near.poll(ended, BATCH);
    far.poll(received, BATCH);
  }

  private boolean post(long number) {
    int length = LENGTHS[(int) (number / WAYS % LENGTHS.length)];
    int way = (int) (number % WAYS);
    if (way == WRITE) {
      return connection.postWrite(
          number, source, 0, length, remote.stag(), remote.baseTo(), SendFlags.SIGNALLED);
    }
    return way == SEND
        ? connection.postSend(number, source, 0, length, SendFlags.SIGNALLED)
        : connection.postRead(
            number, sink, 0, length, remote.stag(), remote.baseTo(), SendFlags.SIGNALLED);
  }

  /**
   * Runs for {@code nanos}, and then until everything posted has ended.
   *
   * @return messages that have ended
   */
  long run(long nanos) {
    long before = finished;
    long began = System.nanoTime();
    long now = began;
    while (now - began < nanos || finished < posted) {
      boolean more = now - began < nanos;
      for (int i = 0; i < POLLS; i++) {
        work(more);
      }
      now = System.nanoTime();
      if (now - began > nanos + TIMEOUT) {
        throw new IllegalStateException(posted - finished + " messages have not ended");
      }
    }
    return finished - before;
  }

  long arrived() {
    return arrived;
  }

  /** Octets of all messages that have ended since it began. */
  long octets() {
    return octets;
  }
}
