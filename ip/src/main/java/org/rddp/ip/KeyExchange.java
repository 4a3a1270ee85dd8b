package org.rddp.ip;

/**
 * Implemented by what connects an interface that has a security policy with a daemon of IKE (RFC
 * 7296). Called on the threads of the interface's engines; must not wait.
 */
public interface KeyExchange {
  /**
   * A datagram of UDP has arrived that may hold a message of IKE.
   *
   * @param local our address
   * @param remote the sender's address
   * @param datagram from the UDP header on; its checksum has not been verified
   */
  void onDatagram(HostAddress local, HostAddress remote, byte[] datagram);

  /**
   * A packet was not sent because no association is for it. Called a hundred times a second at most
   * by each engine.
   *
   * @param localPort of TCP; 0 if the packet has none
   * @param remotePort of TCP; 0 if the packet has none
   */
  void onNeed(HostAddress local, int localPort, HostAddress remote, int remotePort);
}
