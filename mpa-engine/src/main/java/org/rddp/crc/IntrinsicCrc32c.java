package org.rddp.crc;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * CRC32c by the JDK's intrinsic: called by itself where that may be (see {@link IntrinsicCall}),
 * through {@link CRC32C} elsewhere.
 *
 * <p>{@link CRC32C} takes buffers, not addresses, and its state cannot be set. So each stretch of 1
 * GiB that an address has fallen into gets one direct view, made once and kept; and a CRC is always
 * taken afresh and joined to what came before, unless so few octets follow that the table is
 * quicker.
 */
public final class IntrinsicCrc32c implements Crc32c {
  private static final int STRETCH_BITS = 30;
  private static final int STRETCH = 1 << STRETCH_BITS;

  /** The most octets of one call: a view reaches that far behind its stretch. */
  private static final int PART = STRETCH / 2;

  /** Below this a CRC is continued by table: joining costs as much. */
  private static final int JOIN_FROM = 96;

  /** What the intrinsic's inner loop takes at once; its handling of a remainder is slow. */
  private static final int BLOCK = 256;

  /** So many octets beyond whole blocks cost more than a second call. */
  private static final int ODD_FROM = 80;

  private final CRC32C crc32c = new CRC32C();
  private long[] stretches = new long[16];
  private ByteBuffer[] views = new ByteBuffer[16];
  private int known;

  /** The stretch used last, as most often the next one too. */
  private long latest = -1;

  private ByteBuffer latestView;

  /** An instance, for one thread. */
  public IntrinsicCrc32c() {}

  /** Small enough for HotSpot to leave it out wherever it is called. */
  @Override
  public int update(int crc, long address, long length) {
    return IntrinsicCall.AVAILABLE
        ? IntrinsicCall.update(crc, address, length)
        : buffered(crc, address, length);
  }

  private int buffered(int crc, long address, long length) {
    if (crc == 0) {
      return fresh(address, length);
    }
    return length < JOIN_FROM
        ? ScalarCrc32c.continued(crc, address, length)
        : Crc32c.combine(crc, fresh(address, length), length);
  }

  private int fresh(long address, long length) {
    crc32c.reset();
    if (length <= PART) {
      take(address, (int) length);
    } else {
      for (long done = 0; done < length; done += PART) {
        take(address + done, (int) Math.min(length - done, PART));
      }
    }
    return (int) crc32c.getValue();
  }

  /** Many odd octets go first, so that the intrinsic ends on a whole block. */
  private void take(long address, int length) {
    long stretch = address >>> STRETCH_BITS;
    ByteBuffer view = stretch == latest ? latestView : view(stretch);
    int from = (int) address & (STRETCH - 1);
    int odd = length & (BLOCK - 1);
    if (odd >= ODD_FROM && length >= 2 * BLOCK) {
      view.limit(from + odd).position(from);
      crc32c.update(view);
      from += odd;
      length -= odd;
    }
    view.limit(from + length).position(from);
    crc32c.update(view);
  }

  private ByteBuffer view(long stretch) {
    int mask = views.length - 1;
    int slot = (int) stretch & mask;
    while (views[slot] != null && stretches[slot] != stretch) {
      slot = (slot + 1) & mask;
    }
    latestView = views[slot] != null ? views[slot] : viewed(stretch);
    latest = stretch;
    return latestView;
  }

  private ByteBuffer viewed(long stretch) {
    if (2 * (known + 1) > views.length) {
      grow();
    }
    ByteBuffer view =
        MemorySegment.ofAddress(stretch << STRETCH_BITS).reinterpret(STRETCH + PART).asByteBuffer();
    put(stretch, view);
    known++;
    return view;
  }

  private void put(long stretch, ByteBuffer view) {
    int mask = views.length - 1;
    int slot = (int) stretch & mask;
    while (views[slot] != null) {
      slot = (slot + 1) & mask;
    }
    stretches[slot] = stretch;
    views[slot] = view;
  }

  private void grow() {
    long[] oldStretches = stretches;
    ByteBuffer[] oldViews = views;
    stretches = new long[2 * oldStretches.length];
    views = new ByteBuffer[2 * oldViews.length];
    for (int slot = 0; slot < oldViews.length; slot++) {
      if (oldViews[slot] != null) {
        put(oldStretches[slot], oldViews[slot]);
      }
    }
  }
}
