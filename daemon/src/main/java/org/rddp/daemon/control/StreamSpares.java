package org.rddp.daemon.control;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.rddp.ipc.control.GivenBack;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.SystemCallException;
import org.rddp.ipc.ring.StreamMemory;
import org.rddp.snapshot.Snapshot;

/**
 * Memory and sockets for octet streams, of which some are made before they are needed. Control
 * thread only, except where a method says more.
 */
final class StreamSpares {
  /** Those that are kept. */
  private static final int KEPT = 8;

  /**
   * Memory and sockets that no stream has yet.
   *
   * @param number of the stream
   * @param socket the daemon's end
   * @param programSocket the program's
   * @param cookie by which the kernel knows the program's end
   * @param refusesDescriptors whether the program cannot send descriptors
   */
  record Spare(
      long number,
      StreamMemory memory,
      PairedSocket socket,
      PairedSocket programSocket,
      long cookie,
      boolean refusesDescriptors) {
    /** Any thread. */
    void close() {
      socket.close();
      programSocket.close();
      memory.close();
    }
  }

  private final Consumer<Runnable> thread;
  private final Consumer<Runnable> control;
  private final Runnable notLocked;
  private final Queue<Spare> spares = new ArrayDeque<>();
  private final AtomicLong lastNumber = new AtomicLong();
  private int ordered;
  private volatile boolean stopped;

  /**
   * Makes none yet.
   *
   * @param thread runs tasks that make them
   * @param control runs tasks on the control thread
   * @param notLocked runs if memory cannot be locked
   */
  StreamSpares(Consumer<Runnable> thread, Consumer<Runnable> control, Runnable notLocked) {
    this.notLocked = notLocked;
    this.thread = thread;
    this.control = control;
  }

  /** Makes those that are missing. */
  void fill() {
    while (spares.size() + ordered < KEPT) {
      ordered++;
      order(
          spare -> {
            ordered--;
            spares.add(spare);
          },
          why -> ordered--);
    }
  }

  /**
   * Takes one.
   *
   * @param taken called on the control thread, at once if there is one
   * @param failed likewise, if none can be made
   */
  void take(Consumer<Spare> taken, Consumer<SystemCallException> failed) {
    Spare spare = spares.poll();
    fill();
    if (spare == null) {
      order(taken, failed);
    } else {
      taken.accept(spare);
    }
  }

  private void order(Consumer<Spare> made, Consumer<SystemCallException> failed) {
    thread.accept(() -> {
      try {
        Spare spare = make();
        if (stopped) {
          spare.close();
        } else {
          control.accept(() -> made.accept(spare));
        }
      } catch (SystemCallException e) {
        control.accept(() -> failed.accept(e));
      }
    });
  }

  private Spare make() throws SystemCallException {
    StreamMemory memory = StreamMemory.create(StreamService.FIRST_RING, StreamService.RING);
    try {
      // Allocated here, so that not much is left to do when a program has it.
      if (!memory.allocate()) {
        notLocked.run();
      }
      return with(memory);
    } catch (SystemCallException | RuntimeException e) {
      memory.close();
      throw e;
    }
  }

  /**
   * Makes what an ended stream has left ready for another one of the same program. Any thread.
   *
   * @return null if that cannot be
   */
  Spare renew(StreamMemory memory) {
    try {
      return !stopped && memory.renew(StreamService.FIRST_RING) ? with(memory) : null;
    } catch (SystemCallException e) {
      return null;
    }
  }

  private Spare with(StreamMemory memory) throws SystemCallException {
    PairedSocket[] ends = PairedSocket.ofMessages("rddp-stream");
    boolean refuses = ends[0].forbidDescriptors();
    GivenBack.expect(ends[0]);
    ends[1].limitSending();
    long cookie = PairedSocket.cookie(ends[1].descriptor());
    return new Spare(lastNumber.incrementAndGet(), memory, ends[0], ends[1], cookie, refuses);
  }

  /** Transfers the last number. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(StreamSpares.class);
    lastNumber.set(snapshot.number("lastNumber", lastNumber.get()));
    snapshot.end();
  }

  /** Keeps nothing that is made from now on. Any thread. */
  void stop() {
    stopped = true;
  }

  /** Closes all. */
  void close() {
    spares.forEach(Spare::close);
    spares.clear();
  }
}
