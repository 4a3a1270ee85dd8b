package org.rddp.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.rddp.daemon.Ports;
import org.rddp.device.FrameDevice;
import org.rddp.ip.esp.EspCipher;

/**
 * Ports whose engine thread is pinned to a CPU.
 *
 * @param ports the ports themselves
 * @param cpu to which the engine thread is pinned
 */
public record PinnedPorts(Ports ports, int cpu) implements Ports {
  @Override
  public List<? extends FrameDevice> devices() {
    return ports.devices();
  }

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
    try {
      Affinity.pin(cpu);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
