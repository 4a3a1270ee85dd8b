package org.rddp.client;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.IntFunction;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.ring.CaptureRing;

/**
 * Copies of an interface's frames, or the events of a traced connection, in a ring that the daemon
 * fills. The daemon never waits for it: it drops and counts frames and events that find no room.
 * {@link #poll} and {@link #close} are for one thread at a time.
 *
 * <p>The ring's contents can still be read after {@link Rddp#stopCapture} and after the session's
 * end.
 */
public final class Capture implements AutoCloseable {
  /** Receives captured frames. */
  @FunctionalInterface
  public interface FrameHandler {
    /**
     * Handles a frame.
     *
     * @param timeNanos in ns since 1970
     * @param originalLength length on the link in octets
     * @param octets the octets kept, valid during this call only
     * @throws IOException passed on by {@link Capture#poll}
     */
    void onFrame(long timeNanos, int originalLength, MemorySegment octets) throws IOException;
  }

  private final CaptureRing ring;

  private Capture(CaptureRing ring) {
    this.ring = ring;
  }

  static Capture start(ControlChannel channel, IntFunction<ProgramMessage> start)
      throws IOException {
    CaptureRing ring =
        CaptureRing.open(channel.request(start, DaemonMessage.CaptureStarted.class).descriptor());
    try {
      SessionMemory.share(channel, ProgramMessage.ShareMemory.CAPTURE, ring.memory());
      return new Capture(ring);
    } catch (IOException | RuntimeException e) {
      ring.close();
      try {
        stop(channel);
      } catch (RuntimeException notStopped) {
        e.addSuppressed(notStopped);
      }
      throw e;
    }
  }

  static void stop(ControlChannel channel) {
    channel.request(ProgramMessage.StopCapture::new, DaemonMessage.Done.class);
  }

  /**
   * Passes frames to the handler. Does not block.
   *
   * @param max largest number of frames
   * @return number of frames passed
   * @throws IOException if the handler throws it, or the ring's contents are malformed
   * @throws IllegalStateException if this has been closed
   */
  public int poll(FrameHandler handler, int max) throws IOException {
    return ring.poll(handler::onFrame, max);
  }

  /** Number of frames, or events, that have found no room in the ring. */
  public long lost() {
    return ring.lost();
  }

  /** Unmaps the ring; the capture or trace itself ends by {@link Rddp#stopCapture}. */
  @Override
  public void close() {
    ring.close();
  }
}
