package org.rddp.ipc.linux;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** The Linux error numbers that this code handles (the same on x86-64 and AArch64). */
public final class Errno {
  /** Operation not permitted. */
  public static final int EPERM = 1;

  /** No such file or directory. */
  public static final int ENOENT = 2;

  /** Interrupted by a signal. */
  public static final int EINTR = 4;

  /** Try again: the call would block. */
  public static final int EAGAIN = 11;

  /** Permission denied. */
  public static final int EACCES = 13;

  /** The device or resource is busy. */
  public static final int EBUSY = 16;

  /** A component of the path is not a directory. */
  public static final int ENOTDIR = 20;

  /** Invalid argument. */
  public static final int EINVAL = 22;

  /** Too many open files in the system. */
  public static final int ENFILE = 23;

  /** The process has as many descriptors as it may. */
  public static final int EMFILE = 24;

  /** The other end is closed. */
  public static final int EPIPE = 32;

  /** A number is out of range. */
  public static final int ERANGE = 34;

  /** The descriptor is not open, or of another kind. */
  public static final int EBADF = 9;

  /** Not a socket. */
  public static final int ENOTSOCK = 88;

  /** The socket at this path has another type. */
  public static final int EPROTOTYPE = 91;

  /** The other end breaks the protocol. */
  public static final int EPROTO = 71;

  /** The address is in use. */
  public static final int EADDRINUSE = 98;

  /** The address is not this machine's, or its port is in use towards the peer. */
  public static final int EADDRNOTAVAIL = 99;

  /** The connection was aborted before it was accepted. */
  public static final int ECONNABORTED = 103;

  /** The connection was reset. */
  public static final int ECONNRESET = 104;

  /** The system has no room for it. */
  public static final int ENOBUFS = 105;

  /** Too many descriptors of this user have been sent and not received. */
  public static final int ETOOMANYREFS = 109;

  /** The other end does not answer. */
  public static final int ETIMEDOUT = 110;

  /** The host is down, or does not speak the protocol. */
  public static final int EHOSTDOWN = 112;

  /** There is no way to the host. */
  public static final int EHOSTUNREACH = 113;

  /** It is being established. */
  public static final int EINPROGRESS = 115;

  /** No process listens at this address. */
  public static final int ECONNREFUSED = 111;

  private static final MethodHandle STRERROR =
      Linker.nativeLinker()
          .downcallHandle(
              Linker.nativeLinker().defaultLookup().find("strerror").orElseThrow(),
              FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT));

  private Errno() {}

  /** The C library's text for an error number. */
  static String text(int errno) {
    try {
      MemorySegment text = (MemorySegment) STRERROR.invokeExact(errno);
      return text.reinterpret(256).getString(0);
    } catch (Throwable unexpected) {
      throw new AssertionError("strerror", unexpected);
    }
  }
}
