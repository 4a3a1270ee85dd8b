package org.rddp.mpa;

import org.rddp.mpa.StartupFrame.Kind;
import org.rddp.wire.Memory;

/**
 * Puts a peer's startup frame together from octets as they come, and judges each field as soon as
 * it is there (RFC 5044 sections 7.1.1 and 7.1.2): plain text is refused at its first octet, and
 * nothing beyond the frame is taken.
 */
final class StartupReader {
  private final Kind expected;
  private final int lowestRevision;
  private final int highestRevision;
  private final byte[] octets = new byte[StartupFrame.MAX_OCTETS];
  private int count;
  private String fault;
  private String incompatibility;

  /**
   * A reader of one frame.
   *
   * @param expected the frame that the peer has to send
   * @param lowestRevision the least Rev that we can work with
   * @param highestRevision the greatest
   */
  StartupReader(Kind expected, int lowestRevision, int highestRevision) {
    this.expected = expected;
    this.lowestRevision = lowestRevision;
    this.highestRevision = highestRevision;
  }

  /**
   * Takes octets of the frame.
   *
   * @return how many of them belong to it; fewer than {@code length} when it is complete or at
   *     fault
   */
  int take(long address, int length) {
    int taken = 0;
    while (taken < length && !done()) {
      int part = Math.min(length - taken, nextCheck() - count);
      Memory.copy(address + taken, octets, count, part);
      taken += part;
      count += part;
      check();
    }
    return taken;
  }

  /** Whether a well-formed frame is there. */
  boolean complete() {
    return fault == null
        && count >= StartupFrame.PRIVATE_DATA
        && count == StartupFrame.PRIVATE_DATA + StartupFrame.privateDataLength(octets);
  }

  /** What makes the frame invalid, with the field's name, or null. */
  String fault() {
    return fault;
  }

  /**
   * What makes a well-formed frame one that we cannot work with, with the field's name, or null: it
   * is read to its end all the same, so that it can be answered.
   */
  String incompatibility() {
    return incompatibility;
  }

  /** Octets of the frame so far. */
  int count() {
    return count;
  }

  /** The frame, once complete. */
  StartupFrame frame() {
    return StartupFrame.decode(expected, octets);
  }

  /** What is still missing, with the field's name. */
  String missing() {
    if (count < StartupFrame.KEY_OCTETS) {
      return missing("Key", count, StartupFrame.KEY_OCTETS);
    }
    if (count == StartupFrame.FLAGS) {
      return "M, C and R are missing";
    }
    if (count == StartupFrame.REVISION) {
      return "Rev is missing";
    }
    if (count < StartupFrame.PRIVATE_DATA) {
      return missing("PD_Length", count - StartupFrame.PD_LENGTH, 2);
    }
    return missing(
        "Private Data", count - StartupFrame.PRIVATE_DATA, StartupFrame.privateDataLength(octets));
  }

  private static String missing(String field, int have, int whole) {
    return field + " is incomplete: " + have + " of " + whole + " octets";
  }

  private boolean done() {
    return fault != null || complete();
  }

  /** Where the field that is coming ends. */
  private int nextCheck() {
    if (count < StartupFrame.KEY_OCTETS) {
      return count + 1;
    }
    if (count < StartupFrame.PD_LENGTH) {
      return StartupFrame.PD_LENGTH;
    }
    if (count < StartupFrame.PRIVATE_DATA) {
      return StartupFrame.PRIVATE_DATA;
    }
    return StartupFrame.PRIVATE_DATA + StartupFrame.privateDataLength(octets);
  }

  private void check() {
    if (count <= StartupFrame.KEY_OCTETS) {
      checkKey(count - 1);
    } else if (count == StartupFrame.PD_LENGTH) {
      checkRevision();
    } else if (count == StartupFrame.PRIVATE_DATA) {
      checkPrivateDataLength();
    }
  }

  private void checkKey(int at) {
    int octet = octets[at] & 0xff;
    if (octet == expected.key(at)) {
      return;
    }
    Kind other = expected == Kind.REQUEST ? Kind.REPLY : Kind.REQUEST;
    if (octet == other.key(at)) {
      fault = "Key is that of an " + other.title() + ": both ends started alike";
    } else {
      fault = String.format("Key octet %d is 0x%02x, not 0x%02x", at, octet, expected.key(at));
    }
  }

  private void checkRevision() {
    int revision = octets[StartupFrame.REVISION] & 0xff;
    if (revision < lowestRevision || revision > highestRevision) {
      incompatibility = "Rev is " + revision + ", not " + understood();
    }
  }

  private String understood() {
    return lowestRevision == highestRevision
        ? String.valueOf(lowestRevision)
        : lowestRevision + " to " + highestRevision;
  }

  private void checkPrivateDataLength() {
    int length = StartupFrame.privateDataLength(octets);
    if (length > StartupFrame.MAX_PRIVATE_DATA) {
      fault = "PD_Length is " + length + ", more than " + StartupFrame.MAX_PRIVATE_DATA;
    } else if (length < Enhancement.OCTETS
        && StartupFrame.enhanced(octets[StartupFrame.FLAGS], octets[StartupFrame.REVISION])) {
      fault = "PD_Length is " + length + ", less than the " + Enhancement.OCTETS + " of bit S";
    }
  }
}
