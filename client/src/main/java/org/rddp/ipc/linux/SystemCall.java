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
 * <p>Not for the hot path: a call allocates. {@link Thread#interrupt()} does not wake a thread that
 * is blocked in a call.
 */
public final class SystemCall {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final VarHandle ERRNO =
      Linker.Option.captureStateLayout().varHandle(MemoryLayout.PathElement.groupElement("errno"));
  private static final ThreadLocal<MemorySegment> STATE =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(Linker.Option.captureStateLayout()));

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
    List<MemoryLayout> arguments = new ArrayList<>();
    List<Linker.Option> options = new ArrayList<>();
    options.add(Linker.Option.captureCallState("errno"));
    for (int i = 2; i < signature.length(); i++) {
      if (signature.charAt(i) == '.') {
        options.add(Linker.Option.firstVariadicArg(arguments.size()));
      } else {
        arguments.add(layout(signature.charAt(i)));
      }
    }
    FunctionDescriptor descriptor =
        FunctionDescriptor.of(layout(signature.charAt(0)), arguments.toArray(new MemoryLayout[0]));
    MethodHandle exact =
        LINKER.downcallHandle(
            LINKER.defaultLookup().find(name).orElseThrow(),
            descriptor,
            options.toArray(new Linker.Option[0]));
    MethodType longs =
        MethodType.genericMethodType(arguments.size() + 1)
            .changeParameterType(0, MemorySegment.class)
            .changeReturnType(long.class);
    for (int i = 1; i <= arguments.size(); i++) {
      longs = longs.changeParameterType(i, long.class);
    }
    MethodHandle spread =
        MethodHandles.explicitCastArguments(exact, longs)
            .asSpreader(1, long[].class, arguments.size());
    return new SystemCall(name, spread);
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
    return result == -1 ? -(int) ERRNO.get(state, 0L) : result;
  }
}
