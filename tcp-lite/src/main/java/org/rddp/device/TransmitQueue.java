package org.rddp.device;

/**
 * Frames on their way to a device that may take fewer than offered: the rest waits, in order and
 * bounded, for the next turn.
 */
public final class TransmitQueue {
  private final FrameDevice device;
  private final long[] frames;
  private int first;
  private int end;

  /**
   * An empty queue.
   *
   * @param capacity frames that may wait, at least 1
   */
  public TransmitQueue(FrameDevice device, int capacity) {
    this.device = device;
    frames = new long[capacity];
  }

  /** Whether another frame would be taken now; tries to make room if there is none. */
  public boolean room() {
    return end - first < frames.length || flush() > 0;
  }

  /**
   * Queues a frame.
   *
   * @return false if there is no room; otherwise the queue owns the caller's reference
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
   * Offers what waits to the device.
   *
   * @return how many frames it took
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

  /** Frames that wait. */
  public int size() {
    return end - first;
  }

  /** Gives back every frame that waits, unsent. */
  public void clear() {
    for (; first < end; first++) {
      device.pool().release(frames[first]);
    }
    first = 0;
    end = 0;
  }
}
