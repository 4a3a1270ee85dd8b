package org.rddp.ip;

/** How one family asks its link for MAC addresses: ARP or Neighbour Discovery. */
interface NeighbourProtocol {
  /** Its name, for reports. */
  String name();

  /** EtherType of the packets that wait for an answer. */
  int etherType();

  /** Nanoseconds after which a MAC address in use is confirmed. */
  long confirmAfter();

  /**
   * Asks for the MAC address of a host, once.
   *
   * @param macAddress the station that is asked alone; {@link Neighbour#UNKNOWN} for the link
   */
  void ask(HostAddress host, long macAddress);
}
