package org.rddp.ipc.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The program's end of a {@link SignalSender}, for a {@link PollSet}. Never blocks. */
public final class SignalReceiver implements AutoCloseable {
  private static final int MSG_DONTWAIT = 0x40;
  private static final int ROOM = 1024;
  private static final SystemCall RECV = SystemCall.bind("recv", "l:illi");

  private final Descriptor descriptor;

  /** Wraps the descriptor that the daemon sent, and closes it at the end. */
  public SignalReceiver(Descriptor descriptor) {
    this.descriptor = descriptor;
  }

  /** Readable while a signal is pending, and always after the sender is closed. */
  public Descriptor descriptor() {
    return descriptor;
  }

  /** Clears all pending signals. */
  public void clear() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment room = arena.allocate(ROOM);
      long taken = ROOM;
      while (taken == ROOM) {
        taken = RECV.attempt(descriptor.number(), room.address(), ROOM, MSG_DONTWAIT);
      }
    }
  }

  @Override
  public void close() {
    descriptor.close();
  }
}
