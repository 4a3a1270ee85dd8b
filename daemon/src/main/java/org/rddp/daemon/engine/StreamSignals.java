package org.rddp.daemon.engine;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.ring.StreamHeader;

/**
 * Wakes programs that wait for an octet stream: at its socket, which an octet makes readable, and
 * which is writable again without the messages by which the program has filled it; or at a {@link
 * StreamWaiter}. Engine thread only, except {@link #drain(PairedSocket)}.
 */
public final class StreamSignals {
  /** Messages of the program that are dropped at once, to make its socket writable. */
  private static final int FILLERS = 16;

  private static final MemorySegment DROPPED = Arena.global().allocate(4096);

  private final StreamKeeper keeper;
  private final Runnable signal = this::send;
  private StreamParts parts;

  /**
   * Creates signals, which need {@link #use} before anything else.
   *
   * @param keeper drops messages that descriptors may come with
   */
  StreamSignals(StreamKeeper keeper) {
    this.keeper = keeper;
  }

  /** Takes the memory and the socket of the stream. */
  void use(StreamParts next) {
    parts = next;
  }

  /** Wakes those who wait to read. */
  void received() {
    boolean armed = header().disarmReceiving();
    tellWaiter();
    if (armed) {
      parts.section().wake(signal);
    }
  }

  private void tellWaiter() {
    int waiter = header().waiterWord();
    if (waiter != 0) {
      parts.section().tell(waiter);
    }
  }

  /** Wakes those who wait to write. */
  void writable() {
    if ((tellOfRoom() & ~StreamHeader.ROOM_WANTED) != 0) {
      drain();
    }
  }

  /** Tells the waiter of room, if that was asked for. Returns what was asked for. */
  private int tellOfRoom() {
    int asked = header().disarmSending();
    if ((asked & StreamHeader.ROOM_WANTED) != 0) {
      tellWaiter();
    }
    return asked;
  }

  /** Wakes everybody who waits, whatever for. */
  void all() {
    received();
    // The waiter may have been told, have written, and have asked for room since.
    tellOfRoom();
    drain();
  }

  private StreamHeader header() {
    return parts.memory().header();
  }

  private void send() {
    parts.socket().signal();
  }

  private void drain() {
    if (parts.refusesDescriptors()) {
      drain(parts.socket());
    } else {
      keeper.drain(parts.socket());
    }
  }

  /** Receives what the program has sent to make its socket unwritable. Any thread. */
  public static void drain(PairedSocket socket) {
    for (int i = 0; i < FILLERS; i++) {
      if (socket.receive(DROPPED.address(), DROPPED.byteSize()) <= 0) {
        return;
      }
    }
  }
}
