package org.rddp.crc;

import static org.rddp.crc.FoldVectors.VECTOR;
import static org.rddp.crc.FoldVectors.WINDOW;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.rddp.wire.Memory;

/**
 * CRC32c by 512-bit XORs for long messages, by the JDK's intrinsic for short ones.
 *
 * <p>A message is divided into a head of 1 to 11 vectors, padded with leading zeros to a window;
 * whole windows; the last window; and the odd octets. {@link Fold} consumes the first two and folds
 * them into the third. The JDK's intrinsic processes that and the odd octets, padded with leading
 * zeros to whole blocks of the intrinsic.
 *
 * <p>A CRC is continued by XORing the register into the first four octets.
 */
public final class VectorCrc32c implements Crc32c {
  /**
   * Octets of the last window, the odd octets and their padding: whole blocks of 256 for the
   * intrinsic.
   */
  private static final int REST = VECTOR + WINDOW;

  /** The CRC of {@link #REST} zeros: XORing it removes the initial value that the JDK uses. */
  private static final int START = startValue();

  private final Crossover crossover;
  private final IntrinsicCrc32c intrinsic = new IntrinsicCrc32c();
  private final CRC32C crc32c = new CRC32C();

  /** The head, the history and the rest; freed with the instance. */
  private final MemorySegment scratch = Arena.ofAuto().allocate(3 * REST, 256);

  private final long head = scratch.address();
  private final long history = head + WINDOW;
  private final long rest = head + 2 * REST;
  private final ByteBuffer restView = scratch.asSlice(2 * REST, REST).asByteBuffer();

  /**
   * Creates an instance for one thread.
   *
   * @throws IllegalStateException if 512-bit vectors are not available
   */
  public VectorCrc32c(Crc32cThresholds thresholds) {
    this(Crossover.at(thresholds));
  }

  /** Creates an instance with thresholds that may still change. */
  VectorCrc32c(Crossover crossover) {
    if (!FoldVectors.available()) {
      throw new IllegalStateException("no vectors of 512 bits on this machine and JVM");
    }
    this.crossover = crossover;
  }

  private static int startValue() {
    CRC32C zeros = new CRC32C();
    zeros.update(new byte[REST]);
    return (int) zeros.getValue();
  }

  @Override
  public int update(int crc, long address, long length) {
    return length < crossover.fold()
        ? intrinsic.update(crc, address, length)
        : folded(crc, address, length);
  }

  @Override
  public boolean copiesInOnePass(long length) {
    return length >= crossover.copy();
  }

  @Override
  public int copy(int crc, long from, long to, long length) {
    return length < crossover.copy()
        ? copiedFirst(crc, from, to, length)
        : foldedCopy(crc, from, to, length);
  }

  private int copiedFirst(int crc, long from, long to, long length) {
    Memory.copy(from, to, length);
    return update(crc, to, length);
  }

  private int folded(int crc, long address, long length) {
    long last = address + (length & -VECTOR) - WINDOW;
    long inHead = headOctets(last - address);
    try {
      FoldEnds.put(crc, address, length, inHead, head, rest);
      Fold.consume(head, address + inHead, last, history);
      Fold.finish(last, history, windowBefore(length));
    } catch (Throwable e) {
      throw unexpected(e);
    }
    return finished();
  }

  private int foldedCopy(int crc, long from, long to, long length) {
    long last = (length & -VECTOR) - WINDOW;
    long inHead = headOctets(last);
    try {
      FoldEnds.copy(crc, from, to, length, inHead, head, rest);
      CopyingFold.consume(head, from + inHead, from + last, history, to + inHead);
      CopyingFold.finish(from + last, history, windowBefore(length), to + last);
    } catch (Throwable e) {
      throw unexpected(e);
    }
    return finished();
  }

  /** Octets of the head, 1 to 11 vectors, such that whole windows remain. */
  private static long headOctets(long octets) {
    long odd = octets % WINDOW;
    return odd == 0 ? WINDOW : odd;
  }

  /** Address for the last window such that the odd octets end the rest. */
  private long windowBefore(long length) {
    return rest + VECTOR - (length & (VECTOR - 1));
  }

  private int finished() {
    if (IntrinsicCall.AVAILABLE) {
      return ~IntrinsicCall.register(0, rest, REST);
    }
    crc32c.reset();
    crc32c.update(restView.clear());
    return ~((int) crc32c.getValue() ^ START);
  }

  /** Wraps the exception that a method handle declares; it is never thrown. */
  private static RuntimeException unexpected(Throwable e) {
    if (e instanceof Error error) {
      throw error;
    }
    return e instanceof RuntimeException runtime ? runtime : new IllegalStateException(e);
  }
}
