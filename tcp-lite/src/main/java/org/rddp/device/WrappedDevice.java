package org.rddp.device;

/**
 * A device in front of another one: frames go through as they are, and what a subclass does to them
 * is all that it has to say. Offloads of the other device are not offered, because they would be
 * done to frames that are not the final ones.
 */
public abstract class WrappedDevice implements FrameDevice {
  private final FrameDevice device;

  /** In front of the given device, which is closed with this one. */
  protected WrappedDevice(FrameDevice device) {
    this.device = device;
  }

  /** The device behind. */
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
