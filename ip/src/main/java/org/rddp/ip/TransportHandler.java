package org.rddp.ip;

import java.util.function.Predicate;

/** Implemented by the transport protocol (TCP), which {@link IpLayer} calls. */
public interface TransportHandler {
  /** Whether the transport wants to prefetch its state for a whole burst. */
  default boolean wantsPrefetch() {
    return false;
  }

  /**
   * Adds a packet of the burst to the prefetch. Only the lengths in its IP header have been
   * checked, so this must have no visible effect.
   *
   * @param source number of the sender's path
   * @param address of the transport header
   * @param length octets of header and payload
   */
  default void addToPrefetch(int source, long address, int length) {}

  /** Prefetches for the packets added. */
  default void prefetch() {}

  /**
   * A whole packet for us has arrived, its IP header checked.
   *
   * @param source number of the sender's path: {@link IpLayer#path(int)}
   * @param pseudoHeader partial sum of the pseudo header
   * @param senderMac source of its frame
   * @param ecn its ECN codepoint, such as {@link org.rddp.wire.Ipv4#CE}
   * @param address of the transport header
   * @param length octets of header and payload
   * @param packet that holds them, the caller's; retain it to keep it
   */
  void onDatagram(
      int source,
      long pseudoHeader,
      long senderMac,
      int ecn,
      long address,
      int length,
      long packet);

  /**
   * Handles an ICMP message that a packet of ours was not delivered. Anyone can send such a
   * message.
   *
   * @param code the reason, as in RFC 792 type 3
   * @param path of our packet
   * @param sequence sequence number of our packet
   */
  void onUnreachable(int code, Path path, int localPort, int remotePort, int sequence);

  /**
   * Handles an ICMP message that a packet of ours was too large for its path (RFC 1191). Anyone can
   * send such a message: the transport calls {@link Path#lowerMtu} only if it accepts it.
   *
   * @param path of our packet
   * @param mtu claimed for the path, in octets of an IP packet, less than that packet had
   * @param sequence sequence number of our packet
   */
  void onTooBig(Path path, int mtu, int localPort, int remotePort, int sequence);

  /**
   * The MTU of a path has changed: it has expired, and larger packets may be tried again (RFC 1191
   * section 6.3), or another stack of the interface has lowered it.
   */
  void onPathMtu(Path path);

  /** The link's MTU for IPv6 has changed, and with it {@link Path#mtu} of its paths. */
  default void onIpv6LinkMtu() {}

  /**
   * Security associations that we send on have changed, and with them {@link Path#room} of some
   * paths, and what {@link Path#send} drops.
   *
   * @param paths whether a path is among them
   */
  default void onAssociations(Predicate<Path> paths) {}
}
