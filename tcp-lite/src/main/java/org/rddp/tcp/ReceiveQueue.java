package org.rddp.tcp;

import org.rddp.device.PacketPool;

/**
 * Octets that came before their turn, as ranges of the packets they came in, kept by reference and
 * in order. Ranges never overlap: of octets that come twice the first are kept (RFC 5044 appendix
 * A.3), and the queue is bounded by ranges, because one octet holds a whole packet.
 */
final class ReceiveQueue {
  private static final int SMALLEST = 8;

  private final PacketPool pool;
  private final int limit;
  private long[] positions = new long[SMALLEST];
  private long[] addresses = new long[SMALLEST];
  private int[] lengths = new int[SMALLEST];
  private long[] packets = new long[SMALLEST];
  private int first;
  private int end;

  /**
   * An empty queue.
   *
   * @param limit ranges that it may hold
   */
  ReceiveQueue(PacketPool pool, int limit) {
    this.pool = pool;
    this.limit = limit;
  }

  boolean isEmpty() {
    return first == end;
  }

  /** Ranges held, each with a reference to its packet. */
  int size() {
    return end - first;
  }

  /** Stream position of the first range. */
  long position() {
    return positions[first];
  }

  /** Address of the first range. */
  long address() {
    return addresses[first];
  }

  /** Octets of the first range. */
  int length() {
    return lengths[first];
  }

  /** The packet of the first range. */
  long packet() {
    return packets[first];
  }

  /** Takes out the first range; its reference is the caller's. */
  void removeFirst() {
    if (++first == end) {
      first = 0;
      end = 0;
    }
  }

  /**
   * Keeps those of the octets that are not here yet.
   *
   * @return how many octets were new, or -1 when there was no room for all of them
   */
  int add(long position, long address, int length, long packet) {
    long at = position;
    long stop = position + length;
    int index = following(position);
    int added = 0;
    if (index > first) {
      at = Math.max(at, positions[index - 1] + lengths[index - 1]);
    }
    while (at < stop) {
      long gapEnd = index < end ? Math.min(stop, positions[index]) : stop;
      if (at < gapEnd) {
        if (size() == limit) {
          return -1;
        }
        index = insert(index, at, address + (at - position), (int) (gapEnd - at), packet);
        added += (int) (gapEnd - at);
      }
      if (index == end) {
        break;
      }
      at = positions[index] + lengths[index];
      index++;
    }
    return added;
  }

  /** Index of the first range that begins behind the position; most often that is the end. */
  private int following(long position) {
    int index = end;
    while (index > first && positions[index - 1] > position) {
      index--;
    }
    return index;
  }

  /** Inserts before an index; returns the index behind the new range. */
  private int insert(int before, long position, long address, int length, long packet) {
    int index = before;
    if (end == positions.length) {
      index -= first;
      makeRoom();
    }
    int behind = end - index;
    System.arraycopy(positions, index, positions, index + 1, behind);
    System.arraycopy(addresses, index, addresses, index + 1, behind);
    System.arraycopy(lengths, index, lengths, index + 1, behind);
    System.arraycopy(packets, index, packets, index + 1, behind);
    end++;
    positions[index] = position;
    addresses[index] = address;
    lengths[index] = length;
    packets[index] = packet;
    pool.retain(packet);
    return index + 1;
  }

  /** Moves the ranges to the start of the arrays, larger ones if more than half is in use. */
  private void makeRoom() {
    int count = size();
    boolean larger = count * 2 > positions.length;
    int capacity = larger ? positions.length * 2 : positions.length;
    positions = moved(positions, larger ? new long[capacity] : positions, count);
    addresses = moved(addresses, larger ? new long[capacity] : addresses, count);
    packets = moved(packets, larger ? new long[capacity] : packets, count);
    int[] roomy = larger ? new int[capacity] : lengths;
    System.arraycopy(lengths, first, roomy, 0, count);
    lengths = roomy;
    first = 0;
    end = count;
  }

  private long[] moved(long[] from, long[] to, int count) {
    System.arraycopy(from, first, to, 0, count);
    return to;
  }

  /** Drops everything. */
  void clear() {
    for (; first < end; first++) {
      pool.release(packets[first]);
    }
    first = 0;
    end = 0;
  }
}
