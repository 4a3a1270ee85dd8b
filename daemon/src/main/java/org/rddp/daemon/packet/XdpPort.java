package org.rddp.daemon.packet;

import java.util.List;
import org.rddp.dpdk.BurstPort;
import org.rddp.dpdk.PortInfo;
import org.rddp.dpdk.PortStatistics;
import org.rddp.dpdk.device.MbufPool;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ipc.linux.SystemCallException;

/**
 * A port on a Linux interface by AF_XDP sockets, one for each queue. Frames for our addresses reach
 * them before the kernel makes anything of them, without a copy where the driver can.
 *
 * <p>The kernel gets all other frames. Those of ARP, and of ICMPv6 by multicast, which it needs as
 * well as we do, come by a packet socket, which the first queue asks, too.
 *
 * <p>One port at a time can be on an interface: {@link #close} lets another process have it, {@link
 * #reopen} takes it back.
 */
public final class XdpPort implements BurstPort, AutoCloseable {
  /**
   * The largest MTU: a frame, with what the kernel keeps in front and behind, fits into a page. A
   * driver may allow more and lose such frames: virtio-net of Linux 6.1 allows 3506, and forgets
   * the 12 octets of its own header.
   */
  public static final int LARGEST_MTU = 3494;

  private final String name;
  private final InterfaceAddress address;
  private final List<MbufPool> pools;
  private final int entries;
  private final PortInfo info;

  /** Null while it is closed. */
  private XdpSockets sockets;

  /** What was counted before it was closed and opened again. */
  private PortStatistics former = PortStatistics.NONE;

  private XdpPort(String name, InterfaceAddress address, List<MbufPool> pools, int entries)
      throws SystemCallException {
    this.name = name;
    this.address = address;
    this.pools = pools;
    this.entries = entries;
    sockets = new XdpSockets(name, address, pools, entries);
    String driver = sockets.copies() ? "AF_XDP, copying" : "AF_XDP";
    info = PacketPort.info(name, driver, sockets.macAddress(), LARGEST_MTU, pools.size());
  }

  /**
   * Opens a port in the calling thread's network namespace; frames come from now on.
   *
   * @param name of the interface
   * @param address whose frames are received
   * @param pools of the queues, whose packets hold frames of {@link #LARGEST_MTU} or less
   * @param entries of each ring, a power of two
   * @throws SystemCallException if there is no such interface, without CAP_NET_RAW, CAP_NET_ADMIN
   *     and CAP_BPF, if the driver has no XDP, the interface has another program, or receives by
   *     more queues
   */
  public static XdpPort open(
      String name, InterfaceAddress address, List<MbufPool> pools, int entries)
      throws SystemCallException {
    return new XdpPort(name, address, pools, entries);
  }

  /**
   * Opens it again after {@link #close}, with the addresses that it had. It goes on counting.
   *
   * @throws SystemCallException as for {@link #open}; it stays closed
   */
  public synchronized void reopen() throws SystemCallException {
    sockets = new XdpSockets(name, address, pools, entries);
  }

  @Override
  public PortInfo info() {
    return info;
  }

  /** Whether the kernel copies frames, since the driver cannot use our memory. */
  public boolean copies() {
    return sockets.copies();
  }

  /** The descriptor by which a queue signals received frames. */
  public int interruptDescriptor(int queue) {
    return sockets.interruptDescriptor(queue);
  }

  @Override
  public synchronized boolean up() {
    return sockets != null && sockets.up();
  }

  @Override
  public synchronized PortStatistics statistics() {
    return sockets == null ? former : former.plus(sockets.statistics());
  }

  /** Does nothing: a socket always signals its frames. */
  @Override
  public void enableInterrupt(int queue, boolean on) {}

  @Override
  public int receive(int queue, long array, int count) {
    return sockets.receive(queue, array, count);
  }

  @Override
  public int transmit(int queue, long array, int count) {
    return sockets.transmit(queue, array, count);
  }

  /** Ends the program and closes the sockets, if they are open. No burst may be running. */
  @Override
  public synchronized void close() {
    if (sockets != null) {
      former = statistics();
      sockets.close();
      sockets = null;
    }
  }
}
