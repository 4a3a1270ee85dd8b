package org.rddp.dpdk;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.rddp.dpdk.generated.Dpdk;

/**
 * A pool of packet buffers of one size.
 *
 * <p>A buffer is identified by its address and has the layout of {@link MbufLayout}. Allocation and
 * release are thread-safe, and fast on a {@linkplain Eal#registerThread() registered} thread, which
 * has its own cache.
 */
public final class Mempool implements AutoCloseable {
  private final String name;
  private final long address;
  private final int buffers;
  private final int dataRoom;
  private boolean closed;

  private Mempool(String name, long address, int buffers, int dataRoom) {
    this.name = name;
    this.address = address;
    this.buffers = buffers;
    this.dataRoom = dataRoom;
  }

  /**
   * Creates a pool.
   *
   * @param name unique in the process, at most 25 characters
   * @param buffers number of buffers, at least 1; a power of two minus one uses memory best
   * @param cache the most buffers in each registered thread's cache, 0 to 512 and at most two
   *     thirds of {@code buffers}; they count as available, but other threads cannot allocate them
   * @param dataRoom octets of a buffer, {@link MbufLayout#HEADROOM} included, at most 65535
   * @param socket NUMA node, or -1 for any
   * @throws DpdkException if there is not enough memory, or an argument is out of range
   */
  public static Mempool create(String name, int buffers, int cache, int dataRoom, int socket) {
    Eal.requireInitialised();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment pool = arena.allocate(ValueLayout.ADDRESS);
      int result =
          Dpdk.rddp_mempool_create(
              arena.allocateFrom(name), buffers, cache, 0, dataRoom, socket, pool);
      if (result < 0) {
        throw DpdkException.of(
            "create pool " + name + " of " + buffers + " buffers with " + dataRoom + " octets each",
            result,
            "It takes about "
                + (((long) buffers * (dataRoom + MbufLayout.SIZE)) >> 20)
                + " MiB: give DPDK more hugepages (sysctl -w vm.nr_hugepages=...) or a larger"
                + " -m, or ask for fewer buffers. The name must be new and have at most 25"
                + " characters, and the cache at most 512 buffers and two thirds of them.");
      }
      return new Mempool(name, pool.get(ValueLayout.JAVA_LONG, 0), buffers, dataRoom);
    }
  }

  /** The name. */
  public String name() {
    return name;
  }

  /** Address of the {@code rte_mempool}. */
  public long address() {
    return address;
  }

  /** Total number of buffers. */
  public int buffers() {
    return buffers;
  }

  /** Octets of a buffer, headroom included. */
  public int dataRoom() {
    return dataRoom;
  }

  /**
   * Number of free buffers, including those in other threads' caches. Slow: for checks and tools.
   */
  public int available() {
    return Dpdk.rddp_mempool_available(MemorySegment.ofAddress(address));
  }

  /**
   * Allocates all requested buffers or none, each with one reference, no data, and {@link
   * MbufLayout#HEADROOM} octets of headroom.
   *
   * @param array address of {@code count} 64-bit words that receive the buffers' addresses
   * @param count number of buffers, at least 0
   * @return whether there were enough
   */
  public boolean allocate(long array, int count) {
    return Native.allocBulk(address, array, count) == 0;
  }

  /**
   * Allocates one buffer.
   *
   * @return its address, or 0 when the pool is empty
   */
  public long allocate() {
    return Native.alloc(address);
  }

  /**
   * Releases one reference to each buffer and to those chained to it; a buffer without references
   * returns to its pool. The buffers may belong to any pools.
   *
   * @param array address of {@code count} 64-bit words that hold the buffers' addresses
   * @param count number of buffers, at least 0
   */
  public static void free(long array, int count) {
    Native.freeBulk(array, count);
  }

  /** Releases one reference to a buffer and to those chained to it. */
  public static void free(long mbuf) {
    Native.free(mbuf);
  }

  /** Frees the pool's memory. No buffer may be in use, and no port may still receive into it. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      Dpdk.rddp_mempool_free(MemorySegment.ofAddress(address));
    }
  }
}
