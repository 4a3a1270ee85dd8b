package org.rddp.ipc.ring;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.SharedMemory;
import org.rddp.ipc.linux.SystemCallException;

/**
 * A ring of captured frames from the daemon to a program. If the program is too slow, frames are
 * dropped and counted; the daemon never waits.
 *
 * <p>The header is followed, two cache lines apart, by the number of octets written (by the
 * daemon), octets read (by the program) and frames lost (by the daemon). The ring begins at 512;
 * its size is a power of two. A record, aligned to 8, holds one frame: time in nanoseconds since
 * 1970 (8), octets kept (4), original length (4), the octets kept. A record may wrap around the
 * ring's end.
 *
 * <p>The daemon reads back only the read position, and accepts it only within the octets that it
 * has written. One thread at each end. The daemon's end allocates nothing per frame.
 */
public final class CaptureRing implements AutoCloseable {
  /** Receives the frames read from the ring. */
  @FunctionalInterface
  public interface FrameConsumer {
    /**
     * Handles a frame.
     *
     * @param timeNanos since 1970
     * @param originalLength length on the link in octets
     * @param octets the octets kept, valid during this call only
     */
    void accept(long timeNanos, int originalLength, MemorySegment octets) throws IOException;
  }

  /**
   * How far the daemon's end has come.
   *
   * @param written octets written, a multiple of 8
   * @param read octets that the program has read, as far as the daemon has looked
   * @param lost frames that have found no room
   */
  public record Positions(long written, long read, long lost) {}

  private static final String MAGIC = "RDDPCAPT";
  private static final int VERSION = 1;
  private static final int WRITTEN = 128;
  private static final int READ = 256;
  private static final int LOST = 384;
  private static final int RING = 512;
  private static final int RECORD_HEADER = 16;
  private static final int MIN_OCTETS = 1 << 12;
  private static final int MAX_OCTETS = 1 << 30;
  private static final int MAX_SNAP_LENGTH = 65_535;
  private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private final SharedMemory shared;
  private final Arena arena;
  private final MemorySegment memory;
  private final long octets;
  private final int snapLength;
  private final MemorySegment frame;
  private long position;
  private long read;
  private long lost;

  private CaptureRing(SharedMemory shared, int snapLength) {
    this.shared = shared;
    this.arena = Arena.ofShared();
    this.memory = shared.segment(arena);
    this.octets = memory.byteSize() - RING;
    this.snapLength = snapLength;
    this.frame = arena.allocate(MAX_SNAP_LENGTH);
  }

  /**
   * Creates a ring; the daemon's end.
   *
   * @param octets size, a power of two from 4 KiB to 1 GiB
   * @param snapLength octets kept of each frame, 1 to 65535
   */
  public static CaptureRing create(int octets, int snapLength) throws SystemCallException {
    if (!isValid(octets, snapLength)) {
      throw new IllegalArgumentException(
          "capture ring of " + octets + " octets, snap length " + snapLength);
    }
    SharedMemory shared = SharedMemory.createImmutable("rddp-capture", RING + (long) octets);
    try {
      shared.populate(0, RING);
    } catch (SystemCallException e) {
      shared.close();
      throw e;
    }
    SharedMemoryHeader.write(shared.segment(), MAGIC, VERSION, octets, snapLength);
    return new CaptureRing(shared, snapLength);
  }

  /**
   * Opens a ring that another daemon has made, and goes on where that has stopped; the daemon's
   * end. What the memory says of itself does not matter: the program may have written it.
   *
   * @param shared closed by the ring, or if this throws
   * @param octets size of the ring
   * @param snapLength octets kept of each frame
   * @throws IllegalArgumentException if no such ring has this memory and these positions
   */
  public static CaptureRing inherit(
      SharedMemory shared, int octets, int snapLength, Positions from) {
    long unread = from.written - from.read;
    if (!isValid(octets, snapLength)
        || shared.length() != RING + (long) octets
        || from.read < 0
        || unread < 0
        || unread > octets
        || from.written % Long.BYTES != 0) {
      shared.close();
      throw new IllegalArgumentException("no such capture ring: " + from);
    }
    CaptureRing ring = new CaptureRing(shared, snapLength);
    ring.position = from.written;
    ring.read = from.read;
    ring.lost = from.lost;
    return ring;
  }

  /** The positions of the daemon's end, between two frames. */
  public Positions positions() {
    return new Positions(position, read, lost);
  }

  /** Whether the size and snap length that a program asks for are valid. */
  public static boolean isValid(int octets, int snapLength) {
    return octets >= MIN_OCTETS
        && octets <= MAX_OCTETS
        && Integer.bitCount(octets) == 1
        && snapLength >= 1
        && snapLength <= MAX_SNAP_LENGTH;
  }

  /**
   * Opens a ring; the program's end.
   *
   * @param descriptor closed by the ring
   */
  public static CaptureRing open(Descriptor descriptor) throws IOException {
    SharedMemory shared = SharedMemory.map(descriptor);
    try {
      SharedMemoryHeader.check(shared.segment(), MAGIC, VERSION);
      int octets = SharedMemoryHeader.firstParameter(shared.segment());
      int snapLength = SharedMemoryHeader.secondParameter(shared.segment());
      if (!isValid(octets, snapLength) || RING + (long) octets != shared.length()) {
        throw new IOException("capture ring of " + octets + " octets does not fit its memory");
      }
      return new CaptureRing(shared, snapLength);
    } catch (IOException e) {
      shared.close();
      throw e;
    }
  }

  /** The memory's descriptor, to be sent to the program. */
  public Descriptor descriptor() {
    return shared.descriptor();
  }

  /** The ring's memory. The ring closes it. */
  public SharedMemory memory() {
    return shared;
  }

  /**
   * Writes a frame, or counts it as lost; the daemon's end.
   *
   * @param timeNanos since 1970
   * @param address address of the frame
   * @param length length of the frame in octets
   */
  public void offer(long timeNanos, long address, int length) {
    int kept = Math.min(length, snapLength);
    long record = (RECORD_HEADER + kept + 7L) & ~7L;
    if (position + record - read > octets) {
      long claimed = (long) LONG.getAcquire(memory, (long) READ);
      read = claimed >= read && claimed <= position ? claimed : read;
      if (position + record - read > octets) {
        LONG.setOpaque(memory, (long) LOST, ++lost);
        return;
      }
    }
    put(position, timeNanos);
    put(position + 8, (kept & 0xffff_ffffL) | (long) length << 32);
    long at = at(position + RECORD_HEADER);
    long first = Math.min(kept, octets - (at - RING));
    MemorySegment.copy(ALL, address, memory, at, first);
    MemorySegment.copy(ALL, address + first, memory, RING, kept - first);
    position += record;
    LONG.setRelease(memory, (long) WRITTEN, position);
  }

  /**
   * Passes frames to the consumer; the program's end.
   *
   * @param max largest number of frames
   * @return number of frames passed
   * @throws IOException if the consumer throws, or the ring's contents are malformed
   */
  public int poll(FrameConsumer consumer, int max) throws IOException {
    long written = (long) LONG.getAcquire(memory, (long) WRITTEN);
    int count = 0;
    while (count < max && position < written) {
      long lengths = get(position + 8);
      int kept = (int) lengths;
      if (kept < 0 || kept > snapLength || position + RECORD_HEADER + kept > written) {
        throw new IOException("the capture ring holds garbage");
      }
      long at = at(position + RECORD_HEADER);
      long first = Math.min(kept, octets - (at - RING));
      MemorySegment.copy(memory, at, frame, 0, first);
      MemorySegment.copy(memory, RING, frame, first, kept - first);
      consumer.accept(get(position), (int) (lengths >>> 32), frame.asSlice(0, kept));
      position += (RECORD_HEADER + kept + 7L) & ~7L;
      count++;
    }
    LONG.setRelease(memory, (long) READ, position);
    return count;
  }

  /** Number of frames dropped because the ring was full. */
  public long lost() {
    return (long) LONG.getOpaque(memory, (long) LOST);
  }

  private void put(long at, long value) {
    memory.set(ValueLayout.JAVA_LONG, at(at), value);
  }

  private long get(long at) {
    return memory.get(ValueLayout.JAVA_LONG, at(at));
  }

  private long at(long position) {
    return RING + (position & (octets - 1));
  }

  /** Unmaps the ring. A later call throws. */
  @Override
  public synchronized void close() {
    if (arena.scope().isAlive()) {
      arena.close();
      shared.close();
    }
  }
}
