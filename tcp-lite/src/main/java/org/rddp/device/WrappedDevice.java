package org.rddp.device;

/**
 * A device that forwards every call to another one; a subclass overrides the calls that it changes.
 * The other device's offloads are not offered, because they would apply to frames that a subclass
 * has changed.
 */
public abstract class WrappedDevice implements FrameDevice {
  private final FrameDevice device;

  /** Wraps a device, which is closed with this one. */
  protected WrappedDevice(FrameDevice device) {
    this.device = device;
  }

  /** The wrapped device. */
  protected final FrameDevice device() {
    return device;
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

  /** The other device's verdict, which a subclass that changes received frames overrides. */
  @Override
  public int checksum(long packet) {
    return device.checksum(packet);
  }

  @Override
  public boolean receives(int remote, int remotePort, int local, int localPort) {
    return device.receives(remote, remotePort, local, localPort);
  }

  @Override
  public boolean receives(
      long remoteHigh,
      long remoteLow,
      int remotePort,
      long localHigh,
      long localLow,
      int localPort) {
    return device.receives(remoteHigh, remoteLow, remotePort, localHigh, localLow, localPort);
  }

  @Override
  public boolean foretells(boolean ipv6) {
    return device.foretells(ipv6);
  }

  @Override
  public int receive(long[] packets) {
    return device.receive(packets);
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
