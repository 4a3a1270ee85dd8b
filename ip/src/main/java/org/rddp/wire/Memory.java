package org.rddp.wire;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.agrona.UnsafeApi;

/**
 * Access to native memory by address.
 *
 * <p>The engine addresses packet buffers and program memory that DPDK or the daemon has mapped. No
 * method checks bounds: the caller must have checked addresses and lengths from other sources.
 * Multi-octet accessors without a suffix use network byte order (big endian); {@code Native} marks
 * the machine's own. Addresses need not be aligned.
 *
 * <p>The accessors use the JDK's {@code Unsafe} through Agrona: each access of a {@link
 * MemorySegment} calls a dozen methods, and HotSpot stops inlining methods that contain many.
 *
 * <p>Accesses are neither atomic nor ordered unless stated.
 */
public final class Memory {
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
  private static final boolean LITTLE_ENDIAN = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
  private static final VarHandle ALIGNED = ValueLayout.JAVA_LONG.varHandle();

  private Memory() {}

  private static short network(short value) {
    return LITTLE_ENDIAN ? Short.reverseBytes(value) : value;
  }

  private static int network(int value) {
    return LITTLE_ENDIAN ? Integer.reverseBytes(value) : value;
  }

  private static long network(long value) {
    return LITTLE_ENDIAN ? Long.reverseBytes(value) : value;
  }

  /** The octet at {@code address}, 0 to 255. */
  public static int getByte(long address) {
    return UnsafeApi.getByte(address) & 0xff;
  }

  /** Writes the low eight bits of {@code value}. */
  public static void putByte(long address, int value) {
    UnsafeApi.putByte(address, (byte) value);
  }

  /** The 16-bit number at {@code address}, 0 to 65535. */
  public static int getShort(long address) {
    return network(UnsafeApi.getShort(address)) & 0xffff;
  }

  /** Writes the low 16 bits of {@code value}. */
  public static void putShort(long address, int value) {
    UnsafeApi.putShort(address, network((short) value));
  }

  /** The 32-bit number at {@code address}. */
  public static int getInt(long address) {
    return network(UnsafeApi.getInt(address));
  }

  /** Writes a 32-bit number. */
  public static void putInt(long address, int value) {
    UnsafeApi.putInt(address, network(value));
  }

  /** The 64-bit number at {@code address}. */
  public static long getLong(long address) {
    return network(UnsafeApi.getLong(address));
  }

  /** Writes a 64-bit number. */
  public static void putLong(long address, long value) {
    UnsafeApi.putLong(address, network(value));
  }

  /** The 16-bit number at {@code address} in the machine's order, 0 to 65535. */
  public static int getShortNative(long address) {
    return UnsafeApi.getShort(address) & 0xffff;
  }

  /** Writes the low 16 bits of {@code value} in the machine's order. */
  public static void putShortNative(long address, int value) {
    UnsafeApi.putShort(address, (short) value);
  }

  /**
   * The 16-bit number at {@code address}, a multiple of 2, in the machine's order: later accesses
   * of this thread come after what another thread did before it wrote that.
   */
  public static int getShortAcquireNative(long address) {
    return UnsafeApi.getShortAcquire(null, address) & 0xffff;
  }

  /**
   * Adds to the 16-bit number at {@code address}, a multiple of 2, in the machine's order;
   * atomically for all threads.
   *
   * @return the number before
   */
  public static int getAndAddShortNative(long address, int addend) {
    return UnsafeApi.getAndAddShort(null, address, (short) addend) & 0xffff;
  }

  /** The 32-bit number at {@code address} in the machine's order. */
  public static int getIntNative(long address) {
    return UnsafeApi.getInt(address);
  }

  /**
   * The 32-bit number at {@code address}, a multiple of 4, in the machine's order: later accesses
   * of this thread come after what another one, or the kernel, did before it wrote that.
   */
  public static int getIntAcquireNative(long address) {
    return UnsafeApi.getIntAcquire(null, address);
  }

  /**
   * Writes the 32-bit number at {@code address}, a multiple of 4, in the machine's order, after all
   * earlier accesses of this thread.
   */
  public static void putIntReleaseNative(long address, int value) {
    UnsafeApi.putIntRelease(null, address, value);
  }

  /** Writes a 32-bit number in the machine's order. */
  public static void putIntNative(long address, int value) {
    UnsafeApi.putInt(address, value);
  }

  /** The 64-bit number at {@code address} in the machine's order. */
  public static long getLongNative(long address) {
    return UnsafeApi.getLong(address);
  }

  /** Writes a 64-bit number in the machine's order. */
  public static void putLongNative(long address, long value) {
    UnsafeApi.putLong(address, value);
  }

  /**
   * The 64-bit number at {@code address}, a multiple of 8, in the machine's order, by a volatile
   * read.
   */
  public static long getLongVolatileNative(long address) {
    return (long) ALIGNED.getVolatile(ALL, address);
  }

  /**
   * Replaces the 64-bit number at {@code address}, a multiple of 8, in the machine's order, if it
   * has the expected value; atomically for all threads and processes.
   */
  public static boolean compareAndSetLongNative(long address, long expected, long value) {
    return ALIGNED.compareAndSet(ALL, address, expected, value);
  }

  /** Copies {@code octets} octets; the two ranges may overlap. */
  public static void copy(long from, long to, long octets) {
    UnsafeApi.copyMemory(from, to, octets);
  }

  /** Copies from a byte array into native memory. */
  public static void copy(byte[] from, int offset, long to, int octets) {
    MemorySegment.copy(from, offset, ALL, ValueLayout.JAVA_BYTE, to, octets);
  }

  /** Copies from native memory into a byte array. */
  public static void copy(long from, byte[] to, int offset, int octets) {
    MemorySegment.copy(ALL, ValueLayout.JAVA_BYTE, from, to, offset, octets);
  }

  /** Sets {@code octets} octets to {@code value}. */
  public static void fill(long address, long octets, int value) {
    ALL.asSlice(address, octets).fill((byte) value);
  }

  /** Copies octets into a new array; allocates, so only for control paths and tests. */
  public static byte[] bytes(long address, int octets) {
    byte[] copy = new byte[octets];
    copy(address, copy, 0, octets);
    return copy;
  }

  /**
   * Allocates zeroed memory, aligned to a cache line, that is never freed.
   *
   * @param octets size, greater than 0
   * @return its address
   */
  public static long allocate(long octets) {
    return Arena.global().allocate(octets, 64).address();
  }
}
