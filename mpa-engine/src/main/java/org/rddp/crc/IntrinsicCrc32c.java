package org.rddp.crc;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * CRC32c by the JDK's intrinsic: called directly if possible (see {@link IntrinsicCall}), otherwise
 * through {@link CRC32C}.
 *
 * <p>{@link CRC32C} takes buffers, not addresses, and its state cannot be set. So each 1 GiB
 * stretch of memory in use gets one direct buffer, created once and kept; and the CRC of new octets
 * is computed separately and combined with the CRC so far, unless they are so few that the table is
 * faster.
 */
public final class IntrinsicCrc32c implements Crc32c {
  private static final int STRETCH_BITS = 30;
  private static final int STRETCH = 1 << STRETCH_BITS;

  /** The most octets of one call: a view extends that far beyond its stretch. */
  private static final int PART = STRETCH / 2;

  /** Fewer octets are processed by table, since combining CRCs costs as much. */
  private static final int JOIN_FROM = 96;

  /** Octets per iteration of the intrinsic's inner loop; it handles a remainder slowly. */
  private static final int BLOCK = 256;

  /** A remainder of this many octets costs more than a second call. */
  private static final int ODD_FROM = 80;

  private final CRC32C crc32c = new CRC32C();
  private long[] stretches = new long[16];
  private ByteBuffer[] views = new ByteBuffer[16];
  private int known;

  /** The stretch used last, which is usually used next. */
  private long latest = -1;

  private ByteBuffer latestView;

  /** Creates an instance for one thread. */
  public IntrinsicCrc32c() {}

  /** Small enough for HotSpot to inline at every call site. */
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

  /** Processes the remainder first, so that the second call ends on a whole block. */
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
