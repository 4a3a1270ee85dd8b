package org.rddp.ip;

import org.rddp.device.FrameDevice;
import org.rddp.device.PacketPool;
import org.rddp.device.TransmitQueue;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Vlan;

/**
 * Our end of an Ethernet link: puts Ethernet headers in front of packets, with a VLAN tag or
 * without, and queues the frames for the device.
 */
final class EthernetLink {
  private static final int QUEUED_FRAMES = 256;
  private static final int FEWEST_QUEUED_FRAMES = 4;

  private final PacketPool pool;
  private final TransmitQueue queue;
  private final long macAddress;
  private final int vlan;

  /** The link of a device; one VLAN of it, or what is untagged if that is {@link Vlan#NONE}. */
  EthernetLink(FrameDevice device, int vlan) {
    this.vlan = vlan;
    pool = device.pool();
    macAddress = device.macAddress();
    // A device that takes nothing must not end up with every packet there is.
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
   * Octets in front of what a received frame carries.
   *
   * @return 0 when the frame has no whole header; -1 when it belongs to another VLAN. A frame that
   *     is tagged for its priority only counts as untagged (IEEE 802.1Q).
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

  /** Whether another frame would be taken now. */
  boolean room() {
    return queue.room();
  }

  /**
   * Puts an Ethernet header in front of a packet and queues the frame. Takes over the reference.
   *
   * @param payload what the frame carries, with {@link #header} octets of room in front
   * @return false when there was no room, and the packet has been given back
   */
  boolean send(long packet, long payload, int length, long destination, int type) {
    long frame = payload - header();
    if (vlan == Vlan.NONE) {
      Ethernet.write(frame, destination, macAddress, type);
    } else {
      Vlan.write(frame, destination, macAddress, vlan, type);
    }
    pool.window(packet, frame, length + header());
    if (queue.offer(packet)) {
      return true;
    }
    pool.release(packet);
    return false;
  }

  /** Hands queued frames to the device; returns how many it took. */
  int flush() {
    return queue.flush();
  }

  /** Hands over what the device takes and gives back the rest. */
  void close() {
    queue.flush();
    queue.clear();
  }
}
