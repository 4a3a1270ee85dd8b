package org.rddp.interop.siw;

import org.rddp.device.FrameDevice;
import org.rddp.device.WrappedDevice;
import org.rddp.interop.siw.Watch.Way;

/** A device that shows what it receives to a {@link Watch}, which may change it. */
final class WatchedDevice extends WrappedDevice {
  private final Watch watch;
  private final Way way;

  /** Watches a device, which is closed with this one. */
  WatchedDevice(FrameDevice device, Watch watch, Way way) {
    super(device);
    this.watch = watch;
    this.way = way;
  }

  @Override
  public int receive(long[] packets) {
    int count = device().receive(packets);
    for (int i = 0; i < count; i++) {
      watch.onFrame(way, pool().address(packets[i]), pool().length(packets[i]));
    }
    return count;
  }
}
