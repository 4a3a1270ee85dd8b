package org.rddp.simulation;

import org.rddp.device.FrameDevice;
import org.rddp.device.PacketPool;
import org.rddp.wire.Memory;

/**
 * A host's network card. A sent frame goes to the connected hop at once. The card may keep the
 * host's packets for some time after that, and may accept fewer packets than offered, as real cards
 * do.
 */
public final class Card implements FrameDevice, Hop {
  private static final int RING = 1024;
  private static final int HANDLE_BITS = 32;

  private final Network network;
  private final long macAddress;
  private final int mtu;
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
  private boolean closed;
  private long generation;

  Card(Network network, PacketPool pool, long macAddress, int mtu) {
    this.network = network;
    this.pool = pool;
    this.macAddress = macAddress;
    this.mtu = mtu;
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

  /** Frames that were dropped for want of a place in the ring or a packet. */
  public long missed() {
    return missed;
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
    boolean fits = !closed && count < places && length <= pool.room();
    long packet = fits ? pool.allocate() : 0;
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

  /** The card neither sends nor receives from now on. */
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
    generation++;
    held = 0;
    count = 0;
    closed = false;
  }
}
