package org.rddp.mpa;

import org.rddp.mpa.StartupFrame.Kind;
import org.rddp.snapshot.Snapshot;
import org.rddp.wire.Memory;

/**
 * Assembles a peer's startup frame from octets as they arrive and checks each field as soon as it
 * is complete: another protocol is refused at its first wrong octet. Takes nothing after the frame.
 */
abstract class StartupFrameReader {
  /** The octets received of the frame. */
  final byte[] octets;

  private final Kind expected;
  private int count;
  private String fault;

  /**
   * Creates a reader for one frame.
   *
   * @param expected the kind of frame that the peer must send
   * @param largest the most octets that it may have
   */
  StartupFrameReader(Kind expected, int largest) {
    this.expected = expected;
    octets = new byte[largest];
  }

  /** End of the next field after the Key; end of the frame if no field is left. */
  abstract int fieldEnd();

  /** Checks the field that ends at {@link #count}; returns what is wrong with it, or null. */
  abstract String checkField();

  /** Describes which fields after the Key are missing. */
  abstract String missingField();

  /** The frame, once complete. */
  abstract StartupFrame frame();

  /**
   * Why a well-formed frame is not supported, with the field's name, or null. The frame is still
   * read to its end so that it can be answered.
   */
  String incompatibility() {
    return null;
  }

  /**
   * Takes octets of the frame.
   *
   * @return how many of them belong to the frame; fewer than {@code length} if it is complete or
   *     invalid
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
        // Other octets than a frame's end the startup at the first wrong one: MPA-7.1.3-02,
        // MPA-7.1.5-01. So end peers that speak another protocol: ANA-8.1-03; text ANA-8.2.2-01,
        // ANA-8.2.3-01; iSCSI ANA-8.2.4.1-01; iSNS ANA-8.2.4.2-01; DNS ANA-8.2.4.3-01; others
        // ANA-8.2.4.4-01.
        fault = count <= expected.keyOctets() ? checkKey(count - 1) : checkField();
      }
    }
    return taken;
  }

  /** Whether a well-formed frame has been received. */
  final boolean complete() {
    // MPA-7.1.2-14: "MUST receive and validate an MPA Reply Frame"
    return fault == null && !inKey() && count == fieldEnd();
  }

  /** Why the frame is invalid, with the field's name, or null. */
  final String fault() {
    return fault;
  }

  /** The frame's name in messages. */
  final String title() {
    return expected.title();
  }

  /** Octets received of the frame so far. */
  final int count() {
    return count;
  }

  /** Describes what is still missing, with the field's name. */
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
    // MPA-7.1.1-03, MPA-7.1.1-05: "close the connection and report an error locally if any other
    // value is detected"; D03-8.1.1-03: "close the connection if any other value is detected";
    // MPA-7.1.2-23: "MUST use the difference between the MPA Request Frame and the MPA Reply
    // Frame", or an echo (ANA-8.2.1-01).
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

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(StartupFrameReader.class);
    count = snapshot.number("count", count, 0, octets.length);
    byte[] taken = snapshot.octets("octets", octets);
    if (taken.length != octets.length) {
      throw snapshot.wrong("the startup frame is of another kind");
    }
    System.arraycopy(taken, 0, octets, 0, count);
    fault = snapshot.text("fault", fault);
    snapshot.end();
  }
}
