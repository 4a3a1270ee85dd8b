package org.rddp.capture;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;

/**
 * Writes a capture of one Ethernet interface as pcapng (draft-ietf-opsawg-pcapng), with times in
 * nanoseconds: a Section Header Block, an Interface Description Block, an Enhanced Packet Block for
 * each frame, and an Interface Statistics Block at the end. Blocks are buffered until the buffer is
 * full or {@link #flush} is called. Not thread-safe.
 */
public final class PcapngWriter implements AutoCloseable {
  /** Whether a frame was received or sent; the numbers are those of epb_flags. */
  public enum Direction {
    UNKNOWN(0),
    RECEIVED(1),
    SENT(2);

    private final int flags;

    Direction(int flags) {
      this.flags = flags;
    }
  }

  /**
   * What the file says about itself.
   *
   * @param program name and version of the program that captures
   * @param interfaceName name of the interface
   * @param snapLength octets kept of each frame at most
   * @param filter expression that the frames match; empty: every frame is written
   * @param comment a comment about the file, or empty
   */
  public record Description(
      String program, String interfaceName, int snapLength, String filter, String comment) {}

  private static final int SECTION_HEADER = 0x0a0d0d0a;
  private static final int BYTE_ORDER_MAGIC = 0x1a2b3c4d;
  private static final int INTERFACE_DESCRIPTION = 1;
  private static final int INTERFACE_STATISTICS = 5;
  private static final int ENHANCED_PACKET = 6;
  private static final short ETHERNET = 1;

  private static final int OPT_COMMENT = 1;
  private static final int SHB_USERAPPL = 4;
  private static final int IF_NAME = 2;
  private static final int IF_TSRESOL = 9;
  private static final int IF_FILTER = 11;
  private static final int EPB_FLAGS = 2;
  private static final int ISB_IFRECV = 4;
  private static final int ISB_IFDROP = 5;
  private static final int ISB_FILTERACCEPT = 6;

  private static final int BUFFER = 1 << 20;
  private static final int LONGEST_TEXT = 8192;
  private static final byte NANOSECONDS = 9;

  private final WritableByteChannel channel;
  private final ByteBuffer buffer =
      ByteBuffer.allocateDirect(BUFFER).order(ByteOrder.nativeOrder());
  private final MemorySegment octets = MemorySegment.ofBuffer(buffer);
  private long written;

  /**
   * Starts a capture.
   *
   * @param channel to write to; closed with the writer
   */
  public PcapngWriter(WritableByteChannel channel, Description about) {
    this.channel = channel;
    int start = begin(SECTION_HEADER);
    buffer.putInt(BYTE_ORDER_MAGIC).putShort((short) 1).putShort((short) 0).putLong(-1);
    text(OPT_COMMENT, about.comment());
    text(SHB_USERAPPL, about.program());
    end(start);
    start = begin(INTERFACE_DESCRIPTION);
    buffer.putShort(ETHERNET).putShort((short) 0).putInt(about.snapLength());
    text(IF_NAME, about.interfaceName());
    option(IF_TSRESOL, 1);
    buffer.put(NANOSECONDS);
    pad();
    if (!about.filter().isEmpty()) {
      // A zero octet says that the filter is a libpcap expression.
      text(IF_FILTER, "\0" + about.filter());
    }
    end(start);
  }

  /**
   * Writes a frame.
   *
   * @param timeNanos since 1970
   * @param originalLength length on the link in octets
   * @param frame the octets kept
   * @param comment a comment about the frame, or empty
   */
  public void frame(
      long timeNanos, int originalLength, MemorySegment frame, Direction direction, String comment)
      throws IOException {
    int kept = (int) frame.byteSize();
    if (buffer.remaining() < kept + LONGEST_TEXT + 64) {
      flush();
    }
    int start = begin(ENHANCED_PACKET);
    buffer.putInt(0);
    time(timeNanos);
    buffer.putInt(kept).putInt(originalLength);
    MemorySegment.copy(frame, 0, octets, buffer.position(), kept);
    buffer.position(buffer.position() + kept);
    pad();
    text(OPT_COMMENT, comment);
    if (direction != Direction.UNKNOWN) {
      option(EPB_FLAGS, 4);
      buffer.putInt(direction.flags);
    }
    end(start);
  }

  /**
   * Writes how many frames there were; once, last.
   *
   * @param timeNanos since 1970
   * @param received frames of the interface since the capture began
   * @param dropped frames of these that were left out because the capture was too slow
   * @param accepted frames of these that match the filter
   */
  public void statistics(long timeNanos, long received, long dropped, long accepted)
      throws IOException {
    if (buffer.remaining() < 128) {
      flush();
    }
    int start = begin(INTERFACE_STATISTICS);
    buffer.putInt(0);
    time(timeNanos);
    number(ISB_IFRECV, received);
    number(ISB_IFDROP, dropped);
    number(ISB_FILTERACCEPT, accepted);
    end(start);
  }

  /** Octets of the capture so far. */
  public long octets() {
    return written + buffer.position();
  }

  /** Writes the buffered blocks. */
  public void flush() throws IOException {
    written += buffer.position();
    buffer.flip();
    try {
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
    } finally {
      buffer.clear();
    }
  }

  @Override
  public void close() throws IOException {
    try (channel) {
      flush();
    }
  }

  /** Begins a block; its length follows with {@link #end}. */
  private int begin(int type) {
    int start = buffer.position();
    buffer.putInt(type).putInt(0);
    return start;
  }

  private void end(int start) {
    // The end of the options.
    buffer.putInt(0);
    int length = buffer.position() + 4 - start;
    buffer.putInt(length).putInt(start + 4, length);
  }

  private void time(long nanos) {
    buffer.putInt((int) (nanos >>> 32)).putInt((int) nanos);
  }

  private void option(int code, int length) {
    buffer.putShort((short) code).putShort((short) length);
  }

  private void text(int code, String text) {
    if (!text.isEmpty()) {
      byte[] encoded = text.getBytes(StandardCharsets.UTF_8);
      int length = Math.min(encoded.length, LONGEST_TEXT / 4);
      option(code, length);
      buffer.put(encoded, 0, length);
      pad();
    }
  }

  private void number(int code, long value) {
    option(code, 8);
    buffer.putLong(value);
  }

  /** Options and frames end at a multiple of four octets. */
  private void pad() {
    while ((buffer.position() & 3) != 0) {
      buffer.put((byte) 0);
    }
  }
}
