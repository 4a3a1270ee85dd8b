package org.rddp.simulation.mpa;

import java.util.BitSet;
import org.rddp.mpa.Ulpdu;
import org.rddp.simulation.OctetPattern;
import org.rddp.simulation.Violations;

/**
 * One direction of a connection: what one program has sent and what the other has received of it.
 * Every ULPDU is passed once, unchanged and in order. With CRCs no ULPDU is passed whose FPDU has a
 * wrong octet.
 */
final class HalfConnection {
  private final Violations violations;
  private final SentOctets octets;
  private final SentFpdus ledger;
  private final OctetPattern pattern;
  private final BitSet passed = new BitSet();
  private HalfConnection reverse;
  private int delivered;
  private long early;
  private long inPieces;
  private long wrongPassed;

  HalfConnection(Violations violations, OctetPattern pattern) {
    this.violations = violations;
    this.pattern = pattern;
    octets = new SentOctets(violations);
    ledger = new SentFpdus(octets);
  }

  /** Sets the other direction of the same connection. */
  void reverse(HalfConnection other) {
    reverse = other;
  }

  /** The octets sent. */
  SentOctets octets() {
    return octets;
  }

  /** The ULPDUs sent. */
  SentFpdus ledger() {
    return ledger;
  }

  /** The pattern of the ULPDUs. */
  OctetPattern pattern() {
    return pattern;
  }

  /**
   * Checks a ULPDU that is passed.
   *
   * @param crc whether its CRC has been verified
   */
  void passed(Ulpdu ulpdu, boolean crc) {
    int index = ledger.at(ulpdu.position());
    if (!crc && (index < 0 || ledger.end(index) > doubtfulFrom())) {
      wrongPassed++;
      return;
    }
    String where = "the ULPDU at position " + ulpdu.position();
    if (index < 0) {
      violations.add(where + " was never sent");
      return;
    }
    check(!passed.get(index), where + " is passed again");
    check(!octets.wrong(ledger.start(index), ledger.end(index)), where + " has a wrong octet");
    check(same(ulpdu, index), where + " is not what was sent");
    passed.set(index);
    inPieces += ulpdu.fragments() > 1 ? 1 : 0;
    if (ulpdu.early()) {
      early++;
      check(index > delivered, where + " is early, and its turn has come");
    } else {
      check(index == delivered, where + " is passed when " + delivered + " had their turn");
      delivered = index + 1;
    }
  }

  /**
   * Without CRCs a wrong octet may have changed lengths and Markers behind it; in a startup frame
   * it may have changed what the two ends have agreed on.
   */
  private long doubtfulFrom() {
    return reverse.wrongStartup() ? 0 : octets.firstWrong();
  }

  /** Whether the octets, or what the ends have agreed on, may be corrupted. */
  boolean doubtful() {
    return doubtfulFrom() < Long.MAX_VALUE;
  }

  private boolean same(Ulpdu ulpdu, int index) {
    if (ulpdu.length() != ledger.length(index)) {
      return false;
    }
    long at = ledger.content(index);
    for (int i = 0; i < ulpdu.fragments(); i++) {
      if (pattern.mismatch(at, ulpdu.address(i), ulpdu.octets(i)) >= 0) {
        return false;
      }
      at += ulpdu.octets(i);
    }
    return at == ledger.content(index) + ledger.length(index);
  }

  /**
   * Early ULPDUs are Delivered.
   *
   * @param position stream position before which all ULPDUs have been passed
   * @param crc whether their CRCs have been verified
   */
  void delivered(long position, boolean crc) {
    if (!crc && position > doubtfulFrom()) {
      return;
    }
    int before = ledger.before(position);
    check(
        before > delivered && passed.nextClearBit(0) >= before,
        "delivered up to " + before + " after " + delivered + ", but not all are passed");
    delivered = before;
  }

  /** The peer has closed: all of its ULPDUs must have been Delivered. */
  void ended(boolean crc) {
    if (crc || doubtfulFrom() == Long.MAX_VALUE) {
      check(
          delivered == ledger.count() && passed.cardinality() == delivered,
          "the peer closed after " + delivered + " of " + ledger.count() + " ULPDUs");
    }
  }

  /** ULPDUs passed. */
  int passed() {
    return passed.cardinality();
  }

  /** ULPDUs that have been Delivered. */
  int delivered() {
    return delivered;
  }

  /** ULPDUs passed early. */
  long early() {
    return early;
  }

  /** ULPDUs passed in several pieces. */
  long inPieces() {
    return inPieces;
  }

  /** ULPDUs passed behind a wrong octet, without CRCs. */
  long wrongPassed() {
    return wrongPassed;
  }

  /** FPDUs with a wrong octet that MPA has received. */
  int wrongFpdus() {
    if (!ledger.begun() || octets.wrong() == 0) {
      return 0;
    }
    int wrong = 0;
    for (int i = 0; i < ledger.count(); i++) {
      wrong += octets.wrong(ledger.start(i), ledger.end(i)) ? 1 : 0;
    }
    return wrong;
  }

  /** Whether a wrong octet has arrived before Full Operation. */
  boolean wrongStartup() {
    return octets.firstWrong() < (ledger.begun() ? ledger.start() : Long.MAX_VALUE);
  }

  private void check(boolean holds, String what) {
    if (!holds) {
      violations.add(what);
    }
  }
}
