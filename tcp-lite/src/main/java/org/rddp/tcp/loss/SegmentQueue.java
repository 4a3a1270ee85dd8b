package org.rddp.tcp.loss;

import org.rddp.device.PacketPool;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Checksum;
import org.rddp.wire.Memory;

/**
 * The unacknowledged segments of one connection in order, each in the packet that the user built; a
 * FIN is a segment of one octet without a packet. A packet is kept until its last octet is
 * acknowledged, so that it can be sent again unchanged.
 *
 * <p>Segments are numbered from 0. A segment also has a slot, which identifies it in all other
 * calls: its number changes when a segment before it is cut, its slot does not. Several segments
 * may lie one behind the other in one packet, with one reference for all: those added by {@link
 * #addBehind}, and the pieces of a cut segment, so that cutting needs no packet when few are left.
 *
 * <p>A whole train is one segment, which is sent, acknowledged and lost as one. It is cut between
 * the segments that the user built ({@link #unit}) where less may be sent.
 */
public final class SegmentQueue {
  /** No segment. */
  public static final int NONE = -1;

  static final int NO_SUM = -1;

  /** Octets in front of the payload of a new packet. */
  private static final int HEADROOM = 128;

  /** No segment is longer. */
  static final int LONGEST = 1 << 16;

  private final FlightPool memory;
  private final PacketPool pool;
  SegmentArrays arrays;
  private long head;
  private long tail;
  private long headPosition;
  private long endPosition;
  private int packets;
  private int trains;

  /** The packet to whose last segment the user may append others; 0 if there is none. */
  private long train;

  /** Octets of each of its segments; the last may have less. */
  private int trainSegment;

  /** Octets that its last segment has less. */
  private int trainGap;

  /** Octets that it has room for. */
  private int trainRoom;

  /** Whether it is one segment. */
  private boolean trainIsWhole;

  SegmentQueue(FlightPool memory, PacketPool pool) {
    this.memory = memory;
    this.pool = pool;
  }

  void begin(long position) {
    arrays = memory.smallest();
    head = 0;
    tail = 0;
    headPosition = position;
    endPosition = position;
    packets = 0;
    trains = 0;
    train = 0;
  }

  /** Releases every packet and the arrays. */
  void end() {
    while (head < tail) {
      removeFirst();
    }
    memory.release(arrays);
    arrays = null;
  }

  /** The number of the first segment. */
  public long head() {
    return head;
  }

  /** One past the number of the last segment. */
  public long tail() {
    return tail;
  }

  /** Number of segments. */
  public int size() {
    return (int) (tail - head);
  }

  /** Number of packets that are not long. */
  public int packets() {
    return packets;
  }

  /** Number of long packets. */
  public int trains() {
    return trains;
  }

  /** Stream position of the first segment's first octet. */
  public long headPosition() {
    return headPosition;
  }

  /** Stream position behind the last segment's last octet. */
  public long endPosition() {
    return endPosition;
  }

  /** The slot of a segment, from {@link #head} to {@link #tail}. */
  public int slot(long number) {
    return arrays.order[(int) number & (arrays.capacity - 1)];
  }

  /** The slot of the last segment; there must be one. */
  public int last() {
    return slot(tail - 1);
  }

  /** The packet that holds a segment, 0 for a FIN. */
  public long packet(int slot) {
    return arrays.packets[slot];
  }

  /** Octets of a segment in the sequence space. */
  public int length(int slot) {
    return arrays.lengths[slot];
  }

  /**
   * Octets of each of the segments that a whole train stands for; the last may have less. 0 for
   * other segments.
   */
  public int unit(int slot) {
    return arrays.units[slot];
  }

  /** How many segments the user has built of it. */
  public int segments(int slot) {
    int unit = arrays.units[slot];
    return unit == 0 ? 1 : (arrays.lengths[slot] + unit - 1) / unit;
  }

  /** Octets of the longest one that the user has built of it. */
  public int longest(int slot) {
    return segments(slot) == 1 ? arrays.lengths[slot] : arrays.units[slot];
  }

  /** Whether it can be sent in its own packet: that has no other holder, and none lies in front. */
  public boolean isAlone(int slot) {
    return !arrays.follows[slot] && !pool.shared(arrays.packets[slot]);
  }

  /** Stream position of a segment's first octet. */
  public long position(int slot) {
    return arrays.ends[slot] - arrays.lengths[slot];
  }

  /** Stream position behind a segment's last octet. */
  public long end(int slot) {
    return arrays.ends[slot];
  }

  /** Address of a segment's payload. */
  public long payload(int slot) {
    return arrays.payloads[slot];
  }

  /**
   * Whether another segment lies in front of it in the same packet, where headers would be written.
   */
  public boolean follows(int slot) {
    return arrays.follows[slot];
  }

  /** The partial checksum of a segment's payload, computed once. */
  public int sum(int slot) {
    int sum = arrays.sums[slot];
    if (sum == NO_SUM) {
      sum = Checksum.sum(payload(slot), arrays.lengths[slot]);
      arrays.sums[slot] = sum;
    }
    return sum;
  }

  /** The number of the first segment that ends behind a stream position; {@link #tail} if none. */
  public long find(long position) {
    long low = head;
    long high = tail;
    while (low < high) {
      long middle = (low + high) >>> 1;
      if (arrays.ends[slot(middle)] > position) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  /**
   * Adds a segment: the packet's window is its payload. Takes over the reference, and ends a train.
   */
  public void add(long packet) {
    train = 0;
    append(packet, pool.length(packet), pool.address(packet));
    count(packet, 1);
  }

  private void count(long packet, int more) {
    if (pool.isLong(packet)) {
      trains += more;
    } else {
      packets += more;
    }
  }

  /**
   * Adds the first segment of a train. Takes over the reference.
   *
   * @param most octets of the train
   * @param isWhole whether it is a whole train
   */
  public void addTrain(long packet, int most, boolean isWhole) {
    add(packet);
    train = packet;
    trainSegment = pool.length(packet);
    trainGap = 0;
    trainIsWhole = isWhole;
    arrays.units[last()] = isWhole ? trainSegment : 0;
    trainRoom = (int) Math.min(most, pool.end(packet) - pool.address(packet)) - trainSegment;
  }

  /** Ends the train: no segments may be added to it. */
  public void endTrain() {
    train = 0;
  }

  /** Whether a segment is in a train that has not ended. */
  public boolean isInOpenTrain(int slot) {
    return train != 0 && arrays.packets[slot] == train;
  }

  /** Whether there is a train that has not ended. */
  public boolean hasOpenTrain() {
    return train != 0;
  }

  /**
   * Octets with which the train goes on: those of each of its segments, if another has room there,
   * or those that its last segment lacks, for which {@link #openRoom} then is the room. 0
   * otherwise.
   *
   * @param longest octets of a segment
   */
  public int trainSegment(int longest) {
    int next = trainGap > 0 ? trainGap : trainSegment;
    return train != 0 && trainSegment <= longest && next <= trainRoom ? next : 0;
  }

  /**
   * Address behind the last segment, if {@link #trainSegment(int)} or {@link #openRoom} is not 0.
   */
  public long behind() {
    long packet = arrays.packets[last()];
    return pool.address(packet) + pool.length(packet);
  }

  /**
   * Adds a segment that the user has written behind the packet's window to the train.
   *
   * @param octets at most {@link #trainSegment(int)}
   */
  public void addBehind(int octets) {
    long address = pool.address(train);
    int length = pool.length(train);
    pool.window(train, address, length + octets);
    if (trainIsWhole) {
      lengthen(octets);
    } else {
      append(train, octets, address + length);
      arrays.follows[last()] = true;
    }
    trainRoom -= octets;
    trainGap = trainSegment - octets;
  }

  /**
   * How many segments, from the given one on, can leave as one frame: they lie one behind the other
   * in one packet without other holders, none lies in front of the first, and all are as long as
   * the first; the last may be shorter.
   *
   * @param most octets of all, at least those of the first
   */
  public int run(long number, long most) {
    int first = slot(number);
    if (arrays.follows[first] || pool.shared(arrays.packets[first])) {
      return 1;
    }
    int full = arrays.lengths[first];
    long left = most - full;
    int length = full;
    long next = number + 1;
    while (length == full && next < tail && arrays.follows[slot(next)]) {
      length = arrays.lengths[slot(next)];
      left -= length;
      if (length > full || left < 0) {
        break;
      }
      next++;
    }
    return (int) (next - number);
  }

  /** Adds the FIN; nothing may be added after it. */
  public void addFin() {
    append(0, 1, 0);
  }

  private void append(long packet, int length, long payload) {
    endPosition += length;
    fill(insert(tail), packet, length, endPosition, payload);
  }

  /** Makes room for a segment at a number; the numbers of those from there on increase by one. */
  private int insert(long number) {
    if (tail - head == arrays.capacity) {
      arrays = memory.grow(arrays, head);
    }
    int fresh = slot(tail);
    int mask = arrays.capacity - 1;
    for (long i = tail; i > number; i--) {
      arrays.order[(int) i & mask] = arrays.order[(int) (i - 1) & mask];
    }
    arrays.order[(int) number & mask] = fresh;
    tail++;
    return fresh;
  }

  private void fill(int slot, long packet, int length, long end, long payload) {
    arrays.packets[slot] = packet;
    arrays.lengths[slot] = length;
    arrays.units[slot] = 0;
    arrays.ends[slot] = end;
    arrays.payloads[slot] = payload;
    arrays.follows[slot] = false;
    arrays.sums[slot] = NO_SUM;
    arrays.states[slot] = Scoreboard.UNSENT;
    arrays.retransmitted[slot] = false;
  }

  /**
   * Octets for which the last segment, which has not been sent, has room behind its packet's
   * window: the packet has no other holder, and the segment alone is in the window, as the user
   * built it, or it is the last of the train and shorter than the others.
   *
   * @param longest octets of a segment
   */
  public int openRoom(int longest) {
    if (train != 0) {
      return trainGap > 0 ? trainSegment(longest) : 0;
    }
    int slot = last();
    long packet = arrays.packets[slot];
    if (packet == 0 || arrays.payloads[slot] != pool.address(packet) || pool.shared(packet)) {
      return 0;
    }
    int inPacket = (int) Math.min(longest, pool.end(packet) - pool.address(packet));
    return Math.max(inPacket - pool.length(packet), 0);
  }

  /** Appends octets written {@link #behind} the last segment to it. */
  public void extendLast(int octets) {
    if (train != 0) {
      trainRoom -= octets;
      trainGap -= octets;
    }
    int slot = last();
    long packet = arrays.packets[slot];
    pool.window(packet, pool.address(packet), pool.length(packet) + octets);
    lengthen(octets);
  }

  private void lengthen(int octets) {
    int slot = last();
    arrays.lengths[slot] += octets;
    arrays.ends[slot] += octets;
    arrays.sums[slot] = NO_SUM;
    endPosition += octets;
  }

  /**
   * Cuts a segment in two, both in its packet.
   *
   * @param octets of the first part, less than the segment's
   * @return the slot of the first part
   */
  int split(long number, int octets) {
    int rest = slot(number);
    long packet = arrays.packets[rest];
    long position = position(rest);
    boolean follows = arrays.follows[rest];
    int first = insert(number);
    fill(first, packet, octets, position + octets, arrays.payloads[rest]);
    arrays.follows[first] = follows;
    arrays.units[first] = arrays.units[rest];
    arrays.payloads[rest] += octets;
    arrays.lengths[rest] -= octets;
    arrays.sums[rest] = NO_SUM;
    arrays.follows[rest] = true;
    return first;
  }

  /**
   * Copies a segment's payload, for a packet that has other holders and so must not get new
   * headers.
   *
   * @return a packet of the caller's, or 0 if there is none
   */
  public long copy(int slot) {
    boolean isLong = arrays.lengths[slot] > pool.room();
    long fresh = isLong ? pool.allocateLong() : pool.allocate();
    if (fresh != 0) {
      long address = pool.address(fresh);
      Memory.copy(payload(slot), address, arrays.lengths[slot]);
      pool.window(fresh, address, arrays.lengths[slot]);
    }
    return fresh;
  }

  /** Removes octets from the front of the first segment. */
  void trim(int octets) {
    int slot = slot(head);
    headPosition += octets;
    arrays.payloads[slot] += octets;
    arrays.lengths[slot] -= octets;
    arrays.sums[slot] = NO_SUM;
  }

  /** Removes the first segment; releases its packet if no other segment lies in it. */
  void removeFirst() {
    int slot = slot(head);
    long packet = arrays.packets[slot];
    headPosition += arrays.lengths[slot];
    head++;
    if (head < tail && arrays.follows[slot(head)]) {
      arrays.follows[slot(head)] = false;
    } else if (packet != 0) {
      count(packet, -1);
      pool.release(packet);
    }
  }

  /**
   * Transfers the segments with their payload; when read, the queue is empty before, and payload
   * goes into packets of this pool.
   */
  void transfer(Snapshot snapshot) {
    snapshot.begin(SegmentQueue.class);
    headPosition = snapshot.number("headPosition", headPosition);
    endPosition = snapshot.reads() ? headPosition : endPosition;
    int count = snapshot.number("size", size(), 0, Integer.MAX_VALUE);
    for (int i = 0; i < count; ) {
      i += transferPacket(snapshot, head + i, count - i);
    }
    boolean open = snapshot.flag("train", train != 0);
    trainSegment = snapshot.number("trainSegment", trainSegment);
    trainRoom = snapshot.number("trainRoom", trainRoom);
    trainIsWhole = snapshot.flag("trainIsWhole", trainIsWhole);
    if (snapshot.reads() && open) {
      train = count == 0 ? 0 : arrays.packets[last()];
      if (train == 0 || trainSegment < 1 || trainRoom > pool.end(train) - behind()) {
        throw snapshot.wrong("no segment can follow the last one");
      }
      trainGap = Math.floorMod(-arrays.lengths[last()], trainSegment);
    }
    snapshot.end();
  }

  /** Transfers the segments of one packet, or a FIN; returns how many. */
  private int transferPacket(Snapshot snapshot, long first, int most) {
    boolean reads = snapshot.reads();
    int count = snapshot.number("segments", reads ? 1 : together(first), 1, most);
    long octets = 0;
    for (long number = first; number < first + count; number++) {
      int written = reads ? 0 : arrays.lengths[slot(number)];
      int length = snapshot.number("lengths", written, 1, LONGEST);
      octets += length;
      if (reads) {
        append(0, length, 0);
        arrays.follows[last()] = number > first;
      }
      arrays.transfer(snapshot, slot(number));
    }
    if (snapshot.flag("packets", arrays.packets[slot(first)] != 0)) {
      if (reads) {
        allocate(snapshot, first, octets);
      } else {
        boolean ignored = snapshot.flag("isLong", pool.isLong(arrays.packets[slot(first)]));
      }
      transferPayload(snapshot, slot(first), (int) octets);
    }
    return count;
  }

  /** How many segments, from the given one on, are in its packet. */
  private int together(long number) {
    long next = number + 1;
    while (next < tail && arrays.follows[slot(next)]) {
      next++;
    }
    return (int) (next - number);
  }

  /** Allocates a packet for the segments from the given one on. */
  private void allocate(Snapshot snapshot, long first, long octets) {
    long packet = snapshot.flag("isLong", false) ? pool.allocateLong() : pool.allocate();
    if (packet == 0) {
      throw snapshot.wrong("the pool has no packet left");
    }
    arrays.packets[slot(first)] = packet;
    count(packet, 1);
    long payload = pool.address(packet);
    if (octets > pool.end(packet) - payload) {
      throw snapshot.wrong(octets + " octets do not fit into a packet of the pool");
    }
    for (long number = first; number < tail; number++) {
      arrays.packets[slot(number)] = packet;
      arrays.payloads[slot(number)] = payload;
      payload += arrays.lengths[slot(number)];
    }
  }

  private void transferPayload(Snapshot snapshot, int slot, int octets) {
    long packet = arrays.packets[slot];
    long payload = arrays.payloads[slot];
    int before = (int) Math.min(payload - pool.address(packet), HEADROOM);
    before = snapshot.number("before", before, 0, HEADROOM);
    snapshot.octets("payloads", payload, octets);
    if (snapshot.reads()) {
      pool.window(packet, payload - before, octets + before);
    }
  }
}
