package org.rddp.interop.nic;

/**
 * A card of the guest.
 *
 * @param name of QEMU's device, of the tap, and of the interface on both sides
 * @param number from 1 on: the last octet of its MAC address
 */
record Card(String name, int number) {
  /** The MTU of frames longer than usual. */
  static final int LARGE_MTU = 9000;

  /** The usual MTU. */
  static final int USUAL_MTU = 1500;

  /** Its MAC address in the guest. */
  String macAddress() {
    return "52:54:00:00:52:0" + number;
  }

  /**
   * Engines of the guest's daemon that share it: two where the driver tells its table of queues.
   */
  int engines() {
    return name.equals("rss") || name.equals("igb") ? 2 : 1;
  }

  /**
   * Whether TCP over IPv6 arrives at the predicted queue. DPDK asks igb to hash it by a bit of the
   * register MRQC (21, TCP over IPv6) that QEMU's igb does not know: it hashes TCP over IPv6 only
   * if asked by bit 18 (with extension headers), so all of it arrives at the first queue.
   */
  boolean steersIpv6() {
    return !name.equals("igb");
  }

  /**
   * Whether received frames wake an engine. The driver of the others claims so, too, but is wrong.
   */
  boolean interrupts() {
    return !name.startsWith("e1000");
  }
}
