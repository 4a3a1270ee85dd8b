package org.rddp.device;

/** A device that passes every frame, received or sent, to a {@link FrameSink}, too. */
public final class CapturedDevice extends WrappedDevice {
  private final FrameSink sink;

  /** Captures the frames of a device, which is closed with this one. */
  public CapturedDevice(FrameDevice device, FrameSink sink) {
    super(device);
    this.sink = sink;
  }

  @Override
  public int receive(long[] packets) {
    int count = device().receive(packets);
    for (int i = 0; i < count; i++) {
      sink.onFrame(false, pool().address(packets[i]), pool().length(packets[i]));
    }
    return count;
  }

  /**
   * {@inheritDoc}
   *
   * <p>Frames go to the device one by one. Each is captured as soon as it is taken; the reference
   * held meanwhile keeps others from writing the packet.
   */
  @Override
  public int transmit(long[] packets, int from, int count) {
    PacketPool pool = pool();
    for (int i = from; i < from + count; i++) {
      long packet = packets[i];
      pool.retain(packet);
      boolean taken = device().transmit(packets, i, 1) == 1;
      if (taken) {
        sink.onFrame(true, pool.address(packet), pool.length(packet));
      }
      pool.release(packet);
      if (!taken) {
        return i - from;
      }
    }
    return count;
  }
}
