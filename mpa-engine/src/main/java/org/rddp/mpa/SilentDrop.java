package org.rddp.mpa;

import org.rddp.device.PacketPool;
import org.rddp.snapshot.Snapshot;

/**
 * Decides whether TCP drops a segment with an invalid FPDU before acknowledging it, so that the
 * peer sends it again (RFC 5044 section 8).
 *
 * <p>Only FPDUs within the segment are checked, since acknowledged octets of an FPDU are not sent
 * again. A segment in order is read from the start of the next FPDU. A segment out of order is
 * assumed to begin with an FPDU if its length fields lead exactly to its end and none is 0 (zeros
 * from the middle of an FPDU would lead there, too).
 *
 * <p>The same FPDU is dropped at most {@link #ATTEMPTS} times: if it is then still invalid, the
 * peer sent it that way, and it is accepted and reported.
 */
final class SilentDrop {
  /** The most times that an FPDU is dropped. */
  static final int ATTEMPTS = 3;

  /** The most dropped FPDUs that are remembered; while there are as many, no other is dropped. */
  static final int MOST = 64;

  private static final long NONE = -1;

  private final FpduReader reader;
  private final MpaReceiver receiver;
  private final FpduOctets whole;
  private final long[] positions = new long[MOST];
  private final int[] times = new int[MOST];
  private int count;

  SilentDrop(PacketPool pool, FpduReader reader, MpaReceiver receiver) {
    this.reader = reader;
    this.receiver = receiver;
    whole = new FpduOctets(pool);
  }

  /**
   * Whether to drop a segment.
   *
   * @param edge stream position before which everything has been received
   */
  boolean drops(long position, long address, int length, long edge) {
    boolean early = position > edge;
    long start = early ? position : receiver.nextStart();
    if (start < position || start >= position + length) {
      return false;
    }
    long wrong = firstWrong(start, position + length, address + (start - position), early);
    return wrong != NONE && mayDrop(wrong, edge); // MPA-8-12, D03-3.2-02
  }

  /**
   * Stream position of the first complete and invalid FPDU, or {@link #NONE}.
   *
   * @param exactly whether to return {@link #NONE} unless the FPDUs fill the octets exactly
   */
  private long firstWrong(long start, long end, long address, boolean exactly) {
    long wrong = NONE;
    long at = start;
    while (at < end && (exactly || wrong == NONE)) {
      int left = (int) (end - at);
      whole.set(address + (at - start), left);
      int size = reader.size(whole, at);
      if (size == 0 || size > left || (exactly && reader.length(whole, at) == 0)) {
        return NONE;
      }
      if (wrong == NONE && reader.wrong(whole, at, size)) {
        wrong = at;
      }
      at += size;
    }
    return wrong;
  }

  private boolean mayDrop(long fpdu, long edge) {
    forgetBefore(edge);
    for (int i = 0; i < count; i++) {
      if (positions[i] == fpdu) {
        times[i]++;
        return times[i] <= ATTEMPTS;
      }
    }
    if (count == MOST) {
      return false;
    }
    positions[count] = fpdu;
    times[count] = 1;
    count++;
    return true;
  }

  private void forgetBefore(long edge) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (positions[i] >= edge) {
        positions[kept] = positions[i];
        times[kept] = times[i];
        kept++;
      }
    }
    count = kept;
  }

  /** Transfers its state. */
  void transfer(Snapshot snapshot) {
    snapshot.begin(SilentDrop.class);
    count = snapshot.number("count", count, 0, MOST);
    snapshot.numbers("positions", positions, count);
    snapshot.numbers("times", times, count);
    snapshot.end();
  }
}
