package org.rddp.simulation;

import java.util.HashMap;
import java.util.Map;
import org.rddp.device.FrameDevice;
import org.rddp.device.Offloads;
import org.rddp.device.PacketPool;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Memory;

/**
 * A host's network card. A sent frame goes to the connected hop at once. The card may keep the
 * host's packets for some time after that, and may accept fewer packets than offered, as real cards
 * do. It may take {@link LongFrames}.
 */
public final class Card implements FrameDevice, Hop {
  private static final int RING = 1024;
  private static final int HANDLE_BITS = 32;

  private final Network network;
  private final long macAddress;
  private final int mtu;
  private final LongFrames longFrames;

  /** The packets whose checksum was left to the card, and the octets of the segments to cut. */
  private final Map<Long, Integer> requested = new HashMap<>();

  private final long[] ring = new long[RING];
  private final Event completion = this::complete;
  private PacketPool pool;
  private Hop out;
  private Runnable interrupt = () -> {};
  private int head;
  private int count;
  private int places = RING;
  private int sendRing = Integer.MAX_VALUE;
  private long holding;
  private int held;
  private long missed;
  private long cut;
  private long merged;
  private boolean closed;
  private long generation;

  Card(Network network, PacketPool pool, long macAddress, int mtu, LongFrames longFrames) {
    this.network = network;
    this.pool = pool;
    this.macAddress = macAddress;
    this.mtu = mtu;
    this.longFrames = longFrames;
  }

  /** Connects the card to a hop that takes its frames. */
  public void connect(Hop hop) {
    out = hop;
  }

  /** Sets code that is called when a frame has arrived or a held packet has been released. */
  public void interrupt(Runnable code) {
    interrupt = code;
  }

  /**
   * Holds packets for some time after they were sent.
   *
   * @param time how long, in nanoseconds
   * @param packets the most that are held; the card accepts no more meanwhile
   */
  public void hold(long time, int packets) {
    holding = time;
    sendRing = packets;
  }

  /**
   * Limits the receive ring.
   *
   * @param frames that it holds, 1 to 1024; others are dropped
   */
  public void receiveRing(int frames) {
    places = frames;
  }

  /** Frames dropped because the ring was full or the pool empty. */
  public long missed() {
    return missed;
  }

  /** Whether frames of several segments leave it whole. */
  public boolean passesLongFrames() {
    return longestFrame() > mtu && !longFrames.cuts();
  }

  /** Frames that it has cut into segments. */
  public long cut() {
    return cut;
  }

  /** Received segments that it has appended to others. */
  public long merged() {
    return merged;
  }

  @Override
  public int longestFrame() {
    return Math.max(longFrames.longest(), mtu);
  }

  @Override
  public int offloads() {
    return longFrames.cuts() ? Offloads.CHECKSUM | Offloads.SEGMENTATION : Offloads.NONE;
  }

  @Override
  public void requestOffload(long packet, int link, int ip, int tcp, int segment) {
    requested.put(packet, segment);
  }

  @Override
  public PacketPool pool() {
    return pool;
  }

  @Override
  public long macAddress() {
    return macAddress;
  }

  @Override
  public int mtu() {
    return mtu;
  }

  @Override
  public boolean up() {
    return !closed && out != null;
  }

  @Override
  public int receive(long[] packets) {
    int taken = Math.min(count, packets.length);
    for (int i = 0; i < taken; i++) {
      packets[i] = ring[head];
      head = (head + 1) % RING;
    }
    count -= taken;
    return taken;
  }

  /** Frames in the receive ring. */
  public int waiting() {
    return count;
  }

  @Override
  public int transmit(long[] packets, int from, int count) {
    if (closed) {
      return 0;
    }
    for (int i = 0; i < count; i++) {
      if (held >= sendRing) {
        return i;
      }
      send(packets[from + i]);
    }
    return count;
  }

  private void send(long packet) {
    FrameStore frames = network.frames();
    int length = pool.length(packet);
    long frame = frames.allocate(length);
    Memory.copy(pool.address(packet), frames.address(frame), length);
    if (holding == 0) {
      pool.release(packet);
    } else {
      held++;
      network
          .events()
          .schedule(network.now() + holding, completion, generation << HANDLE_BITS | packet);
    }
    Integer segment = requested.remove(packet);
    int payload = segment == null ? 0 : SegmentView.payloadLength(frames.address(frame));
    if (segment != null && segment > 0 && payload > segment) {
      cut++;
      for (int from = 0; from < payload; from += segment) {
        int octets = Math.min(segment, payload - from);
        pass(SegmentView.piece(frames, frame, from, octets, from + octets == payload));
      }
      frames.release(frame);
      return;
    }
    if (segment != null) {
      SegmentView.checksum(frames.address(frame));
    }
    pass(frame);
  }

  private void pass(long frame) {
    network.report(NetworkEvent.SENT, frame);
    if (out == null) {
      network.drop(NetworkEvent.LOST, frame);
    } else {
      out.take(frame);
    }
  }

  /** A packet from before a restart was freed with its pool. */
  private void complete(long packet) {
    if (packet >>> HANDLE_BITS == generation) {
      held--;
      pool.release(packet & ((1L << HANDLE_BITS) - 1));
      interrupt.run();
    }
  }

  /** A frame arrives. It is dropped if there is no packet for it or no place in the ring. */
  @Override
  public void take(long frame) {
    FrameStore frames = network.frames();
    int length = frames.length(frame);
    if (longFrames.merges() && !closed && count > 0 && merges(frame)) {
      return;
    }
    boolean fits = !closed && count < places;
    long packet = fits ? allocate(length) : 0;
    if (packet == 0) {
      missed += closed ? 0 : 1;
      network.drop(NetworkEvent.MISSED, frame);
      return;
    }
    network.report(NetworkEvent.ARRIVED, frame);
    long address = pool.address(packet);
    Memory.copy(frames.address(frame), address, length);
    pool.window(packet, address, length);
    ring[(head + count) % RING] = packet;
    count++;
    frames.release(frame);
    interrupt.run();
  }

  private long allocate(int length) {
    if (length <= pool.room()) {
      return pool.allocate();
    }
    return length <= longestFrame() + Ethernet.HEADER ? pool.allocateLong() : 0;
  }

  /** Appends a segment to the one received last, if it follows that and both fit a packet. */
  private boolean merges(long frame) {
    FrameStore frames = network.frames();
    long second = frames.address(frame);
    int last = (head + count - 1) % RING;
    long packet = ring[last];
    long first = pool.address(packet);
    if (!SegmentView.isOrdinary(second, frames.length(frame))
        || !SegmentView.isOrdinary(first, pool.length(packet))
        || !SegmentView.follows(first, second)) {
      return false;
    }
    int length = SegmentView.total(SegmentView.packet(first)) + SegmentView.payloadLength(second);
    if (length > longestFrame()) {
      return false;
    }
    if (first + Ethernet.HEADER + length > pool.end(packet)) {
      long longer = pool.allocateLong();
      if (longer == 0) {
        return false;
      }
      Memory.copy(first, pool.address(longer), pool.length(packet));
      pool.release(packet);
      ring[last] = longer;
      packet = longer;
      first = pool.address(longer);
    }
    network.report(NetworkEvent.ARRIVED, frame);
    pool.window(packet, first, SegmentView.append(first, second));
    frames.release(frame);
    merged++;
    return true;
  }

  /** Stops sending and receiving. */
  @Override
  public void close() {
    closed = true;
    for (; count > 0; count--) {
      pool.release(ring[head]);
      head = (head + 1) % RING;
    }
  }

  /** Restarts with packets of another pool; held packets of the old one are forgotten. */
  void restart(PacketPool packets) {
    pool = packets;
    requested.clear();
    generation++;
    held = 0;
    count = 0;
    closed = false;
  }
}
