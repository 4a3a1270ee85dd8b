package org.rddp.crc;

import java.util.function.LongSupplier;
import org.rddp.wire.Memory;

/**
 * CRC32c over memory addresses (RFC 5044 section 4.4: polynomial, initial value and final
 * complement of the iSCSI digest).
 *
 * <p>Every CRC is the final value, as it is compared and sent: the CRC of no octets is 0, and
 * passing a CRC in again continues it. On the wire the low octet comes first.
 *
 * <p>Not thread-safe: use one instance per thread. No method allocates.
 */
public interface Crc32c {
  /**
   * Continues a CRC.
   *
   * @param crc the CRC of everything before; 0 at the start
   * @param address of the next octets
   * @param length their number, 0 or more
   * @return the CRC of everything before and these octets
   */
  int update(int crc, long address, long length);

  /**
   * Copies octets and continues a CRC over them.
   *
   * <p>The CRC is that of the octets at {@code to}, even if another thread writes to the source
   * meanwhile.
   *
   * @param crc the CRC of everything before; 0 at the start
   * @param from address of the next octets
   * @param to address to copy them to; the two ranges must not overlap
   * @param length their number, 0 or more
   * @return the CRC of everything before and these octets
   */
  default int copy(int crc, long from, long to, long length) {
    Memory.copy(from, to, length);
    return update(crc, to, length);
  }

  /**
   * Whether {@link #copy} is faster for {@code length} octets than a copy followed by {@link
   * #update}.
   */
  default boolean copiesInOnePass(long length) {
    return false;
  }

  /**
   * Chooses the implementation; call this when a process starts, and run the returned task once on
   * its own thread: it waits until the vector implementation is compiled and measures from which
   * length it is faster. Until it ends, all instances use the JDK's implementation. It takes some
   * seconds, at most a minute.
   *
   * @param clock time in ns
   * @param pause yields the core for a moment
   * @throws IllegalArgumentException if a system property has an invalid value
   * @throws IllegalStateException if the requested implementation is not available
   */
  static Runnable trial(LongSupplier clock, Runnable pause) {
    return Crc32cChoice.ofSystem().trial(clock, pause);
  }

  /** Describes the implementation in use and its thresholds. */
  static String chosen() {
    return Crc32cChoice.ofSystem().toString();
  }

  /**
   * The calling thread's instance of the fastest implementation on this machine, or of the
   * requested one (see {@link Crc32cChoice}).
   *
   * @throws IllegalArgumentException if a system property has an invalid value
   * @throws IllegalStateException if the requested implementation is not available
   */
  static Crc32c ofThread() {
    return Crc32cChoice.OF_THREAD.get();
  }

  /** Creates an instance of the implementation that {@link #ofThread} uses. */
  static Crc32c create() {
    return Crc32cChoice.ofSystem().create();
  }

  /**
   * Combines the CRCs of two consecutive parts.
   *
   * @param first the CRC of the first part
   * @param second the CRC of the second part by itself
   * @param secondLength octets in the second part, 0 or more
   * @return the CRC of the first part followed by the second
   */
  static int combine(int first, int second, long secondLength) {
    return Polynomial.shift(first, secondLength) ^ second;
  }
}
