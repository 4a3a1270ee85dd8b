package org.rddp.interop.siw;

import java.util.List;
import org.rddp.daemon.Ports;
import org.rddp.device.FrameDevice;
import org.rddp.ip.esp.EspCipher;

/**
 * A daemon's ports whose devices are wrapped.
 *
 * @param ports closed with these
 * @param devices in the same order
 */
record WrappedPorts(Ports ports, List<FrameDevice> devices) implements Ports {
  @Override
  public List<String> warnings() {
    return ports.warnings();
  }

  @Override
  public EspCipher.Factory ciphers() {
    return ports.ciphers();
  }

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
