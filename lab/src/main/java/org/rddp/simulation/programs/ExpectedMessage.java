package org.rddp.simulation.programs;

import org.rddp.simulation.memory.ModelStag;

/**
 * A message that will consume one of the peer's receives, or one of its notices.
 *
 * @param number of the request that it was posted with
 * @param array that has its octets
 * @param first index of the first of them
 * @param length how many
 * @param immediate its number, if {@code isImmediate}
 * @param solicited whether the peer is to be woken
 * @param invalidates the peer's STag that it invalidates, or null
 * @param qn plain DDP: the queue, or -1 for a Tagged Message
 * @param rsvdUlp plain DDP: RsvdULP of its header
 * @param stag plain DDP: STag of a Tagged Message
 * @param to plain DDP: the first Tagged Offset
 * @param last whether it is its sender's last message
 */
@SuppressWarnings("ArrayRecordComponent")
record ExpectedMessage(
    long number,
    byte[] array,
    int first,
    int length,
    boolean isImmediate,
    long immediate,
    boolean solicited,
    ModelStag invalidates,
    int qn,
    long rsvdUlp,
    int stag,
    long to,
    boolean last) {
  /** A message of RDMAP. */
  static ExpectedMessage ofSend(
      long number,
      byte[] array,
      int first,
      int length,
      boolean solicited,
      ModelStag invalidates,
      boolean last) {
    return new ExpectedMessage(
        number, array, first, length, false, 0, solicited, invalidates, 0, 0, 0, 0, last);
  }

  /** A message of RDMAP with immediate data. */
  static ExpectedMessage ofSendWithImmediate(
      long number, byte[] array, int first, int length, long data, boolean solicited) {
    return new ExpectedMessage(
        number, array, first, length, true, data, solicited, null, 0, 0, 0, 0, false);
  }

  /** Whether immediate data comes with a message of RDMAP. */
  boolean isSendWithImmediate() {
    return isImmediate && array.length > 0;
  }

  /** Octets of it that are placed in the memory of its receive: none of immediate data. */
  int placed() {
    return array.length == 0 ? 0 : length;
  }

  /** Immediate data. */
  static ExpectedMessage ofImmediate(long number, long data, boolean solicited) {
    return new ExpectedMessage(
        number, new byte[0], 0, Long.BYTES, true, data, solicited, null, 0, 0, 0, 0, false);
  }

  /** An Untagged Message of plain DDP. */
  static ExpectedMessage ofQueue(
      long number, byte[] array, int first, int length, int qn, long rsvdUlp, boolean last) {
    return new ExpectedMessage(
        number, array, first, length, false, 0, false, null, qn, rsvdUlp, 0, 0, last);
  }

  /** A Tagged Message of plain DDP. */
  static ExpectedMessage ofTagged(long number, int length, int stag, long to, long rsvdUlp) {
    return new ExpectedMessage(
        number, new byte[0], 0, length, false, 0, false, null, -1, rsvdUlp, stag, to, false);
  }
}
