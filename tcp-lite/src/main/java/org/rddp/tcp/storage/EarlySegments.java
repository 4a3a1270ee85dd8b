package org.rddp.tcp.storage;

import java.util.Arrays;
import org.rddp.device.PacketPool;
import org.rddp.tcp.StreamHandler;

/**
 * Octets that came before their turn and wait for it, where they lie: pieces of packets in the
 * order of their stream positions, the packets kept by reference.
 *
 * <p>For users of TCP that cannot do anything with octets before those in front of them are there.
 * TCP hands up no octet twice, so pieces never overlap, and it bounds how many there are. Engine
 * thread only; nothing is allocated before something has to wait.
 */
public final class EarlySegments {
  private static final int SMALLEST = 8;
  private static final long[] NONE = {};

  private final PacketPool pool;
  private long[] positions = NONE;
  private long[] addresses = NONE;
  private long[] packets = NONE;
  private int[] lengths = {};
  private int first;
  private int end;

  /** Nothing that waits. */
  public EarlySegments(PacketPool pool) {
    this.pool = pool;
  }

  /** Whether nothing waits. */
  public boolean isEmpty() {
    return first == end;
  }

  /** How many pieces wait, each with a reference to its packet. */
  public int size() {
    return end - first;
  }

  /** Stream position of the first octet of piece {@code index}; that of the first piece is 0. */
  public long position(int index) {
    return positions[first + index];
  }

  /** Stream position behind piece {@code index}. */
  public long end(int index) {
    return positions[first + index] + lengths[first + index];
  }

  /** Where piece {@code index} lies. */
  public long address(int index) {
    return addresses[first + index];
  }

  /** Octets of piece {@code index}, greater than 0. */
  public int length(int index) {
    return lengths[first + index];
  }

  /** The packet that piece {@code index} lies in. */
  public long packet(int index) {
    return packets[first + index];
  }

  /** Index of the first piece that ends behind a position; {@link #size()} if there is none. */
  public int indexAfter(long position) {
    int low = 0;
    int high = size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (end(middle) > position) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /**
   * Keeps a piece. The packet is retained.
   *
   * @param position stream position of its first octet
   * @param length octets, greater than 0, none of which is here yet
   */
  public void hold(long position, long address, int length, long packet) {
    insert(indexAfter(position), position, address, length, packet);
  }

  private void insert(int index, long position, long address, int length, long packet) {
    if (end == positions.length) {
      makeRoom();
    }
    int at = first + index;
    int behind = end - at;
    System.arraycopy(positions, at, positions, at + 1, behind);
    System.arraycopy(addresses, at, addresses, at + 1, behind);
    System.arraycopy(packets, at, packets, at + 1, behind);
    System.arraycopy(lengths, at, lengths, at + 1, behind);
    end++;
    positions[at] = position;
    addresses[at] = address;
    lengths[at] = length;
    packets[at] = packet;
    pool.retain(packet);
  }

  /** Moves the pieces to the start of the arrays, larger ones if more than half is in use. */
  private void makeRoom() {
    int count = size();
    if (count * 2 >= positions.length) {
      int larger = Math.max(SMALLEST, positions.length * 2);
      positions = Arrays.copyOfRange(positions, first, first + larger);
      addresses = Arrays.copyOfRange(addresses, first, first + larger);
      packets = Arrays.copyOfRange(packets, first, first + larger);
      lengths = Arrays.copyOfRange(lengths, first, first + larger);
    } else {
      System.arraycopy(positions, first, positions, 0, count);
      System.arraycopy(addresses, first, addresses, 0, count);
      System.arraycopy(packets, first, packets, 0, count);
      System.arraycopy(lengths, first, lengths, 0, count);
    }
    first = 0;
    end = count;
  }

  /**
   * Hands up the pieces whose turn has come.
   *
   * @param edge stream position before which nothing is missing
   * @param user hears {@link StreamHandler#onSegment} for each piece, and may {@link #clear} the
   *     rest from within
   */
  public void handUp(long edge, StreamHandler user) {
    while (!isEmpty() && position(0) < edge) {
      long position = position(0);
      long address = address(0);
      int length = length(0);
      long packet = packet(0);
      removeFirst();
      try {
        user.onSegment(position, address, length, packet);
      } finally {
        pool.release(packet);
      }
    }
  }

  /** Takes out the first piece; the reference to its packet is the caller's. */
  public void removeFirst() {
    if (++first == end) {
      first = 0;
      end = 0;
    }
  }

  /**
   * Drops the octets from one stream position up to another, and the packets that are of no use any
   * more.
   */
  public void discard(long from, long to) {
    int index = indexAfter(from);
    while (index < size() && position(index) < to) {
      boolean keepsHead = position(index) < from;
      boolean keepsTail = end(index) > to;
      if (keepsHead && keepsTail) {
        int skipped = (int) (to - position(index));
        int rest = length(index) - skipped;
        insert(index + 1, to, address(index) + skipped, rest, packet(index));
      }
      if (keepsHead) {
        lengths[first + index] = (int) (from - position(index));
        index++;
      } else if (keepsTail) {
        int skipped = (int) (to - position(index));
        positions[first + index] = to;
        addresses[first + index] += skipped;
        lengths[first + index] -= skipped;
      } else {
        remove(index);
      }
    }
  }

  private void remove(int index) {
    pool.release(packet(index));
    if (index == 0) {
      removeFirst();
      return;
    }
    int at = first + index;
    int behind = end - at - 1;
    System.arraycopy(positions, at + 1, positions, at, behind);
    System.arraycopy(addresses, at + 1, addresses, at, behind);
    System.arraycopy(packets, at + 1, packets, at, behind);
    System.arraycopy(lengths, at + 1, lengths, at, behind);
    end--;
  }

  /** Gives every packet back. */
  public void clear() {
    for (; first < end; first++) {
      pool.release(packets[first]);
    }
    first = 0;
    end = 0;
  }
}
