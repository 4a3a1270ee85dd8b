package org.rddp.bench.rtt;

import java.nio.file.Path;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.daemon.device.DpdkDevice;
import org.rddp.daemon.device.DpdkPorts;

/** The two ends of the link that rddp's two-core layout has, without rddp: net_ring, copying. */
final class Joined implements AutoCloseable {
  private static final int MTU = 1500;

  private final DpdkPorts ports;

  Joined() throws ConfigurationException {
    ports = DpdkPorts.open(TwoInterfaces.ring(Path.of("/run/rddp/none"), "spin", MTU));
  }

  DpdkDevice near() {
    return ports.devices().get(0);
  }

  DpdkDevice far() {
    return ports.devices().get(1);
  }

  /** Makes the calling thread known to DPDK. */
  void enter() {
    ports.enter();
  }

  /** The calling thread is done with it. */
  void leave() {
    ports.leave();
  }

  @Override
  public void close() {
    ports.close();
  }
}
