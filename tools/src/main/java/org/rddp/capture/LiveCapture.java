package org.rddp.capture;

import java.io.IOException;
import org.rddp.client.Capture;
import org.rddp.client.Rddp;
import org.rddp.client.RddpException;

/**
 * Reads the frames of a running daemon's interface, or the events of a connection. For one thread
 * at a time.
 */
public final class LiveCapture implements AutoCloseable {
  /** Default size of the ring in octets. */
  public static final int RING = 64 << 20;

  /** Snap length with which no frame is cut. */
  public static final int WHOLE_FRAMES = 65_535;

  private static final int BATCH = 1024;

  private final Rddp session;
  private final Capture ring;
  private final Capture.FrameHandler frames;
  private long count;
  private long lost;
  private boolean closed;

  /**
   * Starts to capture the session's interface.
   *
   * @param ringOctets size of the ring, a power of two from 4 KiB to 1 GiB
   * @param snapLength octets kept of each frame, 1 to 65535
   * @param plain whether packets in ESP are shown in clear
   * @param frames receives the frames, on the thread that polls
   */
  public LiveCapture(
      Rddp session, int ringOctets, int snapLength, boolean plain, Capture.FrameHandler frames)
      throws IOException {
    this(session, session.startCapture(ringOctets, snapLength, plain), frames);
  }

  private LiveCapture(Rddp session, Capture ring, Capture.FrameHandler frames) {
    this.session = session;
    this.ring = ring;
    this.frames = frames;
  }

  /**
   * Starts to trace a connection of any program on the session's interface.
   *
   * @param ringOctets size of the ring, a power of two from 4 KiB to 1 GiB
   * @param number of the connection in its program
   * @param process id of the program's process; 0: any
   * @param events receives the events, each a {@link org.rddp.ipc.ring.TraceEvent}
   */
  public static LiveCapture ofConnection(
      Rddp session, int ringOctets, int number, long process, Capture.FrameHandler events)
      throws IOException {
    return new LiveCapture(session, session.startTrace(ringOctets, number, process), events);
  }

  /** Passes the frames or events in the ring, 1024 at most; returns how many. */
  public int poll() throws IOException {
    lost = ring.lost();
    int polled = ring.poll(frames, BATCH);
    count += polled;
    return polled;
  }

  /** Frames or events passed. */
  public long frames() {
    return count;
  }

  /** Frames or events lost because the ring was full, as of the last poll. */
  public long lost() {
    return lost;
  }

  /** Stops the capture, and passes the remaining frames or events. */
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
