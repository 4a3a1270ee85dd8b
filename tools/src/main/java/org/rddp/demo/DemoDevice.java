package org.rddp.demo;

import java.util.List;
import java.util.Locale;

/** The device that joins the two daemons. */
public enum DemoDevice {
  /** net_vhost and net_virtio_user, as between a hypervisor and its guest; needs huge pages. */
  VHOST("net_vhost + net_virtio_user") {
    @Override
    List<String> devices(String socket) {
      return List.of(
          "net_vhost0,iface=" + socket + ",queues=1",
          "net_virtio_user0,path=" + socket + ",queues=1,packed_vq=1");
    }
  },
  /** net_memif at both ends. */
  MEMIF("net_memif") {
    @Override
    List<String> devices(String socket) {
      String common = "id=0,rsize=11,bsize=16384,socket-abstract=no,socket=" + socket;
      return List.of("net_memif0,role=server," + common, "net_memif0,role=client," + common);
    }
  },
  /** A pair of rings: one daemon with both interfaces. */
  RING("net_ring, one process, copying") {
    @Override
    List<String> devices(String socket) {
      return List.of("ring:demo", "ring:demo");
    }
  };

  private final String description;

  DemoDevice(String description) {
    this.description = description;
  }

  /**
   * The source's device and the sink's, as configurations name them.
   *
   * @param socket path of the socket between them: short, since DPDK limits a device's length, and
   *     absolute, as net_memif requires
   */
  abstract List<String> devices(String socket);

  /** A description for messages. */
  public String description() {
    return description;
  }

  /** Whether each interface has a daemon of its own. */
  boolean inTwoProcesses() {
    return this != RING;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
