package org.rddp.analysis;

import org.rddp.mpa.MpaSettings;
import org.rddp.mpa.MpaStartup;
import org.rddp.tcp.StreamHandler;
import org.rddp.wire.Memory;

/** The Initiator of a connection: sends ULPDUs as soon as MPA accepts them. */
final class UlpduSource extends UlpduAdapter {
  /** Octets of DDP's header in a tagged segment. */
  static final int TAGGED_HEADER = 14;

  private static final int LONGEST = 1 << 16;

  private final long octets = Memory.allocate(LONGEST);
  private final MpaStartup startup;
  private final StockTcp stock;
  private int left;
  private int length;

  /**
   * An Initiator.
   *
   * @param segmentation how FPDUs go into segments
   */
  UlpduSource(MpaSettings settings, Segmentation segmentation) {
    MpaSettings own = settings.withPacking(segmentation == Segmentation.PACKED);
    startup = MpaStartup.initiator(own, new byte[0], this, this);
    stock = segmentation == Segmentation.STOCK ? new StockTcp(startup) : null;
    for (int at = 0; at < LONGEST; at++) {
      Memory.putByte(octets + at, at * 31);
    }
  }

  /** The handler to be given to TCP. */
  StreamHandler handler() {
    return stock == null ? startup : stock;
  }

  int mulpdu() {
    return mpa().mulpdu();
  }

  /** Sends ULPDUs of one length as soon as possible; all earlier ones must have been sent. */
  void send(int count, int ulpduLength) {
    if (left > 0) {
      throw new IllegalStateException(left + " ULPDUs still wait");
    }
    left = count;
    length = ulpduLength;
    if (stock != null) {
      stock.hold();
    }
    proceed();
  }

  /** Sends the octets that a stock TCP still holds back. */
  void push() {
    if (stock != null) {
      stock.push();
    }
  }

  /** Whether everything has been handed to TCP. */
  boolean idle() {
    return left == 0;
  }

  boolean begun() {
    return mpa() != null;
  }

  private void proceed() {
    int head = Math.min(TAGGED_HEADER, length);
    while (left > 0 && mpa().sendable()) {
      if (!mpa().send(octets, head, octets + head, length - head)) {
        return;
      }
      left--;
    }
  }

  @Override
  public void onSendable() {
    proceed();
  }
}
