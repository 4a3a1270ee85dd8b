package org.rddp.tcp;

import org.rddp.snapshot.Snapshot;
import org.rddp.wire.AccEcn;
import org.rddp.wire.AccEcnOption;
import org.rddp.wire.Ipv4;

/**
 * The receiver's part in accurate ECN (RFC 9768): counts packets and octets by their codepoint, and
 * says when and how that is fed back.
 */
final class AccEcnReceiver {
  /** Marks after which packets with data are acknowledged, and others (section 3.2.2.5.1). */
  private static final int DATA_MARKS = 2;

  private static final int CONTROL_MARKS = 3;

  /** The most marks that ACE tells from none. */
  private static final int MOST_MARKS = 7;

  private static final int FIRST = 5;

  /** r.cep: packets with CE. */
  private int packets = FIRST;

  /** {@link #packets} in the last segment sent. */
  private int packetsTold = packets;

  // r.ceb, r.e0b and r.e1b: octets with CE, ECT(0) and ECT(1).

  private int ce;
  private int ect0 = 1; // ACC-3.2.1-01
  private int ect1 = 1;

  // The same in the last option sent.

  private int ceTold;
  private int ect0Told = ect0;
  private int ect1Told = ect1;

  /** Whether the last packet was marked. */
  private boolean marked;

  /** The codepoint of the SYN or SYN-ACK that came last. */
  private byte synCodepoint;

  /** Whether the next acknowledgment tells of the SYN-ACK. */
  private boolean tellsSynAck;

  /** Whether the next segment has an option, to find out whether the path lets it pass. */
  private boolean tests = true;

  /** Whether the first segment with data has had one, for the same reason. */
  private boolean dataTested;

  /** The stream position behind the first segment with data and an option, if it is in flight. */
  private long testedUntil = Long.MAX_VALUE;

  private boolean sendsOptions = true;

  /** Takes the codepoint of the peer's SYN. */
  void syn(int codepoint) {
    synCodepoint = (byte) codepoint; // ACC-3.2.2.2-02
    dataTested = true;
  }

  /** ACE of a SYN-ACK. */
  int aceOfSyn() {
    return AccEcn.ofCodepoint(synCodepoint);
  }

  /** Takes the codepoint of a SYN-ACK, which the next acknowledgment tells of. */
  void synAck(int codepoint) {
    if (codepoint == Ipv4.CE && packets == FIRST) {
      packets++; // ACC-3.2.2.2-03
    }
    synCodepoint = (byte) codepoint;
    tellsSynAck = true;
  }

  /** Tells no more of the SYN-ACK. */
  void synAckTold() {
    tellsSynAck = false;
  }

  /** Sends no options from now on, because the path seems not to let them pass. */
  void withoutOptions() {
    sendsOptions = false;
  }

  /** A segment was sent again, with octets from that position on in flight (section 3.2.3.2.2). */
  void lost(long position) {
    if (testedUntil != Long.MAX_VALUE && position < testedUntil) {
      sendsOptions = false;
    }
  }

  /** Whether packets that are marked would not fit ACE beside those that were not told yet. */
  boolean overflows(int codepoint, int count) {
    return codepoint == Ipv4.CE
        && packets != packetsTold
        && packets - packetsTold + count > MOST_MARKS;
  }

  /**
   * Counts a packet.
   *
   * @param count packets that it was, if something has merged them
   * @param octets of payload
   * @return whether it must be acknowledged
   */
  boolean arrived(int codepoint, int count, int octets) {
    boolean ce = codepoint == Ipv4.CE;
    boolean changed = ce && !marked && octets > 0;
    marked = ce;
    switch (codepoint) {
      case Ipv4.CE -> {
        packets += count;
        this.ce += octets;
      }
      case Ipv4.ECT_0 -> ect0 += octets; // ACC-3.2-02
      case Ipv4.ECT_1 -> ect1 += octets;
      default -> {}
    }
    int limit = octets > 0 ? DATA_MARKS : CONTROL_MARKS;
    return changed || (ce && packets - packetsTold >= limit);
  }

  /**
   * ACE of the next segment, which tells the peer of all packets with CE.
   *
   * @param pure whether it is an acknowledgment without data and SACK blocks
   */
  int ace(boolean pure) {
    boolean handshake = tellsSynAck && pure;
    tellsSynAck = false;
    packetsTold = packets;
    return handshake ? AccEcn.ofCodepoint(synCodepoint) : packets;
  }

  /** Whether ACE has the bit that devices clear in all but the first segment that they cut. */
  boolean hasCwr() {
    return (packets & 0b010) != 0;
  }

  /**
   * Octets of the next segment's option: {@link AccEcnOption#SHORT}, {@link AccEcnOption#LONG}, or
   * 0. It has every counter that has changed since the last one, or it is left out.
   *
   * @param room octets that it may have
   * @param data whether the segment has payload
   */
  int optionLength(int room, boolean data) {
    boolean changed = ce != ceTold || ect0 != ect0Told || ect1 != ect1Told;
    boolean due = changed || tests || (data && !dataTested);
    // ACC-3.2.3.2.1-02, ACC-3.2.3.2.1-03, ACC-3.2.3.3-02
    if (!sendsOptions || !due || room < AccEcnOption.SHORT) {
      return 0;
    }
    boolean third = !ect1First() && ect1 != 1;
    if (room >= AccEcnOption.LONG && (third || tests)) {
      return AccEcnOption.LONG;
    }
    return third && ect1 != ect1Told ? 0 : AccEcnOption.SHORT; // ACC-3.2.3.3-03
  }

  private boolean ect1First() {
    return ect1 != 1 && ect0 == 1;
  }

  /**
   * Writes the option.
   *
   * @param length from {@link #optionLength}
   * @param end the stream position behind the segment's payload; -1 if it has none
   * @return its partial sum
   */
  long putOption(long at, int length, long end) {
    boolean first = ect1First();
    long sum = AccEcnOption.put(at, length, first, ect0, ce, ect1);
    ceTold = ce;
    ect0Told = first ? ect0Told : ect0;
    ect1Told = first || length == AccEcnOption.LONG ? ect1 : ect1Told;
    tests = false;
    if (end >= 0 && !dataTested) {
      dataTested = true;
      testedUntil = end;
    }
    return sum;
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(AccEcnReceiver.class);
    packets = snapshot.number("packets", packets);
    packetsTold = snapshot.number("packetsTold", packetsTold);
    ce = snapshot.number("ce", ce);
    ect0 = snapshot.number("ect0", ect0);
    ect1 = snapshot.number("ect1", ect1);
    ceTold = snapshot.number("ceTold", ceTold);
    ect0Told = snapshot.number("ect0Told", ect0Told);
    ect1Told = snapshot.number("ect1Told", ect1Told);
    marked = snapshot.flag("marked", marked);
    synCodepoint = snapshot.number("synCodepoint", synCodepoint);
    tellsSynAck = snapshot.flag("tellsSynAck", tellsSynAck);
    tests = snapshot.flag("tests", tests);
    dataTested = snapshot.flag("dataTested", dataTested);
    testedUntil = snapshot.number("testedUntil", testedUntil);
    sendsOptions = snapshot.flag("sendsOptions", sendsOptions);
    snapshot.end();
  }
}
