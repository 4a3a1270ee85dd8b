package org.rddp.daemon.packet;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.ToLongFunction;
import org.rddp.dpdk.BurstPort;
import org.rddp.dpdk.PortInfo;
import org.rddp.dpdk.PortStatistics;
import org.rddp.dpdk.device.MbufPool;
import org.rddp.ip.HostAddress;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.EventSet;
import org.rddp.ipc.linux.SystemCallException;

/**
 * A port on a Linux interface by AF_XDP sockets, one for each queue. Frames for our addresses reach
 * them before the kernel makes anything of them, without a copy where the driver can.
 *
 * <p>The kernel gets all other frames. Those of ARP, and of ICMPv6 by multicast, which it needs as
 * well as we do, come by a packet socket, which the first queue asks, too.
 */
public final class XdpPort implements BurstPort, AutoCloseable {
  /** The largest MTU: a frame, with what the kernel keeps in front and behind, fits into a page. */
  public static final int LARGEST_MTU = 3498;

  /** Receptions after which the packet socket is asked, even if frames keep coming. */
  private static final int OTHERS = 64;

  private final List<XdpQueue> queues = new ArrayList<>();
  private final PacketSocket socket;
  private final PacketQueue others;
  private final XdpProgram program;
  private final EventSet firstOrOthers;
  private final PortInfo info;

  /** How often the first queue has received; its thread's. */
  private int receptions;

  private XdpPort(String name, InterfaceAddress address, List<MbufPool> pools, int entries)
      throws SystemCallException {
    socket = new PacketSocket(name);
    others = new PacketQueue(socket.descriptor(), pools.getFirst());
    XdpProgram made = null;
    EventSet events = null;
    try {
      OptionalInt index = socket.index();
      if (index.isEmpty()) {
        throw new SystemCallException("the interface " + name, Errno.ENOENT);
      }
      int used = socket.receiveQueues();
      if (used > pools.size()) {
        throw new SystemCallException(
            "%s receives by %d queues, and the interface has %d (engines); ethtool -L %s changes that"
                .formatted(name, used, pools.size(), name),
            Errno.EINVAL);
      }
      long macAddress = socket.macAddress();
      List<HostAddress> addresses = address.all(macAddress);
      socket.attach(AddressFilter.of(addresses));
      socket.bind(index.getAsInt());
      if (address.ipv6().isPresent()) {
        socket.receiveMulticast(index.getAsInt());
      }
      made = new XdpProgram(index.getAsInt(), macAddress, addresses, pools.size());
      for (MbufPool pool : pools) {
        XdpSocket each = new XdpSocket(index.getAsInt(), queues.size(), entries);
        queues.add(new XdpQueue(each, pool, entries));
        made.put(queues.size() - 1, each.descriptor().number());
      }
      events = EventSet.create();
      events.add(queues.getFirst().socket().descriptor(), EventSet.IN, 0);
      events.add(socket.descriptor(), EventSet.IN, 1);
      String driver = queues.getFirst().socket().copies() ? "AF_XDP, copying" : "AF_XDP";
      info = PacketPort.info(name, driver, macAddress, LARGEST_MTU, pools.size());
      program = made;
      firstOrOthers = events;
    } catch (SystemCallException | RuntimeException e) {
      close(made, events);
      throw e;
    }
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

  @Override
  public PortInfo info() {
    return info;
  }

  /** Whether the kernel copies frames, since the driver cannot use our memory. */
  public boolean copies() {
    return queues.getFirst().socket().copies();
  }

  /** The descriptor by which a queue signals received frames. */
  public int interruptDescriptor(int queue) {
    Descriptor signal =
        queue == 0 ? firstOrOthers.descriptor() : queues.get(queue).socket().descriptor();
    return signal.number();
  }

  @Override
  public boolean up() {
    return socket.up();
  }

  @Override
  public PortStatistics statistics() {
    long dropped = 0;
    for (XdpQueue each : queues) {
      dropped += each.socket().dropped();
    }
    return new PortStatistics(
        sum(XdpQueue::framesIn) + others.framesIn(),
        sum(XdpQueue::framesOut),
        sum(XdpQueue::octetsIn) + others.octetsIn(),
        sum(XdpQueue::octetsOut),
        dropped,
        sum(XdpQueue::tooLong) + others.truncated(),
        sum(XdpQueue::refused),
        sum(XdpQueue::noPacket) + others.noPacket());
  }

  private long sum(ToLongFunction<XdpQueue> counter) {
    return queues.stream().mapToLong(counter).sum();
  }

  /** Does nothing: a socket always signals its frames. */
  @Override
  public void enableInterrupt(int queue, boolean on) {}

  @Override
  public int receive(int queue, long array, int count) {
    int came = queues.get(queue).receive(array, count);
    if (queue == 0 && (came == 0 || ++receptions % OTHERS == 0)) {
      came += others.receive(array + (long) came * Long.BYTES, count - came);
    }
    return came;
  }

  @Override
  public int transmit(int queue, long array, int count) {
    return queues.get(queue).transmit(array, count);
  }

  /** Ends the program and closes the sockets. No burst may be running. */
  @Override
  public void close() {
    close(program, firstOrOthers);
  }

  private void close(XdpProgram made, EventSet events) {
    if (made != null) {
      made.close();
    }
    if (events != null) {
      events.close();
    }
    queues.forEach(XdpQueue::close);
    others.close();
  }
}
