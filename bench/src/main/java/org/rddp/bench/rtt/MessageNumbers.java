package org.rddp.bench.rtt;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.rddp.wire.Memory;

/** Numbers in memory that two threads share, written with release and read with acquire. */
final class MessageNumbers {
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
  private static final VarHandle NUMBER = ValueLayout.JAVA_LONG.varHandle();

  private static final VarHandle RUNNING = ValueLayout.JAVA_INT.varHandle();

  private MessageNumbers() {}

  static void release(long address, long number) {
    NUMBER.setRelease(ALL, address, number);
  }

  static long acquire(long address) {
    return (long) NUMBER.getAcquire(ALL, address);
  }

  /** Stops the thread that polls a word: sets the word to 0. */
  static void stop(MemorySegment word) {
    RUNNING.setRelease(word, 0L, 0);
  }

  static void fill(long address, int octets, long number) {
    Memory.putLongNative(address, number);
    Memory.putLongNative(address + octets - Long.BYTES, number);
  }

  static boolean has(long address, int octets, long number) {
    return acquire(address + octets - Long.BYTES) == number && acquire(address) == number;
  }
}
