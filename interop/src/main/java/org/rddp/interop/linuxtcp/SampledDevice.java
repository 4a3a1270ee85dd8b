package org.rddp.interop.linuxtcp;

import org.rddp.device.CapturedDevice;
import org.rddp.device.FrameDevice;
import org.rddp.device.FrameSink;
import org.rddp.device.WrappedDevice;

/** A device that copies its first frames to a sink. */
final class SampledDevice extends WrappedDevice {
  private final FrameDevice captured;
  private int left;

  /**
   * Samples a device, which stays the caller's to close.
   *
   * @param frames to be copied at least; bursts are copied whole
   */
  SampledDevice(FrameDevice device, FrameSink sink, int frames) {
    super(device);
    left = frames;
    captured =
        new CapturedDevice(
            device,
            (sent, address, length) -> {
              left--;
              sink.onFrame(sent, address, length);
            });
  }

  @Override
  public int offloads() {
    return device().offloads();
  }

  @Override
  public void requestOffload(long packet, int link, int ip, int tcp, int segment) {
    device().requestOffload(packet, link, ip, tcp, segment);
  }

  private FrameDevice current() {
    return left > 0 ? captured : device();
  }

  @Override
  public int receive(long[] packets) {
    return current().receive(packets);
  }

  @Override
  public int transmit(long[] packets, int from, int count) {
    return current().transmit(packets, from, count);
  }

  @Override
  public void close() {}
}
