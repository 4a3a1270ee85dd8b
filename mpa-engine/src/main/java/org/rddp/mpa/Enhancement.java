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
 * @param ird RDMA Reads that the sender can serve at a time, 0 to 16382, or {@link #ELSEWHERE}
 * @param ord RDMA Reads that the sender would like to have outstanding at a time, 0 to 16382, or
 *     {@link #ELSEWHERE}
 */
record Enhancement(boolean peerToPeer, Set<Rtr> rtr, int ird, int ord) {
  /** Number of octets. */
  static final int OCTETS = 4;

  /** The value of IRD or ORD that means: negotiated by other means. */
  static final int ELSEWHERE = 0x3fff;

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
      offered.addAll(settings.rtr());
    }
    if (settings.ord() == 0 && offered.size() > 1) {
      offered.remove(Rtr.READ);
    }
    return new Enhancement(
        settings.peerToPeer(),
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
    return new Enhancement((first & A) != 0, rtr, first & DEPTH, second & DEPTH);
  }

  /** The four octets followed by {@code privateData}. */
  byte[] prefix(byte[] privateData) {
    int first = (peerToPeer ? A : 0) | (rtr.contains(Rtr.SEND) ? B : 0) | ird;
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
   * A Responder's answer to this proposal: depths that both sides support, and the RTR that it
   * waits for. If it accepts none of the offered RTRs, it names one that it would accept, and the
   * Initiator ends the connection.
   */
  Enhancement answer(MpaSettings settings) {
    Rtr chosen = peerToPeer ? chosen(settings) : null;
    return new Enhancement(
        peerToPeer,
        chosen == null ? Set.of() : Set.of(chosen),
        fitted(settings.ird(), ord),
        fitted(settings.ord(), ird));
  }

  /**
   * The RTR that a Responder waits for: the first in order of preference that both sides support.
   */
  Rtr chosen(MpaSettings settings) {
    Set<Rtr> both = EnumSet.copyOf(settings.rtr());
    if (agreed(settings.ird(), ord) == 0 && both.size() > 1) {
      both.remove(Rtr.READ);
    }
    Rtr preferred = both.iterator().next();
    both.retainAll(rtr);
    return both.isEmpty() ? preferred : both.iterator().next();
  }

  /** The RTR in this Reply that an Initiator can send; null if there is none. */
  Rtr named(MpaSettings settings) {
    Set<Rtr> both = EnumSet.copyOf(proposal(settings).rtr());
    both.retainAll(rtr);
    if (agreed(settings.ord(), ird) == 0) {
      both.remove(Rtr.READ);
    }
    return peerToPeer && !both.isEmpty() ? both.iterator().next() : null;
  }

  private static int fitted(int own, int wanted) {
    return wanted == ELSEWHERE ? ELSEWHERE : Math.min(own, wanted);
  }

  /**
   * The depth in use where this side can do {@code own} and the other says {@code other}; {@link
   * #ELSEWHERE} is more than any.
   */
  static int agreed(int own, int other) {
    return Math.min(own, other);
  }
}
