package org.rddp.interop.siw;

import org.rddp.device.FrameDevice;
import org.rddp.device.WrappedDevice;
import org.rddp.interop.siw.WireMonitor.Direction;

/** A device that shows what it receives to a {@link WireMonitor}, which may change it. */
final class MonitoredDevice extends WrappedDevice {
  private final WireMonitor monitor;
  private final Direction direction;

  /** Monitors a device, which is closed with this one. */
  MonitoredDevice(FrameDevice device, WireMonitor monitor, Direction direction) {
    super(device);
    this.monitor = monitor;
    this.direction = direction;
  }

  @Override
  public int receive(long[] packets) {
    int count = device().receive(packets);
    for (int i = 0; i < count; i++) {
      monitor.onFrame(direction, pool().address(packets[i]), pool().length(packets[i]));
    }
    return count;
  }
}
