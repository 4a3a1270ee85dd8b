package org.rddp.ipc.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Zeroed private memory. The kernel allocates its pages at the first access. Unlike what an {@link
 * Arena} allocates, it does not count for the JVM's MaxDirectMemorySize; once that is used up,
 * every allocation waits for the garbage collector.
 *
 * <p>Thread-safe except for {@link #close()}: after it, every access ends the JVM.
 */
public final class PrivateMemory implements AutoCloseable {
  private static final int PROT_READ = 1;
  private static final int PROT_WRITE = 2;
  private static final int MAP_PRIVATE = 2;
  private static final int MAP_ANONYMOUS = 0x20;
  private static final int MAP_NORESERVE = 0x4000;

  private static final SystemCall MMAP = SystemCall.bind("mmap", "l:lliiil");
  private static final SystemCall MUNMAP = SystemCall.bind("munmap", "i:ll");

  private final long address;
  private final long length;

  private PrivateMemory(long address, long length) {
    this.address = address;
    this.length = length;
  }

  /**
   * Maps memory.
   *
   * @param octets greater than 0
   * @throws SystemCallException if the kernel allows no further mapping
   */
  public static PrivateMemory map(long octets) throws SystemCallException {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    return new PrivateMemory(MMAP.call(0, octets, PROT_READ | PROT_WRITE, flags, -1, 0), octets);
  }

  /** The whole memory, without protection against use after {@link #close()}. */
  public MemorySegment segment() {
    return MemorySegment.ofAddress(address).reinterpret(length);
  }

  /** The whole memory, unmapped when the segment is unreachable; do not close this object then. */
  public MemorySegment collected() {
    return segment().reinterpret(Arena.ofAuto(), all -> close());
  }

  /** Unmaps the memory. Call once. */
  @Override
  public void close() {
    MUNMAP.attempt(address, length);
  }
}
