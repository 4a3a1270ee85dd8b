package org.rddp.interop;

import java.util.function.UnaryOperator;
import org.rddp.device.FrameDevice;
import org.rddp.device.FrameForwarder;
import org.rddp.device.LoopedDevice;
import org.rddp.device.PacketPool;
import org.rddp.device.WrappedDevice;

/**
 * A link in front of a device that impairs frames in both directions. Frames cross it as copies, so
 * that the sender's packets stay intact.
 */
public final class ImpairedLink implements FrameDevice {
  private static final int FRAMES = 512;

  private final FrameDevice device;
  private final FrameDevice near;
  private final FrameDevice outward;
  private final FrameDevice inward;
  private final FrameForwarder leaving;
  private final FrameForwarder coming;

  /**
   * Puts a link in front of a device, which stays the caller's to close.
   *
   * @param pool of the near end's packets
   * @param impairment wraps a device to impair what it receives; called once for each direction
   */
  public ImpairedLink(FrameDevice device, PacketPool pool, UnaryOperator<FrameDevice> impairment) {
    this.device = device;
    LoopedDevice[] link = LoopedDevice.pair(pool, device.pool(), device.mtu(), FRAMES);
    near = link[0];
    outward = impairment.apply(link[1]);
    inward = impairment.apply(new Borrowed(device));
    leaving = new FrameForwarder(outward, device);
    coming = new FrameForwarder(inward, link[1]);
  }

  @Override
  public PacketPool pool() {
    return near.pool();
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
    leaving.turn();
    coming.turn();
    return near.receive(packets);
  }

  @Override
  public int transmit(long[] packets, int from, int count) {
    int taken = near.transmit(packets, from, count);
    leaving.turn();
    return taken;
  }

  @Override
  public void close() {
    leaving.clear();
    coming.clear();
    outward.close();
    inward.close();
    near.close();
  }

  /** A device that stays open when its wrapper is closed. */
  private static final class Borrowed extends WrappedDevice {
    Borrowed(FrameDevice device) {
      super(device);
    }

    @Override
    public void close() {}
  }
}
