package org.rddp.daemon.packet;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/** The system calls of each burst, which allocate nothing. An object is for one thread. */
final class PacketCalls {
  private static final int MSG_DONTWAIT = 0x40;
  private static final Linker LINKER = Linker.nativeLinker();
  private static final VarHandle ERRNO =
      Linker.Option.captureStateLayout().varHandle(MemoryLayout.PathElement.groupElement("errno"));

  // sendmmsg(2), with errno: a full queue and a frame that the kernel refuses differ in it.
  private static final MethodHandle SEND =
      LINKER.downcallHandle(
          LINKER.defaultLookup().find("sendmmsg").orElseThrow(),
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT),
          Linker.Option.captureCallState("errno"));
  private static final MethodHandle RECEIVE =
      LINKER.downcallHandle(
          LINKER.defaultLookup().find("recvmmsg").orElseThrow(),
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG));

  private final MemorySegment state = Arena.ofAuto().allocate(Linker.Option.captureStateLayout());

  /** Sends messages; returns how many, or the negated error number of the first. */
  int send(int descriptor, long messages, int count) {
    try {
      int sent = (int) SEND.invokeExact(state, descriptor, messages, count, MSG_DONTWAIT);
      return sent < 0 ? -(int) ERRNO.get(state, 0L) : sent;
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
