package org.rddp.bench.rtt;

import org.rddp.bench.layout.JoinedInterfaces;
import org.rddp.daemon.DpdkPorts;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.dpdk.device.DpdkDevice;
import org.rddp.rig.ConfigurationText;

/** The link of rddp's two-core layout without rddp: two ports of net_ring, which copy. */
final class RingPorts implements AutoCloseable {
  private static final int MTU = 1500;
  private static final int MEBIBYTES = 128;

  private final DpdkPorts ports;

  RingPorts() throws ConfigurationException {
    ConfigurationText text = new ConfigurationText().dpdk(MEBIBYTES);
    JoinedInterfaces.addRings(text, "mtu", MTU, "packets", 8192);
    ports = DpdkPorts.open(text.parse("bench"));
  }

  DpdkDevice near() {
    return ports.devices().get(0);
  }

  DpdkDevice far() {
    return ports.devices().get(1);
  }

  /** Registers the calling thread with DPDK. */
  void enter() {
    ports.enter();
  }

  /** Ends the calling thread's use of DPDK. */
  void leave() {
    ports.leave();
  }

  @Override
  public void close() {
    ports.close();
  }
}
