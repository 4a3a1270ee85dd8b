package org.rddp.mpa;

import org.rddp.mpa.StartupFrame.Kind;
import org.rddp.wire.Memory;

/**
 * Puts a peer's startup frame together from octets as they come, and judges each field as soon as
 * it is there: plain text is refused at its first octet, and nothing beyond the frame is taken.
 */
abstract class StartupFrameReader {
  /** What has come of the frame. */
  final byte[] octets;

  private final Kind expected;
  private int count;
  private String fault;

  /**
   * A reader of one frame.
   *
   * @param expected the frame that the peer has to send
   * @param largest the most octets that it can have
   */
  StartupFrameReader(Kind expected, int largest) {
    this.expected = expected;
    octets = new byte[largest];
  }

  /** Where the field behind the Key that is coming ends; where the frame ends if none is coming. */
  abstract int fieldEnd();

  /** Judges the field that ends at {@link #count}; returns what is wrong with it, or null. */
  abstract String checkField();

  /** Says what is missing of the fields behind the Key. */
  abstract String missingField();

  /** The frame, once complete. */
  abstract StartupFrame frame();

  /**
   * What makes a well-formed frame one that we cannot work with, with the field's name, or null: it
   * is read to its end all the same, so that it can be answered.
   */
  String incompatibility() {
    return null;
  }

  /**
   * Takes octets of the frame.
   *
   * @return how many of them belong to it; fewer than {@code length} when it is complete or at
   *     fault
   */
  final int take(long address, int length) {
    int taken = 0;
    while (taken < length && fault == null && !complete()) {
      int end = inKey() ? count + 1 : fieldEnd();
      int part = Math.min(length - taken, end - count);
      Memory.copy(address + taken, octets, count, part);
      taken += part;
      count += part;
      if (count == end) {
        fault = count <= expected.keyOctets() ? checkKey(count - 1) : checkField();
      }
    }
    return taken;
  }

  /** Whether a well-formed frame is there. */
  final boolean complete() {
    return fault == null && !inKey() && count == fieldEnd();
  }

  /** What makes the frame invalid, with the field's name, or null. */
  final String fault() {
    return fault;
  }

  /** How messages call the frame. */
  final String title() {
    return expected.title();
  }

  /** Octets of the frame so far. */
  final int count() {
    return count;
  }

  /** What is still missing, with the field's name. */
  final String missing() {
    return inKey() ? missing("Key", count, expected.keyOctets()) : missingField();
  }

  static String missing(String field, int have, int whole) {
    return field + " is incomplete: " + have + " of " + whole + " octets";
  }

  private boolean inKey() {
    return count < expected.keyOctets();
  }

  private String checkKey(int at) {
    int octet = octets[at] & 0xff;
    if (octet == expected.key(at)) {
      return null;
    }
    String wrong = String.format("Key octet %d is 0x%02x, not 0x%02x", at, octet, expected.key(at));
    for (Kind other : Kind.values()) {
      if (other != expected && other.begins(octets, at + 1)) {
        return wrong + ", as in an " + other.title();
      }
    }
    return wrong;
  }
}
