package org.rddp.tcp.loss;

import java.util.Arrays;
import org.rddp.device.PacketPool;

/**
 * Flights and segment arrays for the connections of one stack, which borrow them while they have
 * something to send. An idle connection holds none. Allocates only while more is in flight than
 * ever before, or more than {@link #KEPT} segments are.
 */
public final class FlightPool {
  private static final int SMALLEST = 16;
  private static final int SIZES = 26;

  /** Arrays for fewer segments are always kept: connections in flight are limited otherwise. */
  private static final int LARGE = 2048;

  /**
   * Slots of unused large arrays that are kept, 8 MiB: those that one connection with 65,536
   * segments in flight has used, so that a peer cannot make a stack hold more for good.
   */
  private static final int KEPT = 1 << 17;

  private final PacketPool pool;
  private final LossCounters counters;
  private Flight[] flights = new Flight[4];
  private int flightCount;
  private final SegmentArrays[][] arrays = new SegmentArrays[SIZES][1];
  private final int[] arrayCounts = new int[SIZES];

  /** Slots of the unused large arrays. */
  private int large;

  /** Creates an empty pool. */
  public FlightPool(PacketPool pool, LossCounters counters) {
    this.pool = pool;
    this.counters = counters;
  }

  /** Takes an unused flight; {@link Flight#begin} must follow. */
  public Flight acquire() {
    return flightCount > 0 ? flights[--flightCount] : new Flight(this, pool);
  }

  /** Takes a flight back. */
  void release(Flight flight) {
    if (flightCount == flights.length) {
      flights = Arrays.copyOf(flights, 2 * flightCount);
    }
    flights[flightCount++] = flight;
  }

  LossCounters counters() {
    return counters;
  }

  SegmentArrays smallest() {
    return acquire(0);
  }

  /** Replaces full arrays by ones for twice as many segments, with the same contents. */
  SegmentArrays grow(SegmentArrays full, long head) {
    SegmentArrays larger = acquire(size(full) + 1);
    larger.takeOver(full, head);
    release(full);
    return larger;
  }

  private SegmentArrays acquire(int size) {
    int count = arrayCounts[size];
    if (count == 0) {
      return new SegmentArrays(SMALLEST << size);
    }
    arrayCounts[size] = count - 1;
    large -= largeSlots(size);
    return arrays[size][count - 1];
  }

  void release(SegmentArrays unused) {
    int size = size(unused);
    if (large + largeSlots(size) > KEPT) {
      return;
    }
    large += largeSlots(size);
    int count = arrayCounts[size];
    if (count == arrays[size].length) {
      arrays[size] = Arrays.copyOf(arrays[size], 2 * count);
    }
    arrays[size][count] = unused;
    arrayCounts[size] = count + 1;
  }

  private static int largeSlots(int size) {
    int capacity = SMALLEST << size;
    return capacity < LARGE ? 0 : capacity;
  }

  private static int size(SegmentArrays some) {
    return Integer.numberOfTrailingZeros(some.capacity / SMALLEST);
  }

  /** The number of unused flights. */
  public int available() {
    return flightCount;
  }
}
