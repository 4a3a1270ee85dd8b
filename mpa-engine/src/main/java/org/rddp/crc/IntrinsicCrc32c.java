package org.rddp.crc;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * CRC32c by the JDK's intrinsic.
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

  private final CRC32C crc32c = new CRC32C();
  private long[] stretches = new long[16];
  private ByteBuffer[] views = new ByteBuffer[16];
  private int known;

  /** An instance, for one thread. */
  public IntrinsicCrc32c() {}

  @Override
  public int update(int crc, long address, long length) {
    if (crc != 0 && length < JOIN_FROM) {
      return ScalarCrc32c.continued(crc, address, length);
    }
    crc32c.reset();
    for (long done = 0; done < length; ) {
      int part = (int) Math.min(length - done, PART);
      take(address + done, part);
      done += part;
    }
    int fresh = (int) crc32c.getValue();
    return crc == 0 ? fresh : Crc32c.combine(crc, fresh, length);
  }

  /** The odd octets first, so that the intrinsic ends on a whole block. */
  private void take(long address, int length) {
    ByteBuffer view = view(address >>> STRETCH_BITS);
    int from = (int) (address & (STRETCH - 1));
    int odd = length % BLOCK;
    if (odd != 0) {
      view.limit(from + odd).position(from);
      crc32c.update(view);
    }
    if (odd != length) {
      view.limit(from + length).position(from + odd);
      crc32c.update(view);
    }
  }

  private ByteBuffer view(long stretch) {
    int mask = views.length - 1;
    int slot = (int) stretch & mask;
    while (views[slot] != null) {
      if (stretches[slot] == stretch) {
        return views[slot];
      }
      slot = (slot + 1) & mask;
    }
    return viewed(stretch);
  }

  /**
   * A view reaches to the end of the next stretch, so that a part may begin anywhere in its own.
   */
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
