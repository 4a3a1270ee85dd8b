package org.rddp.demo;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.rddp.client.Rddp;
import org.rddp.client.RddpException;
import org.rddp.device.PcapWriter;
import org.rddp.ipc.ring.CaptureRing;

/** Writes the frames of a running daemon's interface into a pcap file. */
public final class LiveCapture implements AutoCloseable {
  private static final int RING = 64 << 20;
  private static final int WHOLE_FRAMES = 65_535;
  private static final int BATCH = 1024;

  private final Rddp session;
  private final CaptureRing ring;
  private final PcapWriter writer;
  private long time;
  private long frames;
  private long lost;
  private boolean closed;

  /** Starts capturing the session's interface into a file, which is replaced if it exists. */
  public LiveCapture(Rddp session, Path file) throws IOException {
    this.session = session;
    FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING);
    writer = new PcapWriter(channel, () -> time);
    try {
      ring = session.startCapture(RING, WHOLE_FRAMES);
    } catch (IOException | RuntimeException e) {
      writer.close();
      throw e;
    }
  }

  /** Writes the frames in the ring; returns how many. */
  public int poll() throws IOException {
    int count = ring.poll(this::write, BATCH);
    frames += count;
    lost = ring.lost();
    return count;
  }

  private void write(long timeNanos, int originalLength, MemorySegment octets) {
    time = timeNanos;
    writer.onFrame(true, octets.address(), (int) octets.byteSize());
  }

  /** Frames written. */
  public long frames() {
    return frames;
  }

  /** Frames that found no room in the ring. */
  public long lost() {
    return lost;
  }

  /** Stops the capture, writes the remaining frames, and closes the file. */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      stop();
      while (poll() > 0) {
        // Until the ring is empty.
      }
    } finally {
      writer.close();
      ring.close();
    }
  }

  private void stop() {
    try {
      session.stopCapture();
    } catch (RddpException | IllegalStateException sessionEnded) {
      // The capture has ended with the session; its ring can still be read.
      return;
    }
  }
}
