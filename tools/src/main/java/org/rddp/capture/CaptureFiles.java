package org.rddp.capture;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

/**
 * Writes a capture to pcapng files, one after the other, or to standard output. The first frame
 * after a gap has a comment with the number of frames left out. Not thread-safe.
 */
public final class CaptureFiles implements AutoCloseable {
  private final Path file;
  private final Rotation rotation;
  private final PcapngWriter.Description about;
  private PcapngWriter writer;
  private int number;
  private long startNanos;

  /** Counts since the file's start: frames on the interface, left out, written. */
  private long seen;

  private long leftOut;
  private long written;
  private long lastTime;
  private String comment = "";

  /**
   * Opens the first file; existing files are replaced.
   *
   * @param file null for standard output, which has no rotation
   */
  public CaptureFiles(Path file, Rotation rotation, PcapngWriter.Description about)
      throws IOException {
    this.file = file;
    this.rotation = rotation;
    this.about = about;
    open();
  }

  private void open() throws IOException {
    number++;
    startNanos = System.nanoTime();
    seen = 0;
    leftOut = 0;
    written = 0;
    writer = new PcapngWriter(channel(), about);
    writer.flush();
  }

  private WritableByteChannel channel() throws IOException {
    if (file == null) {
      return new FileOutputStream(FileDescriptor.out).getChannel();
    }
    return FileChannel.open(
        rotation.name(file, number),
        StandardOpenOption.CREATE,
        StandardOpenOption.WRITE,
        StandardOpenOption.TRUNCATE_EXISTING);
  }

  /** Counts frames that were left out since the last call, before the next frame. */
  public void leftOut(long frames) {
    if (frames > 0) {
      leftOut += frames;
      seen += frames;
      comment = frames + " frames were left out about here: the capture's ring was full";
    }
  }

  /** Counts a frame that the filter does not want. */
  public void skip() {
    seen++;
  }

  /** Writes a frame, to the next file if rotation is due. */
  public void frame(
      long timeNanos, int originalLength, MemorySegment frame, PcapngWriter.Direction direction)
      throws IOException {
    rotateIfDue();
    seen++;
    written++;
    lastTime = timeNanos;
    writer.frame(timeNanos, originalLength, frame, direction, comment);
    comment = "";
  }

  /** Begins the next file if rotation is due. */
  public void rotateIfDue() throws IOException {
    if (writer.octets() >= rotation.octets()
        || System.nanoTime() - startNanos >= rotation.nanos()) {
      finish();
      if (number >= rotation.files()) {
        Files.deleteIfExists(rotation.name(file, number - rotation.files() + 1));
      }
      open();
    }
  }

  /** Writes what is buffered. */
  public void flush() throws IOException {
    writer.flush();
  }

  /** Number of files so far. */
  public int count() {
    return number;
  }

  private void finish() throws IOException {
    PcapngWriter finished = writer;
    try (finished) {
      long now =
          lastTime == 0 ? TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) : lastTime;
      finished.statistics(now, seen, leftOut, written);
    }
  }

  @Override
  public void close() throws IOException {
    finish();
  }
}
