package org.rddp.daemon.packet;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.rddp.ipc.linux.SystemCall;

/** The system calls of each burst, which allocate nothing. An object is for one thread. */
final class PacketCalls {
  private static final int MSG_DONTWAIT = 0x40;

  // With errno: a full queue and a frame that the kernel refuses differ in it.
  private static final MethodHandle SEND = SystemCall.capturing("sendmmsg", "i:ilii");
  private static final MethodHandle RECEIVE = SystemCall.exact("recvmmsg", "i:iliil");

  private final MemorySegment state = SystemCall.newState();

  /** Sends messages; returns how many, or the negated error number of the first. */
  int send(int descriptor, long messages, int count) {
    try {
      int sent = (int) SEND.invokeExact(state, descriptor, messages, count, MSG_DONTWAIT);
      return sent < 0 ? -SystemCall.errno(state) : sent;
    } catch (Throwable unexpected) {
      throw new AssertionError("sendmmsg", unexpected);
    }
  }

  /** Receives messages; returns how many, or -1 for none. */
  static int receive(int descriptor, long messages, int count) {
    try {
      return (int) RECEIVE.invokeExact(descriptor, messages, count, MSG_DONTWAIT, 0L);
    } catch (Throwable unexpected) {
      throw new AssertionError("recvmmsg", unexpected);
    }
  }
}
