package org.rddp.ipc.ring;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;

/**
 * The header with which all shared memory begins: what it is, in which layout, how long.
 *
 * <pre>
 *  0  magic, 8 letters
 *  8  layout version (4), written last: a reader never sees half a layout
 * 12  first parameter (4): what it counts is the layout's business
 * 16  length in octets (8)
 * 24  second parameter (4)
 * 28  zero (4)
 * </pre>
 *
 * Numbers are in the machine's order, here and in everything else that is shared.
 */
final class SharedMemoryHeader {
  /** Room for the header, a cache line. */
  static final int OCTETS = 64;

  private static final int VERSION = 8;
  private static final int FIRST = 12;
  private static final int LENGTH = 16;
  private static final int SECOND = 24;
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

  private SharedMemoryHeader() {}

  /** Writes the header into fresh memory, when everything else has been written. */
  static void write(MemorySegment memory, String magic, int version, int first, int second) {
    MemorySegment.copy(
        magic.getBytes(StandardCharsets.US_ASCII), 0, memory, ValueLayout.JAVA_BYTE, 0, 8);
    memory.set(ValueLayout.JAVA_INT, FIRST, first);
    memory.set(ValueLayout.JAVA_LONG, LENGTH, memory.byteSize());
    memory.set(ValueLayout.JAVA_INT, SECOND, second);
    INT.setRelease(memory, (long) VERSION, version);
  }

  /**
   * Checks the header of memory that came from elsewhere.
   *
   * @throws IOException with what differs
   */
  static void check(MemorySegment memory, String magic, int version) throws IOException {
    if (memory.byteSize() < OCTETS) {
      throw new IOException("shared memory of " + memory.byteSize() + " octets has no header");
    }
    int found = (int) INT.getAcquire(memory, (long) VERSION);
    byte[] letters = new byte[8];
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, 0, letters, 0, 8);
    String name = new String(letters, StandardCharsets.US_ASCII);
    if (!name.equals(magic)) {
      throw new IOException("shared memory is not " + magic + ": it begins with other octets");
    }
    if (found != version) {
      throw new IOException(
          magic
              + " has layout version "
              + found
              + ", this program knows version "
              + version
              + ": use the same release of rddp at both ends");
    }
    long length = memory.get(ValueLayout.JAVA_LONG, LENGTH);
    if (length != memory.byteSize()) {
      throw new IOException(
          magic + " says " + length + " octets, its memory has " + memory.byteSize());
    }
  }

  static int firstParameter(MemorySegment memory) {
    return memory.get(ValueLayout.JAVA_INT, FIRST);
  }

  static int secondParameter(MemorySegment memory) {
    return memory.get(ValueLayout.JAVA_INT, SECOND);
  }
}
