package org.rddp.device;

/**
 * A bounded queue of frames for a device that may take fewer than offered; the others wait for the
 * next turn of the duty cycle.
 */
public final class TransmitQueue {
  private final FrameDevice device;
  private final long[] frames;
  private int first;
  private int end;

  /**
   * Creates an empty queue.
   *
   * @param capacity in frames, at least 1
   */
  public TransmitQueue(FrameDevice device, int capacity) {
    this.device = device;
    frames = new long[capacity];
  }

  /** Whether another frame can be queued now; flushes the queue if it is full. */
  public boolean room() {
    return end - first < frames.length || flush() > 0;
  }

  /**
   * Queues a frame.
   *
   * @return false if there is no room; otherwise the queue takes over the caller's reference
   */
  public boolean offer(long packet) {
    if (!room()) {
      return false;
    }
    if (end == frames.length) {
      System.arraycopy(frames, first, frames, 0, end - first);
      end -= first;
      first = 0;
    }
    frames[end++] = packet;
    return true;
  }

  /**
   * Offers the queued frames to the device.
   *
   * @return frames that it took
   */
  public int flush() {
    int waiting = end - first;
    if (waiting == 0) {
      return 0;
    }
    int taken = device.transmit(frames, first, waiting);
    first += taken;
    if (first == end) {
      first = 0;
      end = 0;
    }
    return taken;
  }

  /** Queued frames. */
  public int size() {
    return end - first;
  }

  /** Releases every queued frame. */
  public void clear() {
    for (; first < end; first++) {
      device.pool().release(frames[first]);
    }
    first = 0;
    end = 0;
  }
}
