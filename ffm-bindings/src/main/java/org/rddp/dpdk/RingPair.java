package org.rddp.dpdk;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.rddp.dpdk.generated.Dpdk;

/**
 * Two Ethernet ports of one process, connected by two rings: each receives what the other
 * transmits.
 *
 * <p>Buffers are passed on, not copied: a sender that keeps a reference shares the buffer with the
 * receiver.
 */
public final class RingPair implements AutoCloseable {
  private static final int BURST = 32;

  private MemorySegment toFirst;
  private MemorySegment toSecond;
  private EthernetPort first;
  private EthernetPort second;

  private RingPair() {}

  /**
   * Creates rings and ports.
   *
   * @param name of the rings and ports, new in the process, at most 16 characters; the ports'
   *     devices are {@code net_ring_<name>_a} and {@code net_ring_<name>_b}
   * @param slots a power of two; each ring holds one frame less
   * @throws DpdkException if there is not enough memory or the name is in use
   */
  public static RingPair create(String name, int slots) {
    Eal.requireInitialised();
    RingPair pair = new RingPair();
    try {
      pair.toFirst = ring(name + "_to_a", slots);
      pair.toSecond = ring(name + "_to_b", slots);
      pair.first = port(name + "_a", pair.toFirst, pair.toSecond);
      pair.second = port(name + "_b", pair.toSecond, pair.toFirst);
    } catch (DpdkException e) {
      pair.close();
      throw e;
    }
    return pair;
  }

  private static MemorySegment ring(String name, int slots) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ring = arena.allocate(ValueLayout.ADDRESS);
      int result = Dpdk.rddp_ring_create(arena.allocateFrom(name), slots, -1, 1, ring);
      if (result < 0) {
        throw DpdkException.of(
            "create ring " + name + " of " + slots + " slots",
            result,
            "The name must be new and the slots a power of two.");
      }
      return ring.get(ValueLayout.ADDRESS, 0);
    }
  }

  private static EthernetPort port(String name, MemorySegment from, MemorySegment to) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment receive = arena.allocateFrom(ValueLayout.ADDRESS, from);
      MemorySegment transmit = arena.allocateFrom(ValueLayout.ADDRESS, to);
      int port = Dpdk.rddp_port_from_rings(arena.allocateFrom(name), receive, 1, transmit, 1, 0);
      if (port < 0) {
        throw DpdkException.of("make a port of ring " + name, port, "The name must be new.");
      }
      return EthernetPort.ofNumber(port);
    }
  }

  /** The first port. */
  public EthernetPort first() {
    return first;
  }

  /** The second port. */
  public EthernetPort second() {
    return second;
  }

  /** Closes both ports and returns frames in the rings to their pools. */
  @Override
  public void close() {
    if (first != null) {
      first.close();
      first = null;
    }
    if (second != null) {
      second.close();
      second = null;
    }
    if (toFirst != null) {
      free(toFirst);
      toFirst = null;
    }
    if (toSecond != null) {
      free(toSecond);
      toSecond = null;
    }
  }

  private static void free(MemorySegment ring) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment frames = arena.allocate(ValueLayout.JAVA_LONG, BURST);
      int count;
      while ((count = Dpdk.rddp_ring_dequeue(ring, frames, BURST)) > 0) {
        Mempool.free(frames.address(), count);
      }
    }
    Dpdk.rddp_ring_free(ring);
  }
}
