package org.rddp.crc;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.zip.CRC32C;

/**
 * The method of {@link CRC32C} that HotSpot replaces by instructions, called by itself: over any
 * address, from any register, and some nanoseconds sooner than through a buffer.
 *
 * <p>It is private there, so this needs {@code --add-opens java.base/java.util.zip=ALL-UNNAMED},
 * which {@code bin/rddp} gives.
 */
final class IntrinsicCall {
  /** Constant for HotSpot; null where the package is closed or the method is gone. */
  private static final MethodHandle UPDATE = find();

  /** Whether there is such a call. */
  static final boolean AVAILABLE = UPDATE != null;

  /** The most octets of one call. */
  private static final int PART = 1 << 30;

  /** What the intrinsic's inner loop takes at once; its handling of a remainder is slow. */
  private static final int BLOCK = 256;

  /** So many octets beyond whole blocks cost more than a second call. */
  private static final int ODD_FROM = 88;

  /** Shorter ones never gain by two calls. */
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

  /** Whether one call is quickest: for short ones, and where few octets are beyond blocks. */
  private static boolean inOne(long length) {
    return length < SPLIT_FROM || ((length & (BLOCK - 1)) < ODD_FROM && length <= PART);
  }

  /** Many odd octets go first, so that the intrinsic ends on a whole block. */
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
   * What the register holds after some octets: the CRC's complement.
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

  /** A method handle may throw anything; this one has nothing to throw. */
  private static RuntimeException unexpected(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    return e instanceof RuntimeException runtime ? runtime : new IllegalStateException(e);
  }
}
