package org.rddp.tcp;

import org.rddp.device.PacketPool;
import org.rddp.wire.Checksum;
import org.rddp.wire.Memory;

/**
 * The segments of one connection that are not acknowledged yet, each the packet that the user
 * built, in order. A packet stays until its last octet is acknowledged, so that it can be sent
 * again as it was.
 *
 * <p>Segments are numbered from 0 as they come; the payload lies at the end of each packet's
 * window, whatever headers were put in front.
 */
final class SendQueue {
  /** Send time of a segment that was sent more than once: its round trip is ambiguous. */
  static final long AMBIGUOUS = Long.MIN_VALUE;

  private static final int SMALLEST = 8;
  private static final int NO_SUM = -1;

  private final PacketPool pool;
  private long[] packets = new long[SMALLEST];
  private long[] sentAt = new long[SMALLEST];
  private int[] lengths = new int[SMALLEST];
  private int[] sums = new int[SMALLEST];
  private long head;
  private long tail;
  private long headPosition;
  private long endPosition;
  private int largestAcknowledged;

  SendQueue(PacketPool pool) {
    this.pool = pool;
  }

  /** The number of the first segment. */
  long head() {
    return head;
  }

  /** One past the number of the last segment. */
  long tail() {
    return tail;
  }

  /** Stream position of the first segment's first octet. */
  long headPosition() {
    return headPosition;
  }

  /** Stream position behind the last segment's last octet. */
  long endPosition() {
    return endPosition;
  }

  /** Adds a segment: the packet's window is its payload. Takes over the reference. */
  void add(long packet) {
    int length = pool.length(packet);
    insert(tail, packet, length);
    endPosition += length;
  }

  private void insert(long number, long packet, int length) {
    if (tail - head == packets.length) {
      grow();
    }
    for (long i = tail; i > number; i--) {
      int to = slot(i);
      int from = slot(i - 1);
      packets[to] = packets[from];
      sentAt[to] = sentAt[from];
      lengths[to] = lengths[from];
      sums[to] = sums[from];
    }
    tail++;
    int slot = slot(number);
    packets[slot] = packet;
    sentAt[slot] = 0;
    lengths[slot] = length;
    sums[slot] = NO_SUM;
  }

  private void grow() {
    int size = packets.length * 2;
    long[] morePackets = new long[size];
    long[] moreTimes = new long[size];
    int[] moreLengths = new int[size];
    int[] moreSums = new int[size];
    for (long i = head; i < tail; i++) {
      int from = slot(i);
      int to = (int) i & (size - 1);
      morePackets[to] = packets[from];
      moreTimes[to] = sentAt[from];
      moreLengths[to] = lengths[from];
      moreSums[to] = sums[from];
    }
    packets = morePackets;
    sentAt = moreTimes;
    lengths = moreLengths;
    sums = moreSums;
  }

  /**
   * Cuts a segment in two: the first octets go into a packet of their own, before the rest.
   *
   * @param octets of the first part, less than the segment has
   * @return false when no packet is to be had; nothing has changed then
   */
  boolean split(long number, int octets) {
    long fresh = copy(number, octets);
    if (fresh == 0) {
      return false;
    }
    int slot = slot(number);
    lengths[slot] -= octets;
    sums[slot] = NO_SUM;
    insert(number, fresh, octets);
    return true;
  }

  /**
   * Puts a copy of a segment in its place, because somebody else holds the packet and it must not
   * be written.
   *
   * @return false when no packet is to be had
   */
  boolean replaceByCopy(long number) {
    long fresh = copy(number, length(number));
    if (fresh == 0) {
      return false;
    }
    pool.release(packet(number));
    packets[slot(number)] = fresh;
    return true;
  }

  private long copy(long number, int octets) {
    long fresh = pool.allocate();
    if (fresh != 0) {
      long address = pool.address(fresh);
      Memory.copy(payload(number), address, octets);
      pool.window(fresh, address, octets);
    }
    return fresh;
  }

  /** The packet that holds a segment. */
  long packet(long number) {
    return packets[slot(number)];
  }

  /** Octets of a segment's payload. */
  int length(long number) {
    return lengths[slot(number)];
  }

  /** Address of a segment's payload. */
  long payload(long number) {
    int slot = slot(number);
    long packet = packets[slot];
    return pool.address(packet) + pool.length(packet) - lengths[slot];
  }

  /** The partial checksum of a segment's payload, computed once. */
  int sum(long number) {
    int slot = slot(number);
    int sum = sums[slot];
    if (sum == NO_SUM) {
      sum = Checksum.sum(payload(number), lengths[slot]);
      sums[slot] = sum;
    }
    return sum;
  }

  /** Remembers when a segment was sent, or that it was sent before. */
  void sent(long number, long when) {
    sentAt[slot(number)] = when;
  }

  /**
   * Drops the segments whose last octet has been acknowledged.
   *
   * @param una stream position of the first octet that has not
   * @return when the last segment dropped was sent, or {@link #AMBIGUOUS} if any of them was sent
   *     again: those behind it have waited for it, which is no round trip
   */
  long acknowledge(long una) {
    long sampled = AMBIGUOUS;
    boolean again = false;
    while (head < tail) {
      int slot = slot(head);
      if (headPosition + lengths[slot] > una) {
        break;
      }
      pool.release(packets[slot]);
      largestAcknowledged = Math.max(largestAcknowledged, lengths[slot]);
      sampled = sentAt[slot];
      again |= sampled == AMBIGUOUS;
      headPosition += lengths[slot];
      head++;
    }
    return again ? AMBIGUOUS : sampled;
  }

  /** Octets of the largest segment that the peer has acknowledged. */
  int largestAcknowledged() {
    return largestAcknowledged;
  }

  /** The path has changed: what has passed says nothing of it. */
  void forgetLargestAcknowledged() {
    largestAcknowledged = 0;
  }

  /** Drops everything. */
  void clear() {
    for (; head < tail; head++) {
      pool.release(packets[slot(head)]);
    }
    headPosition = endPosition;
  }

  /** How many packets are held. */
  int size() {
    return (int) (tail - head);
  }

  private int slot(long number) {
    return (int) number & (packets.length - 1);
  }
}
