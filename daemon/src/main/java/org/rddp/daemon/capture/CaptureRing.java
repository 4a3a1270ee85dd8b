package org.rddp.daemon.capture;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.rddp.wire.Memory;

/**
 * The engine's side of a capture: copies frames into shared memory for one reader.
 *
 * <p>It never waits: a frame that finds no room is counted and dropped. What it must remember it
 * keeps in its own fields; of the shared memory it believes only how far the reader says it has
 * come, and that only when it makes sense. One thread writes; the reader may be any process.
 */
public final class CaptureRing {
  private final MemorySegment memory;
  private final long records;
  private final long capacity;
  private long tail;
  private long dropped;

  /**
   * A ring in memory that is all zeros.
   *
   * @param memory the header's 256 octets and then the ring: a power of two of at least 64 KiB
   */
  public CaptureRing(MemorySegment memory) {
    this.capacity = memory.byteSize() - CaptureLayout.RECORDS_OFFSET;
    if (capacity < 64 << 10 || Long.bitCount(capacity) != 1) {
      throw new IllegalArgumentException("capacity of a capture ring: " + capacity);
    }
    this.memory = memory;
    this.records = memory.address() + CaptureLayout.RECORDS_OFFSET;
    memory.set(ValueLayout.JAVA_LONG, CaptureLayout.CAPACITY_OFFSET, capacity);
    CaptureLayout.setRelease(memory, CaptureLayout.MAGIC_OFFSET, CaptureLayout.MAGIC);
  }

  /** Octets of memory for a ring of so many octets, a power of two. */
  public static long size(long capacity) {
    return CaptureLayout.RECORDS_OFFSET + capacity;
  }

  /**
   * Adds a frame, or counts it as dropped.
   *
   * @param time nanoseconds since 1970
   * @param address where the frame lies
   * @param length its octets
   */
  public void frame(long time, long address, int length) {
    long size = CaptureLayout.recordSize(length);
    long at = tail & (capacity - 1);
    long skipped = at + size > capacity ? capacity - at : 0;
    long used = tail - CaptureLayout.getAcquire(memory, CaptureLayout.HEAD_OFFSET);
    if (used < 0 || used + skipped + size > capacity) {
      dropped++;
      CaptureLayout.setRelease(memory, CaptureLayout.DROPPED_OFFSET, dropped);
      return;
    }
    if (skipped > 0) {
      Memory.putIntNative(records + at + CaptureLayout.LENGTH, CaptureLayout.SKIP);
      at = 0;
    }
    long record = records + at;
    Memory.putIntNative(record + CaptureLayout.LENGTH, length);
    Memory.putIntNative(record + CaptureLayout.FRAME_LENGTH, length);
    Memory.putLongNative(record + CaptureLayout.TIME, time);
    Memory.copy(address, record + CaptureLayout.RECORD_HEADER, length);
    tail += skipped + size;
    CaptureLayout.setRelease(memory, CaptureLayout.TAIL_OFFSET, tail);
  }

  /** Frames that found no room. */
  public long dropped() {
    return dropped;
  }
}
