package org.rddp.device;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A packet pool in native memory, for tests, simulation and links within a process. The memory is
 * freed when the pool is no longer reachable. Using or releasing a packet that is free throws
 * {@link IllegalStateException}.
 */
public final class NativePacketPool implements PacketPool {
  private static final int HEADROOM = 128;
  private static final int CACHE_LINE = 64;

  /** Keeps the memory alive: it is used by address. */
  @SuppressWarnings("unused")
  private final MemorySegment memory;

  private final long base;
  private final int stride;
  private final int room;
  private final long[] address;
  private final int[] length;
  private final int[] references;
  private final int[] free;
  private int freeCount;

  /**
   * A pool with every packet free.
   *
   * @param packets capacity, at least 1
   * @param room octets behind each packet's headroom, at least 64
   */
  public NativePacketPool(int packets, int room) {
    if (packets < 1 || room < 64) {
      throw new IllegalArgumentException("packets " + packets + ", room " + room);
    }
    this.room = room;
    stride = (HEADROOM + room + CACHE_LINE - 1) & -CACHE_LINE;
    memory = Arena.ofAuto().allocate((long) packets * stride, CACHE_LINE);
    base = memory.address();
    address = new long[packets];
    length = new int[packets];
    references = new int[packets];
    free = new int[packets];
    for (int i = 0; i < packets; i++) {
      free[i] = packets - 1 - i;
    }
    freeCount = packets;
  }

  @Override
  public long allocate() {
    if (freeCount == 0) {
      return 0;
    }
    int index = free[--freeCount];
    references[index] = 1;
    address[index] = base + (long) index * stride + HEADROOM;
    length[index] = 0;
    return index + 1L;
  }

  @Override
  public void retain(long packet) {
    references[live(packet)]++;
  }

  @Override
  public void release(long packet) {
    int index = live(packet);
    if (--references[index] == 0) {
      free[freeCount++] = index;
    }
  }

  @Override
  public boolean shared(long packet) {
    return references[live(packet)] > 1;
  }

  @Override
  public long address(long packet) {
    return address[(int) packet - 1];
  }

  @Override
  public int length(long packet) {
    return length[(int) packet - 1];
  }

  @Override
  public void window(long packet, long first, int octets) {
    int index = live(packet);
    long start = base + (long) index * stride;
    if (first < start || octets < 0 || first + octets > start + HEADROOM + room) {
      throw new IllegalArgumentException("window outside of the packet");
    }
    address[index] = first;
    length[index] = octets;
  }

  @Override
  public long start(long packet) {
    return base + (packet - 1) * stride;
  }

  @Override
  public long end(long packet) {
    return start(packet) + HEADROOM + room;
  }

  @Override
  public int headroom() {
    return HEADROOM;
  }

  @Override
  public int room() {
    return room;
  }

  @Override
  public int available() {
    return freeCount;
  }

  @Override
  public int capacity() {
    return free.length;
  }

  private int live(long packet) {
    int index = (int) packet - 1;
    if (references[index] == 0) {
      throw new IllegalStateException("packet " + packet + " is not allocated");
    }
    return index;
  }
}
