package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import org.rddp.client.Completion;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.SendFlags;

/**
 * Two programs with many connections, each of which repeats a Write, a Read of what was written, a
 * Fetch and Add, and a Send. Every fourth connection is idle until the end. Every completion must
 * come once, in order, and every octet must be as it was sent. Both programs block while they wait.
 * Runs on a thread of its own.
 */
final class ManyConnections implements AutoCloseable {
  private static final int KINDS = 4;
  private static final int OCTETS = 2000;
  private static final int ROOM = 2048;

  private final Rddp here;
  private final Rddp there;
  private final Pair[] pairs;
  private final MemoryRegion source;
  private final MemoryRegion read;
  private final MemoryRegion written;
  private final MemoryRegion received;
  private final CompletableFuture<Void> end;
  private volatile boolean stopping;

  /** Both ends of a connection, and how far they have come. */
  private final class Pair {
    final Connection out;
    final Connection in;
    final long at;
    final boolean isIdle;
    volatile long posted;
    int outstanding;
    int outstandingReceives;
    long receives;

    Pair(int index, Connection out, Connection in) {
      this.out = out;
      this.in = in;
      at = (long) index * ROOM;
      isIdle = index % KINDS == 0;
      out.attach(this);
      in.attach(this);
      assertThat(in.postReceive(0, received, at, ROOM)).isTrue();
    }

    boolean isWorking() {
      return outstanding + outstandingReceives > 0;
    }

    void post() {
      long number = posted;
      MemorySegment octets = source.segment().asSlice(at, OCTETS);
      boolean isPosted =
          switch ((int) (number % KINDS)) {
            case 0 -> {
              fill(octets, number);
              yield out.postWrite(number, source, at, OCTETS, written.stag(), at);
            }
            case 1 -> out.postRead(number, read, at, OCTETS, written.stag(), at);
            case 2 -> {
              int flags = SendFlags.SIGNALLED;
              yield out.atomics()
                  .postFetchAdd(number, read, at, written.stag(), at + OCTETS, 1, flags);
            }
            default -> {
              fill(octets, number);
              outstandingReceives++;
              yield out.postSend(number, source, at, OCTETS);
            }
          };
      assertThat(isPosted).isTrue();
      outstanding++;
      posted = number + 1;
    }

    void onDone(Completion completion) {
      assertThat(completion.isSuccess()).as(completion.toString()).isTrue();
      assertThat(completion.id()).isEqualTo(posted - 1);
      outstanding--;
      assertThat(outstanding).isZero();
      switch ((int) (completion.id() % KINDS)) {
        case 1 -> check(read.segment().asSlice(at, OCTETS), completion.id() - 1);
        case 2 ->
            assertThat(read.segment().get(ValueLayout.JAVA_LONG, at))
                .as("number before")
                .isEqualTo(completion.id() / KINDS);
        default -> {}
      }
    }

    void onReceived(Completion completion) {
      assertThat(completion.isSuccess()).as(completion.toString()).isTrue();
      assertThat(completion.id()).isEqualTo(receives);
      assertThat(completion.octets()).isEqualTo(OCTETS);
      outstandingReceives--;
      assertThat(outstandingReceives).isZero();
      check(received.segment().asSlice(at, OCTETS), receives * KINDS + KINDS - 1);
      receives++;
      assertThat(in.postReceive(receives, received, at, ROOM)).isTrue();
    }

    private long octets(long message, long offset) {
      return (message << Integer.SIZE | at + offset) * 0x9e3779b97f4a7c15L;
    }

    private void fill(MemorySegment slot, long message) {
      for (long i = 0; i < slot.byteSize(); i += Long.BYTES) {
        slot.set(ValueLayout.JAVA_LONG, i, octets(message, i));
      }
    }

    private void check(MemorySegment slot, long message) {
      for (long i = 0; i < slot.byteSize(); i += Long.BYTES) {
        if (slot.get(ValueLayout.JAVA_LONG, i) != octets(message, i)) {
          throw new AssertionError("message " + message + " differs at octet " + i);
        }
      }
    }
  }

  /**
   * Connects, and begins.
   *
   * @param here the program that connects; both are closed with this
   * @param there the program that listens
   */
  ManyConnections(Rddp here, Rddp there, InetSocketAddress to, int connections) {
    this.here = here;
    this.there = there;
    long octets = (long) connections * ROOM;
    source = here.allocate(octets);
    read = here.allocate(octets, Access.LOCAL_WRITE);
    received = there.allocate(octets, Access.LOCAL_WRITE);
    written =
        there.allocate(
            octets,
            Access.LOCAL_WRITE,
            Access.REMOTE_WRITE,
            Access.REMOTE_READ,
            Access.REMOTE_ATOMIC);
    pairs = new Pair[connections];
    try (Listener listener = there.listen(to.getPort())) {
      for (int i = 0; i < connections; i++) {
        CompletableFuture<Connection> accepted =
            CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
        Connection out = here.connect(to, PrivateData.NONE, TIMEOUT);
        pairs[i] = new Pair(i, out, accepted.join());
      }
    }
    end = CompletableFuture.runAsync(this::run, task -> new Thread(task, "many").start());
  }

  /** Waits until each connection that is not idle has posted so many further requests. */
  void awaitRequests(int more) {
    for (Pair each : pairs) {
      long wanted = each.posted + more;
      TestDaemon.await(
          () -> {
            if (end.isDone()) {
              end.join();
            }
            return each.isIdle || each.posted >= wanted;
          },
          more + " requests have been posted");
    }
  }

  private void run() {
    while (!stopping) {
      for (Pair each : pairs) {
        if (!each.isIdle && !each.isWorking()) {
          each.post();
        }
      }
      poll();
    }
    for (Pair each : pairs) {
      long last = each.posted + KINDS;
      while (each.isWorking() || each.posted < last) {
        if (each.isWorking()) {
          poll();
        } else {
          each.post();
        }
      }
    }
  }

  /** Handles what has come, or waits. */
  private void poll() {
    int polled = here.poll(each -> pair(each).onDone(each), pairs.length);
    polled += there.poll(each -> pair(each).onReceived(each), pairs.length);
    if (polled == 0) {
      boolean waitsHere = false;
      for (Pair each : pairs) {
        waitsHere |= each.outstanding > 0;
      }
      assertThat((waitsHere ? here : there).await(TIMEOUT)).as("a completion has come").isTrue();
    }
  }

  private static Pair pair(Completion completion) {
    return (Pair) completion.connection().attachment();
  }

  /** Ends when everything that was posted has come, and every connection has been used. */
  @Override
  public void close() {
    stopping = true;
    end.join();
    here.close();
    there.close();
  }
}
