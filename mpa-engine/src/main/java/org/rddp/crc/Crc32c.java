package org.rddp.crc;

import java.util.function.LongSupplier;
import org.rddp.wire.Memory;

/**
 * CRC32c over memory addresses (RFC 5044 section 4.4: the iSCSI digest's polynomial, start value
 * and complement).
 *
 * <p>A CRC here is always the finished value, as it is compared and sent: that of no octets is 0,
 * and the CRC of what came before is continued by passing it in again. On the wire it goes low
 * octet first.
 *
 * <p>An instance belongs to one thread. No method allocates.
 */
public interface Crc32c {
  /**
   * Continues a CRC.
   *
   * @param crc that of everything before; 0 at the start
   * @param address of the octets that follow
   * @param length how many, 0 or more
   * @return the CRC of everything before and these octets
   */
  int update(int crc, long address, long length);

  /**
   * Copies octets and continues a CRC over them.
   *
   * <p>The CRC is that of the octets at {@code to}, even when somebody writes to the source
   * meanwhile.
   *
   * @param crc that of everything before; 0 at the start
   * @param from address of the octets that follow
   * @param to where they go; the two ranges must not overlap
   * @param length how many, 0 or more
   * @return the CRC of everything before and these octets
   */
  default int copy(int crc, long from, long to, long length) {
    Memory.copy(from, to, length);
    return update(crc, to, length);
  }

  /** Whether {@link #copy} of so many octets is quicker than a copy and then a CRC over it all. */
  default boolean copiesInOnePass(long length) {
    return false;
  }

  /**
   * Chooses the implementation, to be called when a process starts, and gives what is to be run
   * once on a thread of its own: until that has seen to it that the quickest implementation is
   * compiled, and quicker indeed, all instances work as the JDK does. It takes some seconds, and a
   * minute at the most.
   *
   * @param clock time in ns
   * @param pause leaves the core to others for a moment
   * @throws IllegalArgumentException when what was asked for makes no sense
   * @throws IllegalStateException when what was asked for is not to be had here
   */
  static Runnable trial(LongSupplier clock, Runnable pause) {
    return Crc32cChoice.ofSystem().trial(clock, pause);
  }

  /** What is used from which lengths, in words. */
  static String chosen() {
    return Crc32cChoice.ofSystem().toString();
  }

  /**
   * The calling thread's instance of the quickest implementation on this machine, or of the one
   * that was asked for (see {@link Crc32cChoice}).
   *
   * @throws IllegalArgumentException when what was asked for makes no sense
   * @throws IllegalStateException when what was asked for is not to be had here
   */
  static Crc32c ofThread() {
    return Crc32cChoice.OF_THREAD.get();
  }

  /** A new instance of the same. */
  static Crc32c create() {
    return Crc32cChoice.ofSystem().create();
  }

  /**
   * Joins the CRCs of two parts.
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
