package org.rddp.daemon.capture;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.rddp.wire.Memory;

/** The reader's side of a capture: takes frames out of the shared memory. One thread at a time. */
public final class CaptureReader {
  /** Where frames go. */
  @FunctionalInterface
  public interface Sink {
    /**
     * A frame.
     *
     * @param time nanoseconds since 1970
     * @param address where it lies, only during this call
     * @param length its octets
     */
    void frame(long time, long address, int length);
  }

  private final MemorySegment memory;
  private final long records;
  private final long capacity;
  private long head;

  /**
   * A reader of a ring that the daemon has made.
   *
   * @throws IllegalArgumentException if the memory holds no such ring
   */
  public CaptureReader(MemorySegment memory) {
    if (CaptureLayout.getAcquire(memory, CaptureLayout.MAGIC_OFFSET) != CaptureLayout.MAGIC) {
      throw new IllegalArgumentException("no capture of this version in the shared memory");
    }
    this.memory = memory;
    this.capacity = memory.get(ValueLayout.JAVA_LONG, CaptureLayout.CAPACITY_OFFSET);
    if (CaptureRing.size(capacity) > memory.byteSize()) {
      throw new IllegalArgumentException("the capture's memory is too short");
    }
    this.records = memory.address() + CaptureLayout.RECORDS_OFFSET;
  }

  /**
   * Hands over frames that have come.
   *
   * @param limit how many at most
   * @return how many
   */
  public int poll(Sink sink, int limit) {
    long tail = CaptureLayout.getAcquire(memory, CaptureLayout.TAIL_OFFSET);
    int frames = 0;
    while (frames < limit && head != tail) {
      long at = head & (capacity - 1);
      int length = Memory.getIntNative(records + at + CaptureLayout.LENGTH);
      if (length == CaptureLayout.SKIP) {
        head += capacity - at;
        continue;
      }
      sink.frame(
          Memory.getLongNative(records + at + CaptureLayout.TIME),
          records + at + CaptureLayout.RECORD_HEADER,
          length);
      head += CaptureLayout.recordSize(length);
      frames++;
    }
    CaptureLayout.setRelease(memory, CaptureLayout.HEAD_OFFSET, head);
    return frames;
  }

  /** Frames that the daemon dropped because they came faster than they were read. */
  public long dropped() {
    return CaptureLayout.getAcquire(memory, CaptureLayout.DROPPED_OFFSET);
  }
}
