package org.rddp.interop.siw;

import org.rddp.device.FrameDevice;
import org.rddp.device.PacketPool;
import org.rddp.interop.siw.Watch.Way;

/** A device that shows what it receives to a {@link Watch}, which may change it. */
final class WatchedDevice implements FrameDevice {
  private final FrameDevice device;
  private final Watch watch;
  private final Way way;

  /** Watches a device, which is closed with this one. */
  WatchedDevice(FrameDevice device, Watch watch, Way way) {
    this.device = device;
    this.watch = watch;
    this.way = way;
  }

  @Override
  public PacketPool pool() {
    return device.pool();
  }

  @Override
  public long macAddress() {
    return device.macAddress();
  }

  @Override
  public int mtu() {
    return device.mtu();
  }

  @Override
  public boolean up() {
    return device.up();
  }

  @Override
  public int receive(long[] packets) {
    int count = device.receive(packets);
    for (int i = 0; i < count; i++) {
      watch.onFrame(way, pool().address(packets[i]), pool().length(packets[i]));
    }
    return count;
  }

  @Override
  public int transmit(long[] packets, int from, int count) {
    return device.transmit(packets, from, count);
  }

  @Override
  public void close() {
    device.close();
  }
}
