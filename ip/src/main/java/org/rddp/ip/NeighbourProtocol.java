package org.rddp.ip;

/** How one family asks its link for MAC addresses: ARP or Neighbour Discovery. */
interface NeighbourProtocol {
  /** Its name, for reports. */
  String name();

  /** EtherType of the packets that wait for an answer. */
  int etherType();

  /** Nanoseconds after which a MAC address in use must be confirmed. */
  long confirmAfter();

  /**
   * Asks for the MAC address of a host, once.
   *
   * @param macAddress the only station to ask; {@link Neighbour#UNKNOWN} to ask the whole link
   */
  void ask(HostAddress host, long macAddress);
}
