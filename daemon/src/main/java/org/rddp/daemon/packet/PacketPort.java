package org.rddp.daemon.packet;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.rddp.dpdk.BurstPort;
import org.rddp.dpdk.PortInfo;
import org.rddp.dpdk.PortStatistics;
import org.rddp.dpdk.device.MbufPool;
import org.rddp.ip.HostAddress;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.PairedSocket;
import org.rddp.ipc.linux.SystemCallException;

/**
 * A port on a Linux interface by packet sockets, one for each queue: frames of many TCP segments go
 * down and come up whole, and the kernel and the card cut and merge them.
 *
 * <p>Only frames for the addresses of the interface come; the host keeps the others.
 */
public final class PacketPort implements BurstPort, AutoCloseable {
  /** {@link PortInfo#driver()} of such a port. */
  public static final String DRIVER = "packet sockets";

  /** Octets of received frames, with the kernel's structures, that wait for a queue's thread. */
  public static final int BUFFER = 8 << 20;

  private static final int LARGEST_MTU = 65535;

  /** One for each queue; none if it is the end of a pair. */
  private final List<PacketSocket> sockets = new ArrayList<>();

  private final List<PacketQueue> queues = new ArrayList<>();
  private final PortInfo info;
  private final boolean multicast;
  private int index;
  private int granted = BUFFER;
  private long dropped;

  private PacketPort(String name, InterfaceAddress address, List<MbufPool> pools)
      throws SystemCallException {
    multicast = address.ipv6().isPresent();
    try {
      for (MbufPool pool : pools) {
        PacketSocket socket = new PacketSocket(name);
        sockets.add(socket);
        queues.add(new PacketQueue(socket.descriptor(), pool));
      }
      PacketSocket first = sockets.getFirst();
      OptionalInt now = first.index();
      if (now.isEmpty()) {
        throw new SystemCallException("the interface " + name, Errno.ENOENT);
      }
      index = now.getAsInt();
      info = info(name, DRIVER, first.macAddress(), LARGEST_MTU, pools.size());
      start(address.all(info.macAddress()));
    } catch (SystemCallException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Opens a port in the calling thread's network namespace; frames come from now on.
   *
   * @param name of the interface
   * @param address whose frames are received
   * @param pools of the queues
   * @throws SystemCallException if there is no such interface, without CAP_NET_RAW, or if the
   *     kernel does not have what it needs
   */
  public static PacketPort open(String name, InterfaceAddress address, List<MbufPool> pools)
      throws SystemCallException {
    return new PacketPort(name, address, pools);
  }

  private PacketPort(PairedSocket end, long macAddress, MbufPool pool) {
    multicast = true;
    queues.add(new PacketQueue(end.descriptor(), pool));
    info = info("pair", DRIVER, macAddress, LARGEST_MTU, 1);
  }

  /**
   * Opens one end of a link that is a pair of sockets in this process, and none of the kernel's
   * interfaces: frames pass as on a veth link, whole and without their checksums. Needs no rights.
   *
   * @param end of messages; closed with the port
   * @param macAddress of the end
   * @param pool of its queue
   */
  public static PacketPort ofPair(PairedSocket end, long macAddress, MbufPool pool) {
    return new PacketPort(end, macAddress, pool);
  }

  private void start(List<HostAddress> addresses) throws SystemCallException {
    byte[] filter = AddressFilter.of(addresses);
    int group = 0;
    for (PacketSocket socket : sockets) {
      socket.attach(filter);
      granted = Math.min(granted, socket.buffers(BUFFER));
      socket.bind(index);
      if (multicast) {
        socket.receiveMulticast(index);
      }
      if (socket == sockets.getFirst() && sockets.size() > 1) {
        group = socket.makeGroup();
      } else if (sockets.size() > 1) {
        socket.join(group);
      }
    }
  }

  /** Describes a port by sockets, without any offload of a card. */
  static PortInfo info(String name, String driver, long macAddress, int mtu, int queues) {
    return new PortInfo(
        name,
        driver,
        macAddress,
        0,
        mtu,
        0,
        queues,
        queues,
        0,
        0,
        false,
        false,
        0,
        0,
        -1,
        Set.of(),
        Set.of());
  }

  @Override
  public PortInfo info() {
    return info;
  }

  /** Octets of {@link #BUFFER} that the kernel grants. */
  public int granted() {
    return granted;
  }

  /** The descriptor by which a queue signals received frames. */
  public int interruptDescriptor(int queue) {
    return queues.get(queue).descriptor();
  }

  /**
   * {@inheritDoc} An interface that has gone and come back is bound again, if it has the same MAC
   * address and the port has one queue: the kernel does not let members of a group move.
   */
  @Override
  public synchronized boolean up() {
    if (sockets.isEmpty()) {
      return true;
    }
    PacketSocket socket = sockets.getFirst();
    OptionalInt now = socket.index();
    if (now.isEmpty() || (now.getAsInt() != index && !bindAgain(socket, now.getAsInt()))) {
      return false;
    }
    return socket.up();
  }

  private boolean bindAgain(PacketSocket socket, int next) {
    try {
      if (sockets.size() > 1 || socket.macAddress() != info.macAddress()) {
        return false;
      }
      socket.bind(next);
      if (multicast) {
        socket.receiveMulticast(next);
      }
      index = next;
      return true;
    } catch (SystemCallException e) {
      return false;
    }
  }

  @Override
  public synchronized PortStatistics statistics() {
    for (PacketSocket each : sockets) {
      dropped += each.dropped();
    }
    return new PortStatistics(
        sum(PacketQueue::framesIn),
        sum(PacketQueue::framesOut),
        sum(PacketQueue::octetsIn),
        sum(PacketQueue::octetsOut),
        dropped,
        sum(PacketQueue::truncated),
        sum(PacketQueue::refused),
        sum(PacketQueue::noPacket));
  }

  private long sum(ToLongFunction<PacketQueue> counter) {
    return queues.stream().mapToLong(counter).sum();
  }

  /** Does nothing: a socket always signals its frames. */
  @Override
  public void enableInterrupt(int queue, boolean on) {}

  @Override
  public int receive(int queue, long array, int count) {
    return queues.get(queue).receive(array, count);
  }

  @Override
  public int transmit(int queue, long array, int count) {
    return queues.get(queue).transmit(array, count);
  }

  /** Closes the sockets. No burst may be running. */
  @Override
  public void close() {
    queues.forEach(PacketQueue::close);
    queues.clear();
  }
}
