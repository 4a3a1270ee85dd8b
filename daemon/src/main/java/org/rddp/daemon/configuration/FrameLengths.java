package org.rddp.daemon.configuration;

import org.rddp.wire.Ethernet;
import org.rddp.wire.Vlan;

/** The lengths of an interface's frames and packet buffers in octets. */
public final class FrameLengths {
  /** Least size of a receive buffer that many drivers require, for any MTU. */
  private static final int LEAST_ROOM = 2048;

  /** A VLAN tag in a frame. */
  private static final int TAG = 4;

  /** A driver's header before a frame; virtio's is the longest. */
  private static final int DRIVER_HEADER = 12;

  private static final int ALIGNMENT = 64;

  /** Descriptor, its headroom, and the header of the pool's object, before each buffer. */
  private static final int BEFORE_ROOM = 128 + 128 + 64;

  /** The room of the largest buffer, whose octets DPDK counts in 16 bits. */
  private static final int MOST_ROOM = 65535 - 128;

  private static final int MOST_LONG = 256;
  private static final int PACKETS_PER_LONG = 16;

  private FrameLengths() {}

  /** The longest frame of an interface. */
  static int frame(int mtu, int vlan) {
    return Ethernet.HEADER + mtu + (vlan == Vlan.NONE ? 0 : TAG);
  }

  /** The longest frame of an interface. */
  public static int frame(InterfaceConfiguration configured) {
    return frame(configured.mtu(), configured.vlan());
  }

  /** The room of a packet buffer, without its headroom. */
  public static int room(InterfaceConfiguration configured) {
    int room = Ethernet.HEADER + TAG + configured.mtu() + DRIVER_HEADER;
    DeviceName device = configured.device();
    if (device.driver().equals("net_af_packet") && !configured.usesPacketSockets()) {
      // The driver refuses buffers that are shorter than a slot's frame.
      DeviceName opened = device.ofDriver(frame(configured), configured.engines());
      room = Math.max(room, AfPacketFrames.carried(opened.arguments()));
    }
    return Math.max(LEAST_ROOM, room + ALIGNMENT - 1 & -ALIGNMENT);
  }

  /** The room of a packet buffer for the longest frames of an interface, without its headroom. */
  public static int longRoom(InterfaceConfiguration configured) {
    if (configured.usesPacketSockets()) {
      // The kernel sends and merges segments up to this, whatever we send.
      return MOST_ROOM;
    }
    int room = Ethernet.HEADER + TAG + configured.longestFrame() + DRIVER_HEADER;
    return room + ALIGNMENT - 1 & -ALIGNMENT;
  }

  /**
   * Additional packet buffers of all engines for the longest frames; 0 if no frame is longer than
   * the MTU allows.
   */
  public static int longPackets(InterfaceConfiguration configured) {
    return configured.engines() * longPacketsOfEngine(configured);
  }

  /**
   * Additional packet buffers of an engine for the longest frames; 0 if no frame is longer than the
   * MTU allows. Few, so that they stay in the processor's cache.
   */
  public static int longPacketsOfEngine(InterfaceConfiguration configured) {
    boolean any = configured.longestFrame() > configured.mtu();
    return any ? Math.min(MOST_LONG, configured.packetsOfEngine() / PACKETS_PER_LONG) : 0;
  }

  /** The memory of an interface's packet buffers; DPDK needs some more for itself. */
  static long packetMemory(InterfaceConfiguration configured) {
    return ordinaryMemory(configured)
        + (long) longPackets(configured) * (BEFORE_ROOM + longRoom(configured));
  }

  /** The memory of the packet buffers that are not for the longest frames. */
  static long ordinaryMemory(InterfaceConfiguration configured) {
    return (long) configured.packets() * (BEFORE_ROOM + room(configured));
  }
}
