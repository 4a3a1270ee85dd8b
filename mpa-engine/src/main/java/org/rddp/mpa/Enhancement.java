package org.rddp.mpa;

/**
 * The four octets with which an enhanced startup frame's Private Data begins (RFC 6581): the depths
 * of the RDMA Read queues, and who may send first.
 *
 * @param peerToPeer flag A: the Initiator sends a Ready to Receive (RTR) of its own accord, so that
 *     the Responder may be the first to send a message
 * @param rtr flags B, C and D: kinds of RTR, offered or chosen
 * @param ird RDMA Reads that the sender can serve at a time, 0 to 16383
 * @param ord RDMA Reads that the sender would like to have outstanding at a time, 0 to 16383
 */
record Enhancement(boolean peerToPeer, int rtr, int ird, int ord) {
  /** How many octets they are. */
  static final int OCTETS = 4;

  /** Flag C: RTR by a zero-length RDMA Write. */
  static final int WRITE_RTR = 0x8000;

  /** The IRD or ORD that says: settled elsewhere. */
  static final int ELSEWHERE = 0x3fff;

  private static final int A = 0x8000;
  private static final int B = 0x4000;
  private static final int D = 0x4000;
  private static final int DEPTH = 0x3fff;

  /** Marks flag B apart from flag D, which has the same bit of the other half. */
  private static final int SEND_RTR = 0x10000;

  /** The first four octets of {@code privateData}. */
  static Enhancement decode(byte[] privateData) {
    int first = (privateData[0] & 0xff) << 8 | (privateData[1] & 0xff);
    int second = (privateData[2] & 0xff) << 8 | (privateData[3] & 0xff);
    int rtr = (second & (WRITE_RTR | D)) | ((first & B) != 0 ? SEND_RTR : 0);
    return new Enhancement((first & A) != 0, rtr, first & DEPTH, second & DEPTH);
  }

  /** The four octets, with {@code privateData} behind them. */
  byte[] prefix(byte[] privateData) {
    int first = (peerToPeer ? A : 0) | ((rtr & SEND_RTR) != 0 ? B : 0) | ird;
    int second = (rtr & (WRITE_RTR | D)) | ord;
    byte[] octets = new byte[OCTETS + privateData.length];
    octets[0] = (byte) (first >> 8);
    octets[1] = (byte) first;
    octets[2] = (byte) (second >> 8);
    octets[3] = (byte) second;
    System.arraycopy(privateData, 0, octets, OCTETS, privateData.length);
    return octets;
  }

  /** Whether an RTR is wanted and none of the kinds offered is one that we take. */
  boolean rtrUnknown() {
    return peerToPeer && (rtr & WRITE_RTR) == 0;
  }

  /**
   * A Responder's answer to this: as deep as both sides can. Of the kinds of RTR it chooses the
   * RDMA Write, which is placed like any other and asks nothing of the program.
   */
  Enhancement answer(int ownIrd, int ownOrd) {
    return new Enhancement(
        peerToPeer, peerToPeer ? WRITE_RTR : 0, fitted(ownIrd, ord), fitted(ownOrd, ird));
  }

  private static int fitted(int own, int wanted) {
    return wanted == ELSEWHERE ? ELSEWHERE : Math.min(own, wanted);
  }

  /** The depth in use where this side can do {@code own} and the other says {@code other}. */
  static int agreed(int own, int other) {
    return other == ELSEWHERE ? own : Math.min(own, other);
  }
}
