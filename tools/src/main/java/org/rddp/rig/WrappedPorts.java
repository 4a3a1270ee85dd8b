package org.rddp.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import org.rddp.daemon.Ports;
import org.rddp.device.FrameDevice;
import org.rddp.ip.esp.EspCipher;

/**
 * Ports whose devices are wrapped, or whose engine thread is pinned to a CPU.
 *
 * @param ports closed with these
 * @param devices in the same order
 * @param onEnter is called by the engine thread when it begins
 */
public record WrappedPorts(Ports ports, List<? extends FrameDevice> devices, Runnable onEnter)
    implements Ports {
  /** Ports whose engine thread is pinned to a CPU. */
  public static WrappedPorts pinned(Ports ports, int cpu) {
    return new WrappedPorts(ports, ports.devices(), () -> pin(cpu));
  }

  private static void pin(int cpu) {
    try {
      Affinity.pin(cpu);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
    onEnter.run();
    ports.enter();
  }

  @Override
  public void leave() {
    ports.leave();
  }

  @Override
  public void release() {
    ports.release();
  }

  @Override
  public void take(Map<String, Long> macAddresses) throws IOException {
    ports.take(macAddresses);
  }

  @Override
  public void close() {
    ports.close();
  }
}
