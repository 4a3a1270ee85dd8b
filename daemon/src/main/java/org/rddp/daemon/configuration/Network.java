package org.rddp.daemon.configuration;

/**
 * An IPv4 address and the length of its network's prefix.
 *
 * @param address the 32-bit address
 * @param prefix prefix length in bits, 1 to 31
 */
record Network(int address, int prefix) {
  /**
   * Parses an address and its prefix length.
   *
   * @throws IllegalArgumentException if it is not a unicast host address of its network
   */
  static Network parse(String text) {
    int slash = text.indexOf('/');
    if (slash < 0) {
      throw new IllegalArgumentException("no prefix length");
    }
    int address = Ipv4Text.parse(text.substring(0, slash));
    int prefix = Integer.parseInt(text, slash + 1, text.length(), 10);
    int first = address >>> 24;
    Network network = new Network(address, prefix);
    if (prefix < 1 || prefix > 31 || first == 0 || first == 127 || first >= 224) {
      throw new IllegalArgumentException(text);
    }
    if (!network.isHost(address)) {
      throw new IllegalArgumentException("no host");
    }
    return network;
  }

  /** Whether an address is in the network. */
  boolean contains(int other) {
    return (address ^ other) >>> (32 - prefix) == 0;
  }

  /** Whether an address of the network is a host's: not the network's, nor the broadcast one. */
  boolean isHost(int host) {
    int suffix = host & (-1 >>> prefix);
    return prefix == 31 || (suffix != 0 && suffix != -1 >>> prefix);
  }

  /** Whether the networks have addresses in common without being the same network. */
  boolean overlaps(Network other) {
    return prefix != other.prefix && (contains(other.address) || other.contains(address));
  }

  @Override
  public String toString() {
    return Ipv4Text.format(address & -1 << (32 - prefix)) + "/" + prefix;
  }
}
