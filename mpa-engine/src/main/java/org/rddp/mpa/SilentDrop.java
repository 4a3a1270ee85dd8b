package org.rddp.mpa;

import org.rddp.device.PacketPool;

/**
 * Has TCP drop a segment with an FPDU that is wrong, before it is acknowledged, so that the peer
 * sends it again (RFC 5044 section 8).
 *
 * <p>Only an FPDU that lies whole in the segment is judged, since what has been acknowledged of
 * another is not sent again. A segment in its turn is read from where the next FPDU starts. One
 * before its turn is taken for aligned, and believed to be if its lengths lead exactly to its end
 * and none is 0: zeros out of the middle of an FPDU do that, too.
 *
 * <p>The same FPDU is dropped three times at the most: if it is still wrong, that is how it was
 * sent, and it is taken and reported.
 */
final class SilentDrop {
  /** How often the same FPDU is dropped. */
  static final int ATTEMPTS = 3;

  /** How many FPDUs that were dropped are remembered; when there are more, none is dropped. */
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
   * Whether a segment is to be dropped.
   *
   * @param edge stream position before which everything has come
   */
  boolean drops(long position, long address, int length, long edge) {
    boolean early = position > edge;
    long start = early ? position : receiver.nextStart();
    if (start < position || start >= position + length) {
      return false;
    }
    long wrong = firstWrong(start, position + length, address + (start - position), early);
    return wrong != NONE && mayDrop(wrong, edge);
  }

  /**
   * Stream position of the first FPDU that is whole and wrong, or {@link #NONE}.
   *
   * @param exactly whether the FPDUs must fill the octets, or nothing is said of them
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
}
