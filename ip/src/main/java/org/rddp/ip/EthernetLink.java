package org.rddp.ip;

import org.rddp.device.FrameDevice;
import org.rddp.device.PacketPool;
import org.rddp.device.TransmitQueue;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Vlan;

/**
 * Our end of an Ethernet link: writes Ethernet headers, with or without a VLAN tag, and queues the
 * frames for the device.
 */
final class EthernetLink {
  private static final int QUEUED_FRAMES = 256;
  private static final int FEWEST_QUEUED_FRAMES = 4;

  private final PacketPool pool;
  private final TransmitQueue queue;
  private final long macAddress;
  private final int vlan;
  private final int priority;

  /**
   * Creates the end of one VLAN, or of the untagged frames if it is {@link Vlan#NONE}.
   *
   * @param priority of the tag
   */
  EthernetLink(FrameDevice device, int vlan, int priority) {
    this.vlan = vlan;
    this.priority = priority;
    pool = device.pool();
    macAddress = device.macAddress();
    // Bounded by the pool: a device that takes no frames must not use up all packets.
    int frames = Math.max(Math.min(QUEUED_FRAMES, pool.capacity() / 8), FEWEST_QUEUED_FRAMES);
    queue = new TransmitQueue(device, frames);
  }

  PacketPool pool() {
    return pool;
  }

  long macAddress() {
    return macAddress;
  }

  /** Octets of the Ethernet header. */
  int header() {
    return vlan == Vlan.NONE ? Ethernet.HEADER : Vlan.HEADER;
  }

  /**
   * Octets of the header of a received frame.
   *
   * @return 0 if the header is incomplete; -1 if the frame belongs to another VLAN. A frame with a
   *     priority tag counts as untagged (IEEE 802.1Q).
   */
  int header(long frame, int length) {
    if (!Ethernet.wellFormed(length)) {
      return 0;
    }
    if (Ethernet.type(frame) != Vlan.TYPE_TAGGED) {
      return vlan == Vlan.NONE ? Ethernet.HEADER : -1;
    }
    if (!Vlan.wellFormed(length)) {
      return 0;
    }
    return Vlan.identifier(frame) == vlan ? Vlan.HEADER : -1;
  }

  /** Whether another frame can be queued now. */
  boolean room() {
    return queue.room();
  }

  /**
   * Writes an Ethernet header in front of a packet and queues the frame. Takes over the reference.
   *
   * @param payload of the frame, with {@link #header} octets of room in front
   * @return false if there was no room, and the packet has been released
   */
  boolean send(long packet, long payload, int length, long destination, int type) {
    frame(packet, payload, length, destination, type);
    if (queue.offer(packet)) {
      return true;
    }
    pool.release(packet);
    return false;
  }

  /** Writes an Ethernet header in front of a packet, like {@link #send}, and queues nothing. */
  void frame(long packet, long payload, int length, long destination, int type) {
    long frame = payload - header();
    if (vlan == Vlan.NONE) {
      Ethernet.write(frame, destination, macAddress, type);
    } else {
      Vlan.write(frame, destination, macAddress, vlan, priority, type);
    }
    pool.window(packet, frame, length + header());
  }

  /** Passes queued frames to the device; returns how many it took. */
  int flush() {
    return queue.flush();
  }

  /** Whether frames wait until the device takes them. */
  boolean hasUnsentFrames() {
    return unsentFrames() > 0;
  }

  /** Passes queued frames to the device and releases those that it does not take. */
  void close() {
    try {
      queue.flush();
    } finally {
      queue.clear();
    }
  }

  /** Frames that wait until the device takes them. */
  int unsentFrames() {
    return queue.size();
  }
}
