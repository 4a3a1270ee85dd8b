package org.rddp.interop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongSupplier;
import org.rddp.capture.PcapngWriter;
import org.rddp.device.FrameSink;

/** Writes the frames of a device to a file for Wireshark. Not thread-safe. */
public final class FrameFile implements FrameSink, AutoCloseable {
  private static final int WHOLE_FRAMES = 0;

  private final PcapngWriter writer;
  private final LongSupplier clock;

  /**
   * Begins the file, which must not exist.
   *
   * @param clock nanoseconds since 1970
   */
  public FrameFile(Path file, LongSupplier clock) throws IOException {
    this.clock = clock;
    writer =
        new PcapngWriter(
            FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            new PcapngWriter.Description("rddp", "device", WHOLE_FRAMES, "", ""));
  }

  @Override
  public void onFrame(boolean sent, long address, int length) {
    MemorySegment frame = MemorySegment.ofAddress(address).reinterpret(length);
    PcapngWriter.Direction direction =
        sent ? PcapngWriter.Direction.SENT : PcapngWriter.Direction.RECEIVED;
    try {
      writer.frame(clock.getAsLong(), length, frame, direction, "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }
}
