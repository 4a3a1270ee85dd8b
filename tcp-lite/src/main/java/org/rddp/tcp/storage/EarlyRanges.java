package org.rddp.tcp.storage;

import java.util.Arrays;
import org.rddp.snapshot.Snapshot;

/**
 * The stream positions of octets that a connection has received out of order, with the number of
 * packets of each range and how recently it changed. The octets themselves have been handed up.
 *
 * <p>A connection has an instance only while octets are missing; {@link EarlyRangesPool} keeps the
 * unused ones.
 */
public final class EarlyRanges extends RangeSet {
  private static final int SMALLEST = 8;

  private long[] touched = new long[SMALLEST];
  private int[] packets = new int[SMALLEST];
  private int packetsInAll;
  private long octets;
  private long clock;

  /** Creates an empty set. */
  public EarlyRanges() {
    super(SMALLEST);
  }

  /** Packets of all ranges, counted for each piece that was handed up. */
  public int packets() {
    return packetsInAll;
  }

  /** Octets in all ranges. */
  public long octets() {
    return octets;
  }

  /**
   * Adds octets of one packet, none of which is in a range.
   *
   * @param weight number of packets that the packet counts for
   * @param most ranges allowed
   * @return false, and nothing has changed, if there would be more
   */
  public boolean add(long from, long to, int weight, int most) {
    if (exceeds(most, from, to)) {
      return false;
    }
    int index = add(from, to);
    packets[index] += weight;
    packetsInAll += weight;
    octets += to - from;
    touch(index);
    return true;
  }

  /** Makes a range the most recent, because octets of it were received again. */
  public void touch(int index) {
    touched[index] = ++clock;
  }

  @Override
  protected void onInsert(int index, int size) {
    if (size == touched.length) {
      touched = Arrays.copyOf(touched, 2 * size);
      packets = Arrays.copyOf(packets, 2 * size);
    }
    System.arraycopy(touched, index, touched, index + 1, size - index);
    System.arraycopy(packets, index, packets, index + 1, size - index);
    packets[index] = 0;
  }

  @Override
  protected void onRemove(int from, int to, int size) {
    for (int i = from; i < to && from > 0; i++) {
      packets[from - 1] += packets[i];
    }
    System.arraycopy(touched, to, touched, from, size - to);
    System.arraycopy(packets, to, packets, from, size - to);
  }

  /**
   * Removes the first range, which the left edge has reached.
   *
   * @return its packets
   */
  public int takeFirst() {
    int first = packets[0];
    octets -= end(0) - start(0);
    packetsInAll -= first;
    removeFirst();
    return first;
  }

  /**
   * Finds the ranges that changed most recently.
   *
   * @param indices receives their indices, the most recent first
   * @param most how many are wanted, at most {@code indices.length}
   * @return how many were found
   */
  public int mostRecent(int[] indices, int most) {
    int found = 0;
    for (int i = 0; i < count(); i++) {
      int place = found;
      while (place > 0 && touched[indices[place - 1]] < touched[i]) {
        place--;
      }
      if (place < most) {
        int moved = Math.min(found, most - 1) - place;
        System.arraycopy(indices, place, indices, place + 1, moved);
        indices[place] = i;
        found = Math.min(found + 1, most);
      }
    }
    return found;
  }

  @Override
  public void clear() {
    super.clear();
    packetsInAll = 0;
    octets = 0;
  }

  @Override
  public void transfer(Snapshot snapshot) {
    super.transfer(snapshot);
    snapshot.begin(EarlyRanges.class);
    snapshot.numbers("touched", touched, count());
    snapshot.numbers("packets", packets, count());
    packetsInAll = snapshot.number("packetsInAll", packetsInAll);
    octets = snapshot.number("octets", octets);
    clock = snapshot.number("clock", clock);
    snapshot.end();
  }
}
