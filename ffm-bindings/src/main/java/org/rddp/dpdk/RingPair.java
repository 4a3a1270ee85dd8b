package org.rddp.dpdk;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.rddp.dpdk.generated.Dpdk;

/**
 * Two Ethernet ports of one process, connected by rings: each receives what the other transmits. A
 * port has a receive queue for each ring that it receives from, and a transmit queue for each ring
 * of the other port: frames sent to queue 2 are received from queue 2 there.
 *
 * <p>Buffers are passed on, not copied: a sender that keeps a reference shares the buffer with the
 * receiver.
 */
public final class RingPair implements AutoCloseable {
  private static final int BURST = 32;

  private final List<MemorySegment> toFirst = new ArrayList<>();
  private final List<MemorySegment> toSecond = new ArrayList<>();
  private EthernetPort first;
  private EthernetPort second;

  private RingPair() {}

  /**
   * Creates ports with one queue each way; otherwise like {@link #create(String, int, int, int)}.
   */
  public static RingPair create(String name, int slots) {
    return create(name, slots, 1, 1);
  }

  /**
   * Creates rings and ports.
   *
   * @param name of the rings and ports, new in the process, at most 16 characters; the ports'
   *     devices are {@code net_ring_<name>_a} and {@code net_ring_<name>_b}
   * @param slots a power of two; each ring holds one frame less
   * @param firstQueues receive queues of the first port: 1 or more
   * @param secondQueues receive queues of the second port; several threads may send to the same one
   * @throws DpdkException if there is not enough memory or the name is in use
   */
  public static RingPair create(String name, int slots, int firstQueues, int secondQueues) {
    Eal.requireInitialised();
    RingPair pair = new RingPair();
    try {
      // One thread sends for each queue of its own port.
      rings(pair.toFirst, name + "_to_a", slots, firstQueues, secondQueues == 1);
      rings(pair.toSecond, name + "_to_b", slots, secondQueues, firstQueues == 1);
      pair.first = port(name + "_a", pair.toFirst, pair.toSecond);
      pair.second = port(name + "_b", pair.toSecond, pair.toFirst);
    } catch (DpdkException e) {
      pair.close();
      throw e;
    }
    return pair;
  }

  private static void rings(
      List<MemorySegment> rings, String name, int slots, int count, boolean singleSender) {
    for (int i = 0; i < count; i++) {
      rings.add(ring(i == 0 ? name : name + i, slots, singleSender));
    }
  }

  private static MemorySegment ring(String name, int slots, boolean singleSender) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment ring = arena.allocate(ValueLayout.ADDRESS);
      int result =
          Dpdk.rddp_ring_create(arena.allocateFrom(name), slots, -1, singleSender ? 1 : 0, ring);
      if (result < 0) {
        throw DpdkException.of(
            "create ring " + name + " of " + slots + " slots",
            result,
            "The name must be new and the slots a power of two.");
      }
      return ring.get(ValueLayout.ADDRESS, 0);
    }
  }

  private static EthernetPort port(String name, List<MemorySegment> from, List<MemorySegment> to) {
    try (Arena arena = Arena.ofConfined()) {
      int port =
          Dpdk.rddp_port_from_rings(
              arena.allocateFrom(name),
              array(from, arena),
              from.size(),
              array(to, arena),
              to.size(),
              0);
      if (port < 0) {
        throw DpdkException.of("make a port of ring " + name, port, "The name must be new.");
      }
      return EthernetPort.ofNumber(port);
    }
  }

  private static MemorySegment array(List<MemorySegment> rings, Arena arena) {
    MemorySegment array = arena.allocate(ValueLayout.ADDRESS, rings.size());
    for (int i = 0; i < rings.size(); i++) {
      array.setAtIndex(ValueLayout.ADDRESS, i, rings.get(i));
    }
    return array;
  }

  /** The first port. */
  public EthernetPort first() {
    return first;
  }

  /** The second port. */
  public EthernetPort second() {
    return second;
  }

  /** Closes both ports, and returns frames in the rings to their pools. */
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
    toFirst.forEach(RingPair::free);
    toFirst.clear();
    toSecond.forEach(RingPair::free);
    toSecond.clear();
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
