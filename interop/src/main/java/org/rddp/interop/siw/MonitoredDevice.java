package org.rddp.interop.siw;

import org.rddp.device.FrameDevice;
import org.rddp.device.WrappedDevice;
import org.rddp.interop.siw.WireMonitor.Direction;

/** A device that shows what it receives to a {@link WireMonitor}, which may change it. */
final class MonitoredDevice extends WrappedDevice {
  private final WireMonitor watch;
  private final Direction way;

  /** Watches a device, which is closed with this one. */
  MonitoredDevice(FrameDevice device, WireMonitor watch, Direction way) {
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
