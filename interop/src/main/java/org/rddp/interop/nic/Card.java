package org.rddp.interop.nic;

/**
 * A card of the guest.
 *
 * @param name of QEMU's device, of the tap, and of the interface on both sides: the kind of card,
 *     and behind a hyphen the kind of rddp's device if the card is left to the kernel's driver
 * @param number from 1 on: the last octet of its MAC address
 */
record Card(String name, int number) {
  /** The MTU of frames longer than usual. */
  static final int LARGE_MTU = 9000;

  /** The usual MTU. */
  static final int USUAL_MTU = 1500;

  /** Whether it is bound to vfio-pci, and not left to the kernel's driver. */
  boolean isBound() {
    return name.indexOf('-') < 0;
  }

  /** The address of the guest's kernel by a card that is left to it. */
  String kernelsAddress() {
    return "10.98." + number + ".4";
  }

  /** Its MAC address in the guest. */
  String macAddress() {
    return "52:54:00:00:52:0" + number;
  }

  /**
   * Engines of the guest's daemon that share it: two where DPDK's driver tells its table of queues.
   */
  int engines() {
    return name.startsWith("rss") || name.startsWith("igb") ? 2 : 1;
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
   * Whether received frames wake an engine. DPDK's driver of the others claims so, too, but is
   * wrong.
   */
  boolean interrupts() {
    return !isBound() || !name.startsWith("e1000");
  }
}
