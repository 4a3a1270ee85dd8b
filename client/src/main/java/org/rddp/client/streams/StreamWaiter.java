package org.rddp.client.streams;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.function.IntConsumer;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.ring.Doorbells;

/**
 * Where a thread waits for many streams of a session: each has a bit, which the daemon sets when
 * there is something new, and one socket wakes the thread. For one thread, which is told of streams
 * that {@link ProgramStream#tell} names it for. Allocates nothing once it is open.
 *
 * <pre>{@code
 * waiter.take(bit -> ...);            // look at its stream
 * if (waiter.beginSleep()) {
 *   ...                               // until the descriptor is readable
 *   waiter.clear();
 * }
 * waiter.endSleep();
 * }</pre>
 */
public final class StreamWaiter implements AutoCloseable {
  /** Bits of a waiter. Streams may share one. */
  public static final int BITS = Doorbells.STREAMS;

  /** Octets that are taken from the socket at a time. */
  private static final int TAKEN = 64;

  /** They say nothing, so all threads may receive into the same memory. */
  private static final MemorySegment DROPPED = Arena.global().allocate(TAKEN);

  private final StreamSession session;
  private final int number;
  private final SharedMemory memory;
  private final Doorbells bells;
  private final PairedSocket socket;

  StreamWaiter(StreamSession session, DaemonMessage.StreamWaiting reply) throws IOException {
    this.session = session;
    number = reply.waiter();
    socket = new PairedSocket(reply.wake());
    try {
      memory = SharedMemory.map(reply.bells());
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
    bells = new Doorbells(memory.address());
    try {
      memory.forbidHoles();
      session.request(
          request -> new ProgramMessage.ShareMemory(request, number), DaemonMessage.Done.class);
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  StreamSession session() {
    return session;
  }

  int number() {
    return number;
  }

  /** Readable when the daemon wakes the thread, and when it has ended. */
  public Descriptor descriptor() {
    return socket.descriptor();
  }

  /** Whether there are bits to take. */
  public boolean isRung() {
    return bells.isRung();
  }

  /** Takes the bits of streams that have something new. */
  public void take(IntConsumer taker) {
    for (long groups = bells.takeGroups(); groups != 0; groups &= groups - 1) {
      int first = Long.numberOfTrailingZeros(groups) * Doorbells.GROUP;
      for (int word = first; word < first + Doorbells.GROUP; word++) {
        for (long bits = bells.takeBits(word); bits != 0; bits &= bits - 1) {
          taker.accept(word * Long.SIZE + Long.numberOfTrailingZeros(bits));
        }
      }
    }
  }

  /** Asks the daemon to wake the thread. Returns false if there are bits to take already. */
  public boolean beginSleep() {
    bells.announceSleep();
    VarHandle.fullFence();
    return !bells.isRung();
  }

  /** The thread is awake: the daemon need not wake it. */
  public void endSleep() {
    bells.endSleep();
  }

  /** Takes what has made the descriptor readable. Returns false if the daemon has ended. */
  public boolean clear() {
    return socket.receive(DROPPED.address(), TAKEN) != 0;
  }

  /** Ends it, after its last stream has forgotten it. */
  @Override
  public void close() {
    socket.close();
    memory.close();
  }
}
