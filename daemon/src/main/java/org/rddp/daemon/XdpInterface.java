package org.rddp.daemon;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.daemon.packet.XdpPort;
import org.rddp.device.FrameDevice;
import org.rddp.dpdk.device.DpdkDevice;
import org.rddp.dpdk.device.MbufPool;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.SystemCallException;

/** The port of a Linux interface by AF_XDP. */
final class XdpInterface implements MovablePort {
  /**
   * Time in ns for the kernel to free the queues of sockets that another process has closed: less
   * than the other daemon waits.
   */
  private static final long RELEASE_TIME = TimeUnit.SECONDS.toNanos(5);

  /** Time in ns between two attempts. */
  private static final long RETRY = TimeUnit.MILLISECONDS.toNanos(1);

  private final int number;
  private final InterfaceConfiguration configured;
  private final boolean interrupts;
  private final List<MbufPool> pools;
  private final List<String> warnings;

  /** Null before the first {@link #take}. */
  private XdpPort port;

  private List<DpdkDevice> devices = List.of();
  private boolean taken;

  /**
   * Creates one without a port.
   *
   * @param number of the interface, from 1
   * @param interrupts whether received frames are to be signalled
   * @param pools one for each engine
   * @param warnings takes what an operator should know
   */
  XdpInterface(
      int number,
      InterfaceConfiguration configured,
      boolean interrupts,
      List<MbufPool> pools,
      List<String> warnings) {
    this.number = number;
    this.configured = configured;
    this.interrupts = interrupts;
    this.pools = pools;
    this.warnings = warnings;
  }

  @Override
  public List<DpdkDevice> devices() {
    return devices;
  }

  @Override
  public void take(long macAddress, NativeOutput output) {
    if (taken) {
      return;
    }
    try {
      open();
    } catch (SystemCallException e) {
      throw DriverPort.refused(number, "device", refusal(configured.device().name(), e), null);
    }
    taken = true;
  }

  /** What an operator can do where AF_XDP is refused. */
  static String refusal(String name, SystemCallException e) {
    String said =
        "no AF_XDP on %s: %s; allowed: \"linux:%s\"".formatted(name, e.getMessage(), name);
    // Drivers have limits of their own: igb allows an MTU of 3046 with XDP, and veth 3506 of its
    // peer.
    return e.errno() == Errno.EINVAL || e.errno() == Errno.ERANGE
        ? said + ", or a smaller MTU, if the driver has XDP: ip link set " + name + " mtu 1500"
        : said;
  }

  /** A queue is free some time after its socket has been closed, by a thread of the kernel. */
  private void open() throws SystemCallException {
    long begin = System.nanoTime();
    while (true) {
      try {
        openNow();
        return;
      } catch (SystemCallException e) {
        if (e.errno() != Errno.EBUSY || System.nanoTime() - begin > RELEASE_TIME) {
          throw e;
        }
        LockSupport.parkNanos(RETRY);
      }
    }
  }

  private void openNow() throws SystemCallException {
    if (port != null) {
      port.reopen();
      for (int i = 0; i < devices.size(); i++) {
        devices.get(i).reopened(interrupt(i));
      }
      return;
    }
    String name = configured.device().name();
    port = XdpPort.open(name, configured.interfaceAddress(), pools, configured.descriptors());
    if (port.copies()) {
      warnings.add(
          "interface %s: the driver of %s copies the frames of AF_XDP; \"linux:%s\" is faster"
              .formatted(configured.name(), name, name));
    }
    devices = DpdkPorts.devices(configured, port, pools, 0, this::interrupt, this::release);
  }

  private int interrupt(int queue) {
    return interrupts ? port.interruptDescriptor(queue) : FrameDevice.POLLED;
  }

  @Override
  public void release() {
    if (taken) {
      port.close();
      taken = false;
    }
  }
}
