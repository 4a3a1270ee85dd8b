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

  /** The long packets, whose handles follow those of the others. */
  private final long longBase;

  private final int longStride;
  private final long[] address;
  private final int[] length;
  private final int[] references;
  private final int[] free;
  private int freeCount;
  private final int[] freeLong;
  private int freeLongCount;

  /**
   * A pool with every packet free.
   *
   * @param packets capacity, at least 1
   * @param room octets behind each packet's headroom, at least 64
   */
  public NativePacketPool(int packets, int room) {
    this(packets, room, 0, room);
  }

  /**
   * A pool that has long packets, too.
   *
   * @param packets capacity, at least 1
   * @param room octets behind each packet's headroom, at least 64
   * @param longPackets how many of them
   * @param longRoom octets behind a long packet's headroom, at least {@code room}
   */
  public NativePacketPool(int packets, int room, int longPackets, int longRoom) {
    if (packets < 1 || room < 64 || longPackets < 0 || longRoom < room) {
      throw new IllegalArgumentException(
          "packets " + packets + ", room " + room + "; " + longPackets + ", " + longRoom);
    }
    this.room = room;
    stride = stride(room);
    longStride = stride(longRoom);
    long octets = (long) packets * stride;
    memory = Arena.ofAuto().allocate(octets + (long) longPackets * longStride, CACHE_LINE);
    base = memory.address();
    longBase = base + octets;
    address = new long[packets + longPackets];
    length = new int[packets + longPackets];
    references = new int[packets + longPackets];
    free = stack(0, packets);
    freeCount = packets;
    freeLong = stack(packets, longPackets);
    freeLongCount = longPackets;
  }

  private static int stride(int room) {
    return (HEADROOM + room + CACHE_LINE - 1) & -CACHE_LINE;
  }

  /** Indices from {@code first} on, the first on top. */
  private static int[] stack(int first, int count) {
    int[] indices = new int[count];
    for (int i = 0; i < count; i++) {
      indices[i] = first + count - 1 - i;
    }
    return indices;
  }

  @Override
  public long allocate() {
    return freeCount == 0 ? 0 : allocate(free[--freeCount]);
  }

  @Override
  public long allocateLong() {
    return freeLongCount == 0 ? 0 : allocate(freeLong[--freeLongCount]);
  }

  private long allocate(int index) {
    references[index] = 1;
    address[index] = start(index + 1L) + HEADROOM;
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
    if (--references[index] > 0) {
      return;
    }
    if (index < free.length) {
      free[freeCount++] = index;
    } else {
      freeLong[freeLongCount++] = index;
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
    if (first < start(packet) || octets < 0 || first + octets > end(packet)) {
      throw new IllegalArgumentException("window outside of the packet");
    }
    address[index] = first;
    length[index] = octets;
  }

  @Override
  public long start(long packet) {
    int more = (int) packet - 1 - free.length;
    return more < 0 ? base + (packet - 1) * stride : longBase + (long) more * longStride;
  }

  @Override
  public long end(long packet) {
    return start(packet) + (packet > free.length ? longStride : HEADROOM + room);
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

  @Override
  public int longCapacity() {
    return freeLong.length;
  }

  /** Long packets that can be allocated now. */
  public int longAvailable() {
    return freeLongCount;
  }

  private int live(long packet) {
    int index = (int) packet - 1;
    if (references[index] == 0) {
      throw new IllegalStateException("packet " + packet + " is not allocated");
    }
    return index;
  }
}
