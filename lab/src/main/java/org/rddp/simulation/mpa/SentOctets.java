package org.rddp.simulation.mpa;

import java.util.Arrays;
import java.util.BitSet;
import org.rddp.simulation.Violations;
import org.rddp.wire.Memory;

/**
 * The octets of one half connection as MPA has sent them, and which of them arrived corrupted at
 * the other end although the TCP checksum was right.
 */
final class SentOctets {
  private final Violations violations;
  private final BitSet wrong = new BitSet();
  private byte[] octets = new byte[1 << 14];
  private byte[] scratch = new byte[1 << 11];
  private int count;
  private int wrongCount;

  SentOctets(Violations violations) {
    this.violations = violations;
  }

  /** MPA sends octets. */
  void sent(long address, int length) {
    if (count + length > octets.length) {
      octets = Arrays.copyOf(octets, Math.max(2 * octets.length, count + length));
    }
    Memory.copy(address, octets, count, length);
    count += length;
  }

  /** TCP hands up octets at the other end. Returns how many of them are wrong. */
  int came(long position, long address, int length) {
    if (position + length > count) {
      violations.add("octets up to " + (position + length) + " came of " + count + " sent");
      return 0;
    }
    if (length > scratch.length) {
      scratch = new byte[2 * length];
    }
    Memory.copy(address, scratch, 0, length);
    int before = wrongCount;
    int first = (int) position;
    int from = 0;
    while (from < length) {
      int at = Arrays.mismatch(scratch, from, length, octets, first + from, first + length);
      if (at < 0) {
        break;
      }
      wrong.set(first + from + at);
      wrongCount++;
      from += at + 1;
    }
    return wrongCount - before;
  }

  /** How many there are. */
  int count() {
    return count;
  }

  /** The octet at a position as it was sent, 0 to 255. */
  int octet(int position) {
    return octets[position] & 0xff;
  }

  /** How many arrived wrong. */
  int wrong() {
    return wrongCount;
  }

  /** Position of the first that arrived wrong; {@link Long#MAX_VALUE} if none did. */
  long firstWrong() {
    int first = wrong.nextSetBit(0);
    return first < 0 ? Long.MAX_VALUE : first;
  }

  /** Whether any from a position up to another arrived wrong. */
  boolean wrong(long from, long to) {
    int next = wrong.nextSetBit((int) from);
    return next >= 0 && next < to;
  }
}
