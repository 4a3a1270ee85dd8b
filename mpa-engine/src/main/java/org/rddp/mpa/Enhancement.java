package org.rddp.mpa;

import java.util.EnumSet;
import java.util.Set;

/**
 * The first four octets of an enhanced startup frame's Private Data (RFC 6581 section 9): IRD, ORD
 * and the flags for peer-to-peer connections.
 *
 * @param peerToPeer flag A: the Initiator sends an RTR, so that the Responder may be the first to
 *     send a message
 * @param rtr flags B, C and D: kinds of RTR, offered or chosen
 * @param ird RDMA Reads that the sender can serve at a time, 0 to 16382, or {@link
 *     Depths#ELSEWHERE}
 * @param ord RDMA Reads that the sender wants to have outstanding at a time, 0 to 16382, or {@link
 *     Depths#ELSEWHERE}
 */
record Enhancement(boolean peerToPeer, Set<Rtr> rtr, int ird, int ord) {
  /** Length in octets. */
  static final int OCTETS = 4;

  private static final int ELSEWHERE = Depths.ELSEWHERE;

  // P2P-9-01: "IRD and ORD encoded as 14-bit unsigned integers"
  private static final int DEPTH = 0x3fff;
  private static final int A = 0x8000;
  private static final int B = 0x4000;
  private static final int C = 0x8000;
  private static final int D = 0x4000;

  /** An Initiator's proposal. */
  static Enhancement proposal(MpaSettings settings) {
    boolean counted = settings.readsNegotiated();
    Set<Rtr> offered = EnumSet.noneOf(Rtr.class);
    if (settings.peerToPeer()) {
      // P2P-9.2-02: "each Control Flag B, C, and D to 1 for each of the options it supports"
      offered.addAll(settings.rtr());
    }
    return new Enhancement(
        settings.peerToPeer(), // P2P-9.2-02
        offered,
        counted ? settings.ird() : ELSEWHERE,
        counted ? settings.ord() : ELSEWHERE);
  }

  /** Decodes the first four octets of {@code privateData}. */
  static Enhancement decode(byte[] privateData) {
    int first = (privateData[0] & 0xff) << 8 | (privateData[1] & 0xff);
    int second = (privateData[2] & 0xff) << 8 | (privateData[3] & 0xff);
    Set<Rtr> rtr = EnumSet.noneOf(Rtr.class);
    if ((first & B) != 0) {
      rtr.add(Rtr.SEND);
    }
    if ((second & C) != 0) {
      rtr.add(Rtr.WRITE);
    }
    if ((second & D) != 0) {
      rtr.add(Rtr.READ);
    }
    return new Enhancement((first & A) != 0, rtr, first & DEPTH, second & DEPTH); // P2P-9-01
  }

  /** The four octets followed by {@code privateData}. */
  byte[] prefix(byte[] privateData) {
    int first = (peerToPeer ? A : 0) | (rtr.contains(Rtr.SEND) ? B : 0) | ird; // P2P-9-01
    int second = (rtr.contains(Rtr.WRITE) ? C : 0) | (rtr.contains(Rtr.READ) ? D : 0) | ord;
    byte[] octets = new byte[OCTETS + privateData.length];
    octets[0] = (byte) (first >> 8);
    octets[1] = (byte) first;
    octets[2] = (byte) (second >> 8);
    octets[3] = (byte) second;
    System.arraycopy(privateData, 0, octets, OCTETS, privateData.length);
    return octets;
  }

  /**
   * A Responder's answer to this proposal: depths that both sides support, and the RTRs that it
   * accepts.
   *
   * @param rejected whether the Reply declines: its ORD may then be more than the Initiator's IRD
   */
  Enhancement answer(MpaSettings settings, boolean rejected) {
    Set<Rtr> kinds = accepted(settings);
    Depths inUse = depths(settings, kinds.contains(Rtr.READ));
    // P2P-9.1-10; P2P-9.1-01: "MUST set its ORD at most to the initiator IRD"
    int outgoing = rejected ? Math.max(inUse.ord(), settings.requiredOrd()) : inUse.ord();
    return new Enhancement(
        // P2P-9.2-01: "MUST set Control Flag A to 1 in the MPA reply message"; P2P-9.2-12: "MUST
        // set Control Flag A to 0 if Control Flag A is 0 in the request"
        peerToPeer,
        kinds,
        // P2P-9.1-02; P2P-9.1-06: "setting the IRD to 0x3FFF in its reply message"
        ord == ELSEWHERE ? ELSEWHERE : inUse.ird(),
        // P2P-9.1-05: "setting ORD to 0x3FFF in its reply message"
        ird == ELSEWHERE ? ELSEWHERE : outgoing);
  }

  /**
   * The RTRs that a Responder names and accepts: the offered ones that it supports. If it supports
   * none of these, all that it supports; the Initiator then ends the connection. None without
   * peer-to-peer.
   */
  Set<Rtr> accepted(MpaSettings settings) {
    // P2P-9.2-12, P2P-12-01; P2P-9.2-07: "Control Flags B, C, and D MUST be ignored"
    if (!peerToPeer) {
      return Set.of();
    }
    Set<Rtr> own = EnumSet.copyOf(settings.rtr());
    if (settings.ird() == 0 && own.size() > 1) {
      own.remove(Rtr.READ);
    }
    Set<Rtr> both = EnumSet.copyOf(own);
    both.retainAll(rtr); // P2P-9.2-10
    // P2P-9.2-03: "MUST set at least one RTR indication type option it supports"
    return both.isEmpty() ? own : both;
  }

  /**
   * The RTR that an Initiator sends after this Reply: the first in order of preference that both
   * sides have named; empty if there is none. A Read is possible even if the Initiator's ORD is 0;
   * the Responder's IRD allows for it.
   */
  Set<Rtr> chosen(MpaSettings settings) {
    Set<Rtr> both = EnumSet.copyOf(proposal(settings).rtr());
    both.retainAll(rtr);
    if (ird == 0) { // P2P-9.1-09
      both.remove(Rtr.READ);
    }
    // P2P-9.2-07, P2P-9.2-11; P2P-9.2-04: "MUST generate one of the negotiated RTR indications"
    return peerToPeer && !both.isEmpty() ? Set.of(both.iterator().next()) : Set.of();
  }

  /**
   * The depths in use at this end towards a peer that has sent this enhancement.
   *
   * @param servesRtr whether a Read may come as RTR; then at least one is served (RFC 6581 section
   *     9.1)
   */
  Depths depths(MpaSettings settings, boolean servesRtr) {
    // ELSEWHERE is greater than any depth. At least the peer's ORD, if we can: P2P-9.1-02,
    // RDMAP-6.1-03, P2P-9.1-07; P2P-9.1-11: "MUST set its IRD at least to the responder ORD".
    int served = Math.min(settings.ird(), ord);
    // At most the peer's IRD (P2P-9.1-03, P2P-12-01); one more for a Read as RTR (P2P-9.1-09).
    return new Depths(ird, ord, servesRtr ? Math.max(served, 1) : served, settings.ordInUse(ird));
  }
}
