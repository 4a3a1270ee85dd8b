package org.rddp.ipc.ring;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.function.ObjLongConsumer;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SystemCallException;

/**
 * Named counters in shared memory, which any holder of the descriptor can read while the daemon
 * runs.
 *
 * <p>The header is followed by records of 128 octets, so that counters never share a cache line:
 * value (8), length of the name (4; 0: the record is free; written last), name in UTF-8 (at most
 * 112 octets).
 *
 * <p>Each counter has one writer. Adding and removing counters is synchronized. Reading takes no
 * lock; each value is read atomically.
 */
public final class Counters implements AutoCloseable {
  private static final String MAGIC = "RDDPCNTR";
  private static final int VERSION = 1;
  private static final int FIRST = 128;
  private static final int RECORD = 128;
  private static final int LENGTH = 8;

  /** Second parameter of the header: 1 if another daemon's counters go on. */
  private static final int MOVE = 24;

  private static final int NAME = 12;
  private static final int MAX_NAME = 112;

  /** Offset of a counter without a record. */
  private static final long NOWHERE = 0;

  private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private final SharedMemory shared;
  private final Arena arena;
  private final MemorySegment memory;
  private final int capacity;

  private Counters(SharedMemory shared, Arena arena, MemorySegment memory, int capacity) {
    this.shared = shared;
    this.arena = arena;
    this.memory = memory;
    this.capacity = capacity;
  }

  /**
   * Creates counters, all free, that only this process can write.
   *
   * @param capacity largest number of counters, 1 to 1,000,000
   */
  public static Counters create(int capacity) throws SystemCallException {
    if (capacity < 1 || capacity > 1_000_000) {
      throw new IllegalArgumentException("number of counters: " + capacity);
    }
    SharedMemory shared =
        SharedMemory.createForReaders("rddp-counters", FIRST + (long) RECORD * capacity);
    try {
      shared.populate(0, shared.length());
    } catch (SystemCallException e) {
      shared.close();
      throw e;
    }
    Arena arena = Arena.ofShared();
    MemorySegment memory = shared.segment(arena);
    SharedMemoryHeader.write(memory, MAGIC, VERSION, capacity, 0);
    return new Counters(shared, arena, memory, capacity);
  }

  /**
   * Opens another process's counters for reading.
   *
   * @param descriptor closed by the counters
   */
  public static Counters open(Descriptor descriptor) throws IOException {
    SharedMemory shared = SharedMemory.mapForReading(descriptor);
    Arena arena = Arena.ofShared();
    try {
      MemorySegment memory = shared.segment(arena);
      SharedMemoryHeader.check(memory, MAGIC, VERSION);
      int capacity = SharedMemoryHeader.firstParameter(memory);
      if (capacity < 1 || FIRST + (long) RECORD * capacity > memory.byteSize()) {
        throw new IOException("counters: " + capacity + " do not fit their memory");
      }
      return new Counters(shared, arena, memory, capacity);
    } catch (IOException e) {
      arena.close();
      shared.close();
      throw e;
    }
  }

  /** The memory's descriptor, to be sent to a reader. */
  public Descriptor descriptor() {
    return shared.descriptor();
  }

  /**
   * Adds a counter that starts at 0. Names should differ; this is not checked.
   *
   * @param name 1 to 112 octets of UTF-8; a longer name is truncated
   * @return the counter; if all records are in use, one that no reader sees
   */
  public synchronized Counter add(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(bytes.length, MAX_NAME);
    if (length == 0) {
      throw new IllegalArgumentException("a counter needs a name");
    }
    for (int i = 0; i < capacity; i++) {
      long record = record(i);
      if ((int) INT.get(memory, record + LENGTH) == 0) {
        LONG.setOpaque(memory, record, 0L);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, record + NAME, length);
        INT.setRelease(memory, record + LENGTH, length);
        return new Counter(this, memory, record);
      }
    }
    return new Counter(this, Arena.ofAuto().allocate(RECORD, 8), NOWHERE);
  }

  synchronized void remove(long record) {
    if (record != NOWHERE) {
      INT.setRelease(memory, record + LENGTH, 0);
    }
  }

  /** Tells readers whether counters of another process go on counting, which they should open. */
  public void move(boolean moves) {
    INT.setRelease(memory, (long) MOVE, moves ? 1 : 0);
  }

  /** Whether counters of another process go on counting, or are about to. */
  public boolean move() {
    return (int) INT.getAcquire(memory, (long) MOVE) != 0;
  }

  /** Calls the visitor with each counter's name and current value. */
  public void forEach(ObjLongConsumer<String> visitor) {
    byte[] name = new byte[MAX_NAME];
    for (int i = 0; i < capacity; i++) {
      long record = record(i);
      int length = (int) INT.getAcquire(memory, record + LENGTH);
      if (length > 0 && length <= MAX_NAME) {
        long value = (long) LONG.getOpaque(memory, record);
        MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, record + NAME, name, 0, length);
        visitor.accept(new String(name, 0, length, StandardCharsets.UTF_8), value);
      }
    }
  }

  private static long record(int index) {
    return FIRST + (long) RECORD * index;
  }

  /** Unmaps the counters. Using a counter afterwards throws. */
  @Override
  public synchronized void close() {
    if (arena.scope().isAlive()) {
      arena.close();
      shared.close();
    }
  }
}
