package org.rddp.ipc.ring;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;

/**
 * The header of all shared memory: magic, layout version and length.
 *
 * <pre>
 *  0  magic, 8 letters
 *  8  layout version (4), written last, so that no reader sees an incomplete layout
 * 12  first parameter (4), defined by the layout
 * 16  length in octets (8)
 * 24  second parameter (4)
 * 28  zero (4)
 * </pre>
 *
 * All numbers in shared memory are in the machine's byte order.
 */
final class SharedMemoryHeader {
  /** Size of the header, a cache line. */
  static final int OCTETS = 64;

  private static final int VERSION = 8;
  private static final int FIRST = 12;
  private static final int LENGTH = 16;
  private static final int SECOND = 24;
  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

  private SharedMemoryHeader() {}

  /** Writes the header into new memory, after everything else has been written. */
  static void write(MemorySegment memory, String magic, int version, int first, int second) {
    MemorySegment.copy(
        magic.getBytes(StandardCharsets.US_ASCII), 0, memory, ValueLayout.JAVA_BYTE, 0, 8);
    memory.set(ValueLayout.JAVA_INT, FIRST, first);
    memory.set(ValueLayout.JAVA_LONG, LENGTH, memory.byteSize());
    memory.set(ValueLayout.JAVA_INT, SECOND, second);
    INT.setRelease(memory, (long) VERSION, version);
  }

  /**
   * Checks the header of another process's memory.
   *
   * @throws IOException if magic, version or length differ
   */
  static void check(MemorySegment memory, String magic, int version) throws IOException {
    if (memory.byteSize() < OCTETS) {
      throw new IOException(
          "shared memory of " + memory.byteSize() + " octets is too small for a header");
    }
    int found = (int) INT.getAcquire(memory, (long) VERSION);
    byte[] letters = new byte[8];
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, 0, letters, 0, 8);
    String name = new String(letters, StandardCharsets.US_ASCII);
    if (!name.equals(magic)) {
      throw new IOException("shared memory is not " + magic + ": its magic differs");
    }
    if (found != version) {
      throw new IOException(
          magic
              + " has layout version "
              + found
              + ", this program supports version "
              + version
              + ": use the same release of rddp at both ends");
    }
    long length = memory.get(ValueLayout.JAVA_LONG, LENGTH);
    if (length != memory.byteSize()) {
      throw new IOException(
          magic
              + " has the length "
              + length
              + " in its header, its memory has "
              + memory.byteSize());
    }
  }

  static int firstParameter(MemorySegment memory) {
    return memory.get(ValueLayout.JAVA_INT, FIRST);
  }

  static int secondParameter(MemorySegment memory) {
    return memory.get(ValueLayout.JAVA_INT, SECOND);
  }
}
