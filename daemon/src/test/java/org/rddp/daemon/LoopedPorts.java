package org.rddp.daemon;

import java.util.List;
import org.rddp.daemon.device.Ports;
import org.rddp.device.LoopedDevice;
import org.rddp.device.NativePacketPool;

/** Two interfaces joined by a link within the engine's thread: a daemon without DPDK. */
final class LoopedPorts implements Ports {
  private static final int FRAME = 1514;

  private final NativePacketPool first;
  private final NativePacketPool second;
  private final List<LoopedDevice> devices;

  LoopedPorts(int packets) {
    first = new NativePacketPool(packets, FRAME);
    second = new NativePacketPool(packets, FRAME);
    devices = List.of(LoopedDevice.pair(first, second, 1500, 512));
  }

  @Override
  public List<LoopedDevice> devices() {
    return devices;
  }

  @Override
  public void enter() {}

  @Override
  public void leave() {}

  /** Packets that somebody holds. */
  int packetsOut() {
    return first.capacity() - first.available() + second.capacity() - second.available();
  }

  @Override
  public void close() {
    devices.forEach(LoopedDevice::close);
  }
}
