package org.rddp.simulation;

import org.rddp.device.FrameDevice;
import org.rddp.device.PacketPool;
import org.rddp.wire.Memory;

/**
 * A host's network card. What it sends goes to the hop that it is connected to, at once; it may
 * hold the host's packets for a while after that, and take fewer than offered, as real ones do.
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
  private long lives;

  Card(Network network, PacketPool pool, long macAddress, int mtu) {
    this.network = network;
    this.pool = pool;
    this.macAddress = macAddress;
    this.mtu = mtu;
  }

  /** Sends to the given hop from now on. */
  public void connect(Hop hop) {
    out = hop;
  }

  /** Calls the given code whenever a frame has arrived, or a packet that was held is given back. */
  public void interrupt(Runnable code) {
    interrupt = code;
  }

  /**
   * Holds packets after they were sent.
   *
   * @param time how long, in nanoseconds
   * @param packets how many at most; while there are so many, no more are taken
   */
  public void hold(long time, int packets) {
    holding = time;
    sendRing = packets;
  }

  /**
   * Keeps fewer received frames for its host.
   *
   * @param frames how many at most, 1 to 1024; more are missed
   */
  public void receiveRing(int frames) {
    places = frames;
  }

  /** Frames that it has missed because its host had left it no place or no packet for them. */
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

  /** Frames that wait to be received. */
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
      network.events().schedule(network.now() + holding, completion, lives << HANDLE_BITS | packet);
    }
    network.report(NetworkEvent.SENT, frame);
    if (out == null) {
      network.drop(NetworkEvent.LOST, frame);
    } else {
      out.take(frame);
    }
  }

  /** A packet of a life before this one went with its pool. */
  private void complete(long packet) {
    if (packet >>> HANDLE_BITS == lives) {
      held--;
      pool.release(packet & ((1L << HANDLE_BITS) - 1));
      interrupt.run();
    }
  }

  /** A frame arrives: it is lost when there is no packet for it, or no place in the ring. */
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

  /** Pulls the plug: neither sends nor receives any more. */
  @Override
  public void close() {
    closed = true;
    for (; count > 0; count--) {
      pool.release(ring[head]);
      head = (head + 1) % RING;
    }
  }

  /** Begins anew, with packets of another pool; what it held of the old one is forgotten. */
  void restart(PacketPool packets) {
    pool = packets;
    lives++;
    held = 0;
    count = 0;
    closed = false;
  }
}
