package org.rddp.ipc.linux;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Error numbers of Linux that somebody here acts upon (the same on x86-64 and AArch64). */
public final class Errno {
  /** Operation not permitted. */
  public static final int EPERM = 1;

  /** No such file. */
  public static final int ENOENT = 2;

  /** Interrupted by a signal. */
  public static final int EINTR = 4;

  /** Try again: the call would block. */
  public static final int EAGAIN = 11;

  /** Permission denied. */
  public static final int EACCES = 13;

  /** A part of the path is no folder. */
  public static final int ENOTDIR = 20;

  /** Invalid argument. */
  public static final int EINVAL = 22;

  /** The other end is gone. */
  public static final int EPIPE = 32;

  /** Not a socket. */
  public static final int ENOTSOCK = 88;

  /** An option that this kernel does not know. */
  public static final int ENOPROTOOPT = 92;

  /** A socket of another kind is there. */
  public static final int EPROTOTYPE = 91;

  /** Something is bound there already. */
  public static final int EADDRINUSE = 98;

  /** The other end is gone. */
  public static final int ECONNRESET = 104;

  /** A connection ended before it was accepted. */
  public static final int ECONNABORTED = 103;

  /** Nobody listens. */
  public static final int ECONNREFUSED = 111;

  private static final MethodHandle STRERROR =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().find("strerror").orElseThrow(),
              FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT));

  private Errno() {}

  /** The C library's words for a number. */
  static String text(int errno) {
    try {
      MemorySegment text = (MemorySegment) STRERROR.invokeExact(errno);
      return text.reinterpret(256).getString(0);
    } catch (Throwable unexpected) {
      throw new AssertionError("strerror", unexpected);
    }
  }
}
