package org.rddp.ip;

/** What a transport protocol (TCP) implements: how the {@link IpLayer} speaks upward. */
public interface TransportHandler {
  /** Whether the transport wants to be told of a whole burst before its first packet comes. */
  default boolean wantsPrefetch() {
    return false;
  }

  /**
   * A packet of the next burst carries so. Nothing of it has been checked but the length of its IP
   * header, so this must change nothing that can be noticed.
   *
   * @param source the sender's address
   * @param address the transport header's first octet, of at least eight
   */
  default void addToPrefetch(int source, long address) {}

  /** All of the burst is told. */
  default void prefetch() {}

  /**
   * A whole packet for us has arrived, its IP header checked.
   *
   * @param source the sender's address
   * @param senderMac where its frame came from
   * @param ecn the ECN codepoint that it came with, such as {@link org.rddp.wire.Ipv4#CE}
   * @param address the transport header's first octet
   * @param length octets of header and payload
   * @param packet the packet they lie in, the caller's; retain it to keep it
   */
  void onDatagram(int source, long senderMac, int ecn, long address, int length, long packet);

  /**
   * An ICMP message says that a packet of ours was not delivered. Anyone can send such a message.
   *
   * @param code why, as in RFC 792 type 3
   * @param remote where our packet was going
   * @param address the transport header that it quotes
   * @param length octets quoted from there, at least 8
   */
  void onUnreachable(int code, int remote, long address, int length);

  /**
   * An ICMP message says that a packet of ours was too large for its path (RFC 1191). Anyone can
   * send such a message: the transport answers with {@link IpLayer#lowerPathMtu} if it believes it.
   *
   * @param remote where our packet was going
   * @param mtu what the path is said to carry, in octets of an IP packet, less than that packet had
   * @param address the transport header that it quotes
   * @param length octets quoted from there, at least 8
   */
  void onTooBig(int remote, int mtu, long address, int length);

  /**
   * What was known of a path is too old to count: larger packets may be tried again (RFC 1191
   * section 6.3).
   *
   * @param mtu octets that may be tried
   */
  void onPathMtu(int remote, int mtu);
}
