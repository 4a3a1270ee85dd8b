package org.rddp.bench.rtt;

import org.rddp.device.FrameDevice;
import org.rddp.device.PacketPool;
import org.rddp.wire.Ethernet;
import org.rddp.wire.Memory;

/** One end of a link: sends a payload in a frame, and receives payloads of frames. */
final class RawFrames {
  /** Octets of the longest payload, at an MTU of 1500. */
  static final int LONGEST = 1500;

  private static final int BURST = 32;

  private final FrameDevice device;
  private final PacketPool pool;
  private final long[] one = new long[1];
  private final long[] packets = new long[BURST];

  RawFrames(FrameDevice device) {
    this.device = device;
    this.pool = device.pool();
  }

  /** Copies a payload into a frame, and sends it. */
  void send(long address, int octets) {
    long packet = pool.allocate();
    while (packet == 0) {
      packet = pool.allocate();
    }
    long frame = pool.address(packet);
    pool.window(packet, frame, Ethernet.HEADER + octets);
    Memory.copy(address, frame + Ethernet.HEADER, octets);
    one[0] = packet;
    while (device.transmit(one, 0, 1) == 0) {
      Thread.onSpinWait();
    }
  }

  /**
   * Copies the payload of each received frame, its last eight octets last.
   *
   * @return octets of the last frame's payload; 0 when there is no frame
   */
  int receive(long address) {
    int count = device.receive(packets);
    int octets = 0;
    for (int i = 0; i < count; i++) {
      long payload = pool.address(packets[i]) + Ethernet.HEADER;
      octets = pool.length(packets[i]) - Ethernet.HEADER;
      int before = octets - Long.BYTES;
      Memory.copy(payload, address, before);
      MessageNumbers.release(address + before, Memory.getLongNative(payload + before));
      pool.release(packets[i]);
    }
    return octets;
  }
}
