package org.rddp.ipc.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * A function of the C library that enters the kernel, called with errno captured.
 *
 * <p>A call allocates: the hot path has handles of {@link #exact} and {@link #capturing} instead.
 * {@link Thread#interrupt()} does not wake a thread that is blocked in a call.
 */
public final class SystemCall {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final VarHandle ERRNO =
      Linker.Option.captureStateLayout().varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final ThreadLocal<MemorySegment> STATE =
      ThreadLocal.withInitial(SystemCall::newState);

  private final String name;
  private final MethodHandle handle;

  private SystemCall(String name, MethodHandle handle) {
    this.name = name;
    this.handle = handle;
  }

  /**
   * Binds a function.
   *
   * @param name the function's name in the C library
   * @param signature type of the result, a colon, types of the arguments: {@code i} is a C int,
   *     {@code l} a C long, a size or a pointer; arguments after a dot are variadic
   */
  public static SystemCall bind(String name, String signature) {
    MethodHandle exact = capturing(name, signature);
    int arguments = exact.type().parameterCount() - 1;
    MethodType longs =
        MethodType.genericMethodType(arguments + 1)
            .changeParameterType(0, MemorySegment.class)
            .changeReturnType(long.class);
    for (int i = 1; i <= arguments; i++) {
      longs = longs.changeParameterType(i, long.class);
    }
    MethodHandle spread =
        MethodHandles.explicitCastArguments(exact, longs).asSpreader(1, long[].class, arguments);
    return new SystemCall(name, spread);
  }

  /**
   * Links a function for the hot path: calls by {@code invokeExact} allocate nothing. Errno is
   * lost.
   *
   * @param signature as for {@link #bind}; a C long is a Java {@code long}, a C int an {@code int}
   */
  public static MethodHandle exact(String name, String signature) {
    return link(name, signature);
  }

  /**
   * Links a function like {@link #exact}, with errno: the first argument of each call is a segment
   * of {@link #newState}, of which {@link #errno} reads it.
   */
  public static MethodHandle capturing(String name, String signature) {
    return link(name, signature, Linker.Option.captureCallState("errno"));
  }

  /** Memory for the errno of {@link #capturing} calls. */
  public static MemorySegment newState() {
    return Arena.ofAuto().allocate(Linker.Option.captureStateLayout());
  }

  /** The errno of the last call with this memory; meaningless if it did not fail. */
  public static int errno(MemorySegment state) {
    return (int) ERRNO.get(state, 0L);
  }

  private static MethodHandle link(String name, String signature, Linker.Option... others) {
    List<MemoryLayout> arguments = new ArrayList<>();
    List<Linker.Option> options = new ArrayList<>(List.of(others));
    for (int i = 2; i < signature.length(); i++) {
      if (signature.charAt(i) == '.') {
        options.add(Linker.Option.firstVariadicArg(arguments.size()));
      } else {
        arguments.add(layout(signature.charAt(i)));
      }
    }
    return LINKER.downcallHandle(
        LINKER.defaultLookup().find(name).orElseThrow(),
        FunctionDescriptor.of(layout(signature.charAt(0)), arguments.toArray(new MemoryLayout[0])),
        options.toArray(new Linker.Option[0]));
  }

  private static ValueLayout layout(char kind) {
    return switch (kind) {
      case 'i' -> ValueLayout.JAVA_INT;
      case 'l' -> ValueLayout.JAVA_LONG;
      default -> throw new IllegalArgumentException("signature: " + kind);
    };
  }

  /**
   * Calls the function, and repeats the call if a signal interrupts it.
   *
   * @return the result, 0 or more (an address may be any number but -1)
   */
  public long call(long... arguments) throws SystemCallException {
    while (true) {
      long result = attempt(arguments);
      if (result >= 0) {
        return result;
      }
      if (result != -Errno.EINTR) {
        throw new SystemCallException(name, (int) -result);
      }
    }
  }

  /**
   * Calls the function once.
   *
   * @return the result, or the negated error number
   */
  public long attempt(long... arguments) {
    MemorySegment state = STATE.get();
    long result;
    try {
      result = (long) handle.invokeExact(state, arguments);
    } catch (Throwable unexpected) {
      throw new AssertionError(name, unexpected);
    }
    return result == -1 ? -errno(state) : result;
  }
}
