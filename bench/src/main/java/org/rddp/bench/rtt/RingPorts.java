package org.rddp.bench.rtt;

import java.nio.file.Path;
import org.rddp.bench.layout.DaemonConfigurations;
import org.rddp.daemon.DpdkPorts;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.dpdk.device.DpdkDevice;

/** The two ends of the link that rddp's two-core layout has, without rddp: net_ring, copying. */
final class RingPorts implements AutoCloseable {
  private static final int MTU = 1500;

  private final DpdkPorts ports;

  RingPorts() throws ConfigurationException {
    ports = DpdkPorts.open(DaemonConfigurations.ring(Path.of("/run/rddp/none"), "spin", MTU));
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
