package org.rddp.tcp.handshake;

import java.util.random.RandomGenerator;
import org.rddp.snapshot.Snapshot;

/** SipHash-2-4 of two or five 64-bit words, with a key that other hosts do not know. */
public final class KeyedHash {
  /** The case of the block that follows the words; its last octet is the length. */
  private static final int LENGTH = 5;

  /** Shift from a number of words to their octets in the highest octet. */
  private static final int OCTETS_SHIFT = 59;

  private long key0;
  private long key1;

  /** Creates a hash with a random key. */
  public KeyedHash(RandomGenerator random) {
    this(random.nextLong(), random.nextLong());
  }

  /** Creates a hash with a given key. */
  public KeyedHash(long key0, long key1) {
    this.key0 = key0;
    this.key1 = key1;
  }

  /** The hash of sixteen octets, given as two words in little-endian order. */
  public long hash(long first, long second) {
    return hash(2, first, second, 0, 0, 0);
  }

  /** The hash of forty octets, given as five words in little-endian order. */
  public long hash(long first, long second, long third, long fourth, long fifth) {
    return hash(5, first, second, third, fourth, fifth);
  }

  private long hash(int words, long first, long second, long third, long fourth, long fifth) {
    long v0 = key0 ^ 0x736f6d6570736575L;
    long v1 = key1 ^ 0x646f72616e646f6dL;
    long v2 = key0 ^ 0x6c7967656e657261L;
    long v3 = key1 ^ 0x7465646279746573L;
    for (int block = 0; block < words + 2; block++) {
      long message =
          switch (block < words ? block : block - words + LENGTH) {
            case 0 -> first;
            case 1 -> second;
            case 2 -> third;
            case 3 -> fourth;
            case 4 -> fifth;
            case LENGTH -> (long) words << OCTETS_SHIFT;
            default -> 0;
          };
      int rounds = block > words ? 4 : 2;
      if (block > words) {
        v2 ^= 0xff;
      }
      v3 ^= message;
      for (int round = 0; round < rounds; round++) {
        v0 += v1;
        v1 = Long.rotateLeft(v1, 13) ^ v0;
        v0 = Long.rotateLeft(v0, 32);
        v2 += v3;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v0 += v3;
        v3 = Long.rotateLeft(v3, 21) ^ v0;
        v2 += v1;
        v1 = Long.rotateLeft(v1, 17) ^ v2;
        v2 = Long.rotateLeft(v2, 32);
      }
      v0 ^= message;
    }
    return v0 ^ v1 ^ v2 ^ v3;
  }

  /** Transfers the key. */
  public void transfer(Snapshot snapshot) {
    snapshot.begin(KeyedHash.class);
    key0 = snapshot.number("key0", key0);
    key1 = snapshot.number("key1", key1);
    snapshot.end();
  }
}
