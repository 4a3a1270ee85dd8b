package org.rddp.rig;

import java.io.IOException;
import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * The few Linux calls that Java has no word for. Those that concern the calling thread want a
 * platform thread.
 */
final class LinuxCalls {
  /** Stops a process. */
  static final int SIGSTOP = 19;

  /** Lets a stopped process go on. */
  static final int SIGCONT = 18;

  private static final int SIGKILL = 9;
  private static final int CLONE_NEWNET = 0x40000000;
  private static final int O_RDONLY = 0;
  private static final int SCHED_FIFO = 1;
  private static final int PR_SET_PDEATHSIG = 1;

  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final MethodHandle SCHED_SETAFFINITY = affinityCall("sched_setaffinity");
  private static final MethodHandle SCHED_GETAFFINITY = affinityCall("sched_getaffinity");
  private static final MethodHandle UNSHARE =
      call("unshare", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
  private static final MethodHandle SCHED_SETSCHEDULER =
      call(
          "sched_setscheduler",
          FunctionDescriptor.of(
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_INT,
              ValueLayout.ADDRESS));
  private static final MethodHandle SETNS =
      call(
          "setns",
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
  private static final MethodHandle OPEN =
      variadic(
          "open",
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
          2);
  private static final MethodHandle CLOSE =
      call("close", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
  private static final MethodHandle GETTID =
      call("gettid", FunctionDescriptor.of(ValueLayout.JAVA_INT));
  private static final MethodHandle KILL =
      call(
          "kill",
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
  private static final MethodHandle PRCTL =
      variadic(
          "prctl",
          FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG),
          1);
  private static final MethodHandle STRERROR = strerror();

  private LinuxCalls() {}

  /** Lets the calling thread run on these CPUs only, one bit each; sched_setaffinity(2). */
  static void setAffinity(byte[] cpus) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mask = arena.allocateFrom(ValueLayout.JAVA_BYTE, cpus);
      MemorySegment state = arena.allocate(STATE);
      check(
          "sched_setaffinity",
          (int) SCHED_SETAFFINITY.invokeExact(state, 0, (long) cpus.length, mask),
          state);
    } catch (Throwable failure) {
      throw rethrown(failure);
    }
  }

  /**
   * The CPUs that the calling thread may run on, one bit each; sched_getaffinity(2).
   *
   * @param octets room for the mask; the kernel refuses less than one bit for each CPU it knows
   */
  static byte[] affinity(int octets) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mask = arena.allocate(octets);
      MemorySegment state = arena.allocate(STATE);
      check(
          "sched_getaffinity",
          (int) SCHED_GETAFFINITY.invokeExact(state, 0, (long) octets, mask),
          state);
      return mask.toArray(ValueLayout.JAVA_BYTE);
    } catch (Throwable failure) {
      throw rethrown(failure);
    }
  }

  /** Puts the calling thread before all ordinary ones; sched_setscheduler(2). Needs root. */
  static void setFirstInFirstOut(int priority) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment parameter = arena.allocateFrom(ValueLayout.JAVA_INT, priority);
      MemorySegment state = arena.allocate(STATE);
      check(
          "sched_setscheduler",
          (int) SCHED_SETSCHEDULER.invokeExact(state, 0, SCHED_FIFO, parameter),
          state);
    } catch (Throwable failure) {
      throw rethrown(failure);
    }
  }

  /** Moves the calling thread into a new, empty network namespace; unshare(2). Needs root. */
  static void unshareNetwork() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      check("unshare(CLONE_NEWNET)", (int) UNSHARE.invokeExact(state, CLONE_NEWNET), state);
    } catch (Throwable failure) {
      throw rethrown(failure);
    }
  }

  /** Moves the calling thread into a network namespace, by its file; setns(2). Needs root. */
  static void enterNetwork(String file) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      int descriptor = (int) OPEN.invokeExact(state, arena.allocateFrom(file), O_RDONLY);
      check("open " + file, descriptor, state);
      try {
        check("setns", (int) SETNS.invokeExact(state, descriptor, CLONE_NEWNET), state);
      } finally {
        int ignored = (int) CLOSE.invokeExact(state, descriptor);
      }
    } catch (Throwable failure) {
      throw rethrown(failure);
    }
  }

  /** The kernel's number for the calling thread; gettid(2). */
  static int threadId() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      int id = (int) GETTID.invokeExact(state);
      check("gettid", id, state);
      return id;
    } catch (Throwable failure) {
      throw rethrown(failure);
    }
  }

  /** Sends a signal; kill(2). */
  static void kill(long pid, int signal) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      check("kill", (int) KILL.invokeExact(state, (int) pid, signal), state);
    } catch (Throwable failure) {
      throw rethrown(failure);
    }
  }

  /** Lets the process be killed when the thread that has started it ends; prctl(2). */
  static void dieWithParent() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment state = arena.allocate(STATE);
      check("prctl", (int) PRCTL.invokeExact(state, PR_SET_PDEATHSIG, (long) SIGKILL), state);
    } catch (Throwable failure) {
      throw rethrown(failure);
    }
  }

  private static void check(String call, int result, MemorySegment state) throws Throwable {
    if (result < 0) {
      int errno = (int) ERRNO.get(state, 0L);
      MemorySegment text = (MemorySegment) STRERROR.invokeExact(errno);
      throw new IOException(call + ": " + text.getString(0));
    }
  }

  /** What a method handle throws, as what it can be here. */
  private static IOException rethrown(Throwable failure) {
    return switch (failure) {
      case IOException expected -> expected;
      case RuntimeException unexpected -> throw unexpected;
      case Error error -> throw error;
      default -> throw new AssertionError(failure);
    };
  }

  private static MethodHandle affinityCall(String name) {
    return call(
        name,
        FunctionDescriptor.of(
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_INT,
            ValueLayout.JAVA_LONG,
            ValueLayout.ADDRESS));
  }

  private static MethodHandle call(String name, FunctionDescriptor type) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().find(name).orElseThrow(),
        type,
        Linker.Option.captureCallState("errno"));
  }

  /** Whose arguments from one on are variadic. */
  private static MethodHandle variadic(String name, FunctionDescriptor type, int from) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().find(name).orElseThrow(),
        type,
        Linker.Option.captureCallState("errno"),
        Linker.Option.firstVariadicArg(from));
  }

  private static MethodHandle strerror() {
    Linker linker = Linker.nativeLinker();
    AddressLayout text =
        ValueLayout.ADDRESS.withTargetLayout(
            MemoryLayout.sequenceLayout(Long.MAX_VALUE, ValueLayout.JAVA_BYTE));
    return linker.downcallHandle(
        linker.defaultLookup().find("strerror").orElseThrow(),
        FunctionDescriptor.of(text, ValueLayout.JAVA_INT));
  }
}
