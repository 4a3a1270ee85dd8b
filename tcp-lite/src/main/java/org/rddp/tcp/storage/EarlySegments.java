package org.rddp.tcp.storage;

import java.util.Arrays;
import org.rddp.device.PacketPool;
import org.rddp.snapshot.Snapshot;

/**
 * Octets received out of order that wait in their packets: pieces in the order of their stream
 * positions, the packets kept by reference.
 *
 * <p>For users of TCP that need octets in order. TCP hands up no octet twice, so pieces do not
 * overlap; it limits how many there are. Engine thread only; allocates nothing before the first
 * piece.
 */
public final class EarlySegments {
  /** Receives pieces. */
  public interface Consumer {
    /**
     * Takes a piece.
     *
     * @param position stream position of its first octet
     * @param address of its first octet
     * @param length octets, greater than 0
     * @param packet that holds it
     */
    void onSegment(long position, long address, int length, long packet);
  }

  private static final int SMALLEST = 8;
  private static final long[] NONE = {};

  private final PacketPool pool;
  private long[] positions = NONE;
  private long[] addresses = NONE;
  private long[] packets = NONE;
  private int[] lengths = {};
  private int first;
  private int end;

  /** Creates an instance without pieces. */
  public EarlySegments(PacketPool pool) {
    this.pool = pool;
  }

  /** Whether there are no pieces. */
  public boolean isEmpty() {
    return first == end;
  }

  /** Number of pieces, each with a reference to its packet. */
  public int size() {
    return end - first;
  }

  /** Stream position of the first octet of piece {@code index}; the first piece has index 0. */
  public long position(int index) {
    return positions[first + index];
  }

  /** Stream position behind piece {@code index}. */
  public long end(int index) {
    return positions[first + index] + lengths[first + index];
  }

  /** Address of piece {@code index}. */
  public long address(int index) {
    return addresses[first + index];
  }

  /** Octets of piece {@code index}, greater than 0. */
  public int length(int index) {
    return lengths[first + index];
  }

  /** The packet of piece {@code index}. */
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
   * Adds a piece and retains its packet.
   *
   * @param position stream position of its first octet
   * @param length octets, greater than 0, none of which is in another piece
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

  /**
   * Moves the pieces to the start of the arrays, or of larger arrays if more than half is in use.
   */
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
   * Removes and hands up the pieces that are in order now.
   *
   * @param edge stream position before which no octet is missing
   * @param user receives each piece, and may {@link #clear} the rest from within
   */
  public void handUp(long edge, Consumer user) {
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

  /** Removes the first piece; the reference to its packet passes to the caller. */
  public void removeFirst() {
    if (++first == end) {
      first = 0;
      end = 0;
    }
  }

  /**
   * Discards the octets from one stream position up to another, and releases packets without
   * others.
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

  /** Removes every piece and releases the packets. */
  public void clear() {
    for (; first < end; first++) {
      pool.release(packets[first]);
    }
    first = 0;
    end = 0;
  }

  /**
   * Transfers the pieces; when read, there are none before, and they go into packets of this pool.
   */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(EarlySegments.class);
    int count = snapshot.number("pieces", size(), 0, Integer.MAX_VALUE);
    for (int i = 0; i < count; ) {
      i += transferPacket(snapshot, i, count - i);
    }
    snapshot.end();
  }

  /** Transfers pieces, one after the other, of one packet; returns how many. */
  private int transferPacket(Snapshot snapshot, int index, int most) {
    boolean reads = snapshot.reads();
    int pieces = snapshot.number("packets", reads ? 1 : together(index), 1, most);
    boolean isLong = snapshot.flag("isLong", !reads && pool.isLong(packet(index)));
    long packet = 0;
    if (reads) {
      packet = isLong ? pool.allocateLong() : pool.allocate();
      if (packet == 0) {
        throw snapshot.wrong("the pool has no packet left");
      }
    }
    try {
      long at = reads ? pool.address(packet) : 0;
      for (int i = index; i < index + pieces; i++) {
        long position = snapshot.number("positions", reads ? 0 : position(i));
        int length = snapshot.number("lengths", reads ? 0 : length(i), 1, Integer.MAX_VALUE);
        if (reads && (length > pool.end(packet) - at || (i > 0 && position < end(i - 1)))) {
          throw snapshot.wrong("a piece does not fit into its packet, or is out of order");
        }
        snapshot.octets("addresses", reads ? at : address(i), length);
        if (reads) {
          hold(position, at, length, packet);
          at += length;
        }
      }
    } finally {
      if (packet != 0) {
        pool.release(packet);
      }
    }
    return pieces;
  }

  /** How many pieces, from the given one on, are in its packet. */
  private int together(int index) {
    int next = index + 1;
    while (next < size() && packet(next) == packet(index)) {
      next++;
    }
    return next - index;
  }
}
