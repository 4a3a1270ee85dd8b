package org.rddp.crc;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.zip.CRC32C;

/**
 * Calls the private method of {@link CRC32C} that HotSpot replaces by an intrinsic. It takes any
 * address and any register value, and saves the few nanoseconds that a buffer costs.
 *
 * <p>Needs {@code --add-opens java.base/java.util.zip=ALL-UNNAMED}, which {@code bin/rddp} sets.
 */
final class IntrinsicCall {
  /**
   * Null if the package is not open or the method does not exist. Static and final, so that HotSpot
   * treats it as a constant.
   */
  private static final MethodHandle UPDATE = find();

  /** Whether the method can be called. */
  static final boolean AVAILABLE = UPDATE != null;

  /** The most octets of one call. */
  private static final int PART = 1 << 30;

  /** Octets per iteration of the intrinsic's inner loop; it handles a remainder slowly. */
  private static final int BLOCK = 256;

  /** A remainder of this many octets costs more than a second call. */
  private static final int ODD_FROM = 88;

  /** Messages shorter than this never gain from two calls. */
  private static final int SPLIT_FROM = 2 * BLOCK;

  private IntrinsicCall() {}

  private static MethodHandle find() {
    try {
      MethodType type =
          MethodType.methodType(int.class, int.class, long.class, int.class, int.class);
      return MethodHandles.privateLookupIn(CRC32C.class, MethodHandles.lookup())
          .findStatic(CRC32C.class, "updateDirectByteBuffer", type);
    } catch (ReflectiveOperationException e) {
      return null;
    }
  }

  /** Continues a CRC as {@link Crc32c#update} does. */
  static int update(int crc, long address, long length) {
    return ~(inOne(length) ? register(~crc, address, (int) length) : split(~crc, address, length));
  }

  /** Whether one call is fastest: for short messages and small remainders. */
  private static boolean inOne(long length) {
    return length < SPLIT_FROM || ((length & (BLOCK - 1)) < ODD_FROM && length <= PART);
  }

  /** Processes the remainder first, so that the second call ends on a whole block. */
  private static int split(int register, long address, long length) {
    int odd = (int) length & (BLOCK - 1);
    int now = register;
    long at = address;
    if (odd >= ODD_FROM) {
      now = register(now, at, odd);
      at += odd;
    }
    for (long end = address + length; at < end; at += PART) {
      now = register(now, at, (int) Math.min(end - at, PART));
    }
    return now;
  }

  /**
   * Updates the register, which is the CRC's complement.
   *
   * @param length at most 2^30
   */
  static int register(int register, long address, int length) {
    try {
      return (int) UPDATE.invokeExact(register, address, 0, length);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** Wraps the exception that a method handle declares; it is never thrown. */
  private static RuntimeException unexpected(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    return e instanceof RuntimeException runtime ? runtime : new IllegalStateException(e);
  }
}
