package org.rddp.daemon.packet;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.function.ToLongFunction;
import org.rddp.dpdk.PortStatistics;
import org.rddp.dpdk.device.MbufPool;
import org.rddp.ip.HostAddress;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.Errno;
import org.rddp.ipc.linux.EventSet;
import org.rddp.ipc.linux.SystemCallException;

/**
 * What an open {@link XdpPort} has: the program on the interface, an AF_XDP socket for each queue,
 * and the packet socket.
 */
final class XdpSockets implements AutoCloseable {
  /** Receptions after which the packet socket is asked, even if frames keep coming. */
  private static final int OTHERS = 64;

  private final List<XdpQueue> queues = new ArrayList<>();
  private final PacketSocket socket;
  private final PacketQueue others;
  private final XdpProgram program;
  private final EventSet firstOrOthers;
  private final long macAddress;

  /** How often the first queue has received; its thread's. */
  private int receptions;

  /** Opens them: {@link XdpPort#open}. */
  XdpSockets(String name, InterfaceAddress address, List<MbufPool> pools, int entries)
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
      macAddress = socket.macAddress();
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
      program = made;
      firstOrOthers = events;
    } catch (SystemCallException | RuntimeException e) {
      close(made, events);
      throw e;
    }
  }

  /** The address of the interface, in the low 48 bits. */
  long macAddress() {
    return macAddress;
  }

  /** Whether the kernel copies frames, since the driver cannot use our memory. */
  boolean copies() {
    return queues.getFirst().socket().copies();
  }

  /** The descriptor by which a queue signals received frames. */
  int interruptDescriptor(int queue) {
    Descriptor signal =
        queue == 0 ? firstOrOthers.descriptor() : queues.get(queue).socket().descriptor();
    return signal.number();
  }

  boolean up() {
    return socket.up();
  }

  PortStatistics statistics() {
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

  int receive(int queue, long array, int count) {
    int came = queues.get(queue).receive(array, count);
    if (queue == 0 && (came == 0 || ++receptions % OTHERS == 0)) {
      came += others.receive(array + (long) came * Long.BYTES, count - came);
    }
    return came;
  }

  int transmit(int queue, long array, int count) {
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
