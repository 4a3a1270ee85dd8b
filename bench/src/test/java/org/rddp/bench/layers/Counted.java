package org.rddp.bench.layers;

import java.lang.StackWalker.StackFrame;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.TreeMap;
import org.agrona.UnsafeApi;

/**
 * Replaces the JDK's copies and native calls, and counts them by our calling method. {@link Census}
 * puts it in their place. For one thread.
 */
public final class Counted {
  private static final String OURS = "org.rddp.";

  /** Its callers are counted as the ones that copy. */
  private static final String MEMORY = "org.rddp.wire.Memory";

  private static final Map<String, Count> COPIES = new TreeMap<>();
  private static final Map<String, Count> CALLS = new TreeMap<>();
  private static boolean on;

  /** Number of calls, and octets in all. */
  static final class Count {
    private long times;
    private long octets;

    /** Number of calls. */
    long times() {
      return times;
    }

    /** Octets in all. */
    long octets() {
      return octets;
    }

    private void add(long more) {
      times++;
      octets += more;
    }
  }

  private Counted() {}

  /** Starts to count, from 0. */
  static void begin() {
    COPIES.clear();
    CALLS.clear();
    on = true;
  }

  /** Stops counting. */
  static void end() {
    on = false;
  }

  /** Copies since it has begun, by {@code Class.method}. */
  static Map<String, Count> copies() {
    return COPIES;
  }

  /** Native calls since it has begun, by {@code Class.method}. */
  static Map<String, Count> calls() {
    return CALLS;
  }

  private static void add(Map<String, Count> counts, long octets) {
    if (on) {
      on = false;
      counts.computeIfAbsent(caller(), name -> new Count()).add(octets);
      on = true;
    }
  }

  private static String caller() {
    StackFrame frame =
        StackWalker.getInstance()
            .walk(frames ->
                frames
                    .filter(each -> each.getClassName().startsWith(OURS))
                    .filter(each -> !each.getClassName().equals(MEMORY))
                    .filter(each -> !each.getClassName().equals(Counted.class.getName()))
                    .findFirst())
            .orElseThrow();
    String name = frame.getClassName();
    return name.substring(name.lastIndexOf('.') + 1) + "." + frame.getMethodName();
  }

  /** For {@link MemorySegment#copy(MemorySegment, long, MemorySegment, long, long)}. */
  public static void copy(MemorySegment from, long at, MemorySegment to, long where, long octets) {
    add(COPIES, octets);
    MemorySegment.copy(from, at, to, where, octets);
  }

  /** For the copy out of an array. */
  public static void copy(
      Object from, int index, MemorySegment to, ValueLayout layout, long where, int elements) {
    add(COPIES, elements * layout.byteSize());
    MemorySegment.copy(from, index, to, layout, where, elements);
  }

  /** For the copy into an array. */
  public static void copy(
      MemorySegment from, ValueLayout layout, long at, Object to, int index, int elements) {
    add(COPIES, elements * layout.byteSize());
    MemorySegment.copy(from, layout, at, to, index, elements);
  }

  /** For {@link MemorySegment#copyFrom}. */
  public static MemorySegment copyFrom(MemorySegment to, MemorySegment from) {
    add(COPIES, from.byteSize());
    return to.copyFrom(from);
  }

  /** For {@link UnsafeApi#copyMemory(long, long, long)}. */
  public static void copyMemory(long from, long to, long octets) {
    add(COPIES, octets);
    UnsafeApi.copyMemory(from, to, octets);
  }

  /** For {@link UnsafeApi#copyMemory(Object, long, Object, long, long)}. */
  public static void copyMemory(Object from, long at, Object to, long where, long octets) {
    add(COPIES, octets);
    UnsafeApi.copyMemory(from, at, to, where, octets);
  }

  /**
   * For {@link Linker#downcallHandle(MemorySegment, FunctionDescriptor,
   * Linker.NegotiatedOption...)}.
   */
  public static MethodHandle downcallHandle(
      Linker linker,
      MemorySegment address,
      FunctionDescriptor descriptor,
      Linker.Option... options) {
    return counted(linker.downcallHandle(address, descriptor, options));
  }

  /** For {@link Linker#downcallHandle(FunctionDescriptor, Linker.NegotiatedOption...)}. */
  public static MethodHandle downcallHandle(
      Linker linker, FunctionDescriptor descriptor, Linker.Option... options) {
    return counted(linker.downcallHandle(descriptor, options));
  }

  private static MethodHandle counted(MethodHandle call) {
    try {
      MethodHandle counter =
          MethodHandles.lookup()
              .findStatic(Counted.class, "called", MethodType.methodType(void.class));
      return MethodHandles.foldArguments(call, counter);
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  /** Called before each native call. */
  static void called() {
    add(CALLS, 0);
  }
}
