package org.rddp.dpdk;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.rddp.dpdk.generated.Dpdk;

/**
 * A pool of packet buffers of one size.
 *
 * <p>A buffer is named by its address; {@link MbufLayout} says what is where. Allocating and
 * freeing are safe from any thread, and fast from a thread that has been {@linkplain
 * Eal#registerThread() registered}: it keeps a cache of its own.
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
   * @param buffers how many, at least 1; a power of two less one uses memory best
   * @param cache buffers that each registered thread keeps to itself, 0 to 512 and at most two
   *     thirds of {@code buffers}; they count as available, but other threads cannot have them
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

  /** Buffers in all, allocated or not. */
  public int buffers() {
    return buffers;
  }

  /** Octets of a buffer, headroom included. */
  public int dataRoom() {
    return dataRoom;
  }

  /** Buffers that are not allocated, other threads' caches included. Slow: for checks and tools. */
  public int available() {
    return Dpdk.rddp_mempool_available(MemorySegment.ofAddress(address));
  }

  /**
   * Allocates buffers, each with one reference, no data, and {@link MbufLayout#HEADROOM} octets in
   * front of it: all of them or none.
   *
   * @param array address of {@code count} 64-bit words, into which the buffers' addresses go
   * @param count how many, at least 0
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
   * Gives back one reference of each buffer, and of those chained to it; a buffer without
   * references goes back to its pool. The buffers may be of any pools.
   *
   * @param array address of {@code count} 64-bit words that hold the buffers' addresses
   * @param count how many, at least 0
   */
  public static void free(long array, int count) {
    Native.freeBulk(array, count);
  }

  /** Gives back one reference of a buffer, and of those chained to it. */
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
