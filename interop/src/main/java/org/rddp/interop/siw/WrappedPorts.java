package org.rddp.interop.siw;

import java.util.List;
import org.rddp.daemon.Ports;
import org.rddp.device.FrameDevice;

/**
 * A daemon's ports with something before each of its devices.
 *
 * @param ports closed with these
 * @param devices in the same order, perhaps others
 */
record WrappedPorts(Ports ports, List<FrameDevice> devices) implements Ports {
  @Override
  public void enter() {
    ports.enter();
  }

  @Override
  public void leave() {
    ports.leave();
  }

  @Override
  public void close() {
    ports.close();
  }
}
