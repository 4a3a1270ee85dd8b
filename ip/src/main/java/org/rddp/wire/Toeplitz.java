package org.rddp.wire;

import java.security.SecureRandom;

/**
 * The Toeplitz hash of a TCP segment, by which network cards choose a receive queue (RSS). The hash
 * is linear, so one table look-up for each octet computes it. Immutable.
 */
public final class Toeplitz {
  /** Octets that are hashed: both addresses and both ports. */
  private static final int INPUT = 12;

  /** Octets that are hashed over IPv6. */
  private static final int IPV6_INPUT = 36;

  /** Octets of the shortest key. */
  public static final int SHORTEST_KEY = INPUT + Integer.BYTES;

  /** Octets of the shortest key for IPv6. */
  public static final int SHORTEST_IPV6_KEY = IPV6_INPUT + Integer.BYTES;

  private final int[] table;

  /**
   * Creates the hash with a key.
   *
   * @param key at least {@link #SHORTEST_KEY} octets, of which the first ones matter
   */
  public Toeplitz(byte[] key) {
    if (key.length < SHORTEST_KEY) {
      throw new IllegalArgumentException("a key of " + key.length + " octets is too short");
    }
    int input = key.length < SHORTEST_IPV6_KEY ? INPUT : IPV6_INPUT;
    table = new int[input << 8];
    for (int octet = 0; octet < input; octet++) {
      for (int value = 0; value < 1 << 8; value++) {
        table[octet << 8 | value] = hash(key, octet, value);
      }
    }
  }

  private static int hash(byte[] key, int octet, int value) {
    int hash = 0;
    for (int bit = 0; bit < Byte.SIZE; bit++) {
      if ((value & 0x80 >> bit) != 0) {
        hash ^= window(key, octet * Byte.SIZE + bit);
      }
    }
    return hash;
  }

  /** The 32 bits of the key that begin at a given bit. */
  private static int window(byte[] key, int from) {
    int window = 0;
    for (int bit = from; bit < from + Integer.SIZE; bit++) {
      window = window << 1 | (key[bit >> 3] >> (7 - (bit & 7)) & 1);
    }
    return window;
  }

  /** A key that nobody can predict, so that peers cannot choose the queue of their connections. */
  public static byte[] randomKey(int octets, SecureRandom random) {
    byte[] key = new byte[octets];
    random.nextBytes(key);
    return key;
  }

  /** The hash of a segment, by the addresses and ports as its header has them. */
  public int hash(int source, int destination, int sourcePort, int destinationPort) {
    return part(0, source) ^ part(4, destination) ^ port(8, sourcePort) ^ port(10, destinationPort);
  }

  /** Whether the key is long enough for IPv6. */
  public boolean hashesIpv6() {
    return table.length == IPV6_INPUT << 8;
  }

  /** The hash of a segment over IPv6, whose addresses are given by their halves. */
  public int hash(
      long sourceHigh,
      long sourceLow,
      long destinationHigh,
      long destinationLow,
      int sourcePort,
      int destinationPort) {
    return half(0, sourceHigh)
        ^ half(8, sourceLow)
        ^ half(16, destinationHigh)
        ^ half(24, destinationLow)
        ^ port(32, sourcePort)
        ^ port(34, destinationPort);
  }

  private int half(int octet, long half) {
    return part(octet, (int) (half >>> 32)) ^ part(octet + 4, (int) half);
  }

  private int part(int octet, int word) {
    return port(octet, word >>> 16) ^ port(octet + 2, word & 0xffff);
  }

  private int port(int octet, int half) {
    return table[(octet << 8) | (half >> 8)] ^ table[((octet + 1) << 8) | (half & 0xff)];
  }
}
