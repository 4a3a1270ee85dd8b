package org.rddp.daemon.capture;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Where things lie in the shared memory of a capture: a header, then records in a ring.
 *
 * <p>A record is four octets of captured length, four of the frame's length, eight of time
 * (nanoseconds since 1970), then the frame's octets, rounded up to eight. A captured length of
 * {@link #SKIP} says that the next record is at the ring's beginning.
 */
final class CaptureLayout {
  /** "rddpcap1", the layout's version in its last octet; written last. */
  static final long MAGIC = 0x3170_6163_7064_6472L;

  static final long MAGIC_OFFSET = 0;
  static final long CAPACITY_OFFSET = 8;
  static final long TAIL_OFFSET = 64;
  static final long HEAD_OFFSET = 128;
  static final long DROPPED_OFFSET = 192;
  static final long RECORDS_OFFSET = 256;

  static final int LENGTH = 0;
  static final int FRAME_LENGTH = 4;
  static final int TIME = 8;
  static final int RECORD_HEADER = 16;
  static final int SKIP = -1;

  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private CaptureLayout() {}

  /** Octets that a record of so many captured octets takes. */
  static long recordSize(int length) {
    return RECORD_HEADER + ((length + 7L) & ~7L);
  }

  static long getAcquire(MemorySegment memory, long offset) {
    return (long) LONG.getAcquire(memory, offset);
  }

  static void setRelease(MemorySegment memory, long offset, long value) {
    LONG.setRelease(memory, offset, value);
  }
}
