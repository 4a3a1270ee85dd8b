package org.rddp.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.rddp.daemon.ConnectedPrograms.TIMEOUT;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.rddp.client.Completion;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.Opcode;
import org.rddp.client.types.PrivateData;

/**
 * Two programs, one of which writes and sends to the other as long as the test wants: a Write of
 * {@link #OCTETS}, then a Send of as many. Every completion must come once, in order, and every
 * octet must be as it was written. Both programs block while they wait. Runs on a thread of its
 * own.
 */
final class SteadyExchange implements AutoCloseable {
  private static final int OCTETS = 3000;
  private static final int SLOTS = 16;
  private static final int ROOM = 4096;

  private final Rddp here;
  private final Rddp there;
  private final Connection out;
  private final MemoryRegion source;
  private final MemoryRegion written;
  private final MemoryRegion received;
  private final Connection in;
  private final CompletableFuture<Void> end;
  private final AtomicLong messages = new AtomicLong();
  private long posted;
  private long completed;
  private volatile boolean stopping;

  /**
   * Connects, and begins.
   *
   * @param here the program that writes; both are closed with this
   * @param there the program that listens
   */
  SteadyExchange(Rddp here, Rddp there, InetSocketAddress to) {
    this.here = here;
    this.there = there;
    try (Listener listener = there.listen(to.getPort())) {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept());
      out = here.connect(to, PrivateData.NONE, TIMEOUT);
      in = accepted.join();
    }
    source = here.allocate(SLOTS * ROOM);
    written = there.allocate(SLOTS * ROOM, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    received = there.allocate(SLOTS * ROOM, Access.LOCAL_WRITE);
    for (int i = 0; i < SLOTS; i++) {
      assertThat(in.postReceive(i, received, (long) i * ROOM, ROOM)).isTrue();
    }
    end = CompletableFuture.runAsync(this::run, task -> new Thread(task, "exchange").start());
  }

  /** The process of the daemon that has the sessions now. */
  long daemonPid() {
    return here.daemonPid();
  }

  /** Messages that have been sent, received and compared. */
  long messages() {
    if (end.isDone()) {
      end.join();
    }
    return messages.get();
  }

  /** Waits for so many further messages. */
  void awaitMessages(int more) {
    long wanted = messages() + more;
    TestDaemon.await(() -> messages() >= wanted, more + " messages have come");
  }

  private void run() {
    while (!stopping || messages.get() < posted || completed < 2 * posted) {
      while (!stopping && posted < messages.get() + SLOTS && 2 * posted < completed + 2 * SLOTS) {
        post(posted);
        posted++;
      }
      int polled = here.poll(this::onSent, SLOTS) + there.poll(this::onReceived, SLOTS);
      if (polled == 0) {
        Rddp waiting = messages.get() < posted ? there : here;
        assertThat(waiting.await(TIMEOUT)).as("a completion has come").isTrue();
      }
    }
  }

  private void post(long message) {
    long at = message % SLOTS * ROOM;
    fill(source.segment().asSlice(at, OCTETS), message);
    assertThat(out.postWrite(2 * message, source, at, OCTETS, written.stag(), at)).isTrue();
    assertThat(out.postSend(2 * message + 1, source, at, OCTETS)).isTrue();
  }

  private static void fill(MemorySegment slot, long message) {
    for (long i = 0; i < slot.byteSize(); i += Long.BYTES) {
      slot.set(ValueLayout.JAVA_LONG, i, octets(message, i));
    }
  }

  private static long octets(long message, long at) {
    return (message << Short.SIZE | at) * 0x9e3779b97f4a7c15L;
  }

  private void onSent(Completion completion) {
    assertThat(completion.isSuccess()).as(completion.toString()).isTrue();
    assertThat(completion.id()).isEqualTo(completed);
    assertThat(completion.opcode()).isEqualTo(completed % 2 == 0 ? Opcode.WRITE : Opcode.SEND);
    completed++;
  }

  private void onReceived(Completion completion) {
    long message = messages.get();
    assertThat(completion.isSuccess()).as(completion.toString()).isTrue();
    assertThat(completion.id()).isEqualTo(message);
    assertThat(completion.octets()).isEqualTo(OCTETS);
    long at = message % SLOTS * ROOM;
    check(written.segment().asSlice(at, OCTETS), message);
    check(received.segment().asSlice(at, OCTETS), message);
    assertThat(in.postReceive(message + SLOTS, received, at, ROOM)).isTrue();
    messages.incrementAndGet();
  }

  private static void check(MemorySegment slot, long message) {
    for (long i = 0; i < slot.byteSize(); i += Long.BYTES) {
      if (slot.get(ValueLayout.JAVA_LONG, i) != octets(message, i)) {
        throw new AssertionError("message " + message + " differs at octet " + i);
      }
    }
  }

  /** Ends when everything that was posted has come. */
  @Override
  public void close() {
    stopping = true;
    end.join();
    here.close();
    there.close();
  }
}
