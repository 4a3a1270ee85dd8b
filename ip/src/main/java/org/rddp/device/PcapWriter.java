package org.rddp.device;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.util.function.LongSupplier;
import org.rddp.wire.Memory;

/**
 * Writes frames as a pcap capture with nanosecond times, for Wireshark. Frames are buffered until
 * the buffer is full or {@link #flush} is called. Not thread-safe.
 */
public final class PcapWriter implements FrameSink, AutoCloseable {
  private static final int NANOSECOND_MAGIC = 0xa1b23c4d;
  private static final int VERSION = (4 << 16) | 2;
  private static final int LONGEST = 65535;
  private static final int ETHERNET = 1;
  private static final int RECORD_HEADER = 16;
  private static final int BUFFER = 1 << 20;
  private static final long SECOND = 1_000_000_000L;

  private final WritableByteChannel channel;
  private final LongSupplier clock;
  private final ByteBuffer buffer =
      ByteBuffer.allocateDirect(BUFFER).order(ByteOrder.nativeOrder());
  private final long bufferAddress = MemorySegment.ofBuffer(buffer).address();

  /**
   * Starts a capture.
   *
   * @param channel to write to; closed with the writer
   * @param clock nanoseconds since 1970
   */
  public PcapWriter(WritableByteChannel channel, LongSupplier clock) {
    this.channel = channel;
    this.clock = clock;
    buffer.putInt(NANOSECOND_MAGIC).putInt(version()).putInt(0).putInt(0);
    buffer.putInt(LONGEST).putInt(ETHERNET);
  }

  /** Two 16-bit numbers, major first, in the machine's order. */
  private static int version() {
    return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN
        ? VERSION
        : Integer.rotateLeft(VERSION, 16);
  }

  @Override
  public void onFrame(boolean sent, long address, int length) {
    int captured = Math.min(length, LONGEST);
    if (buffer.remaining() < RECORD_HEADER + captured) {
      flush();
    }
    long now = clock.getAsLong();
    buffer.putInt((int) (now / SECOND)).putInt((int) (now % SECOND));
    buffer.putInt(captured).putInt(length);
    Memory.copy(address, bufferAddress + buffer.position(), captured);
    buffer.position(buffer.position() + captured);
  }

  /**
   * Writes the buffered frames.
   *
   * @throws UncheckedIOException when the channel fails
   */
  public void flush() {
    buffer.flip();
    try {
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } finally {
      buffer.clear();
    }
  }

  @Override
  public void close() throws IOException {
    flush();
    channel.close();
  }
}
