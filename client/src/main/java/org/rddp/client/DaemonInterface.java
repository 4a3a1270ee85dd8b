package org.rddp.client;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.rddp.client.types.Reason;
import org.rddp.ipc.control.ControlMessage;
import org.rddp.ipc.control.ControlSocket;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.InterfaceEntry;
import org.rddp.ipc.control.IpAddress;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.linux.SystemCallException;

/**
 * An interface of the daemon.
 *
 * @param name by which a program chooses it
 * @param address its IPv4 address, or null if it has IPv6 only
 * @param prefix length of that network's prefix in bits; 0 without an IPv4 address
 * @param gateway the IPv4 gateway, or null if there is none
 * @param mtu octets of the longest IP packet
 * @param mac the device's address: 48 bits, the first octet highest
 * @param ipv6 its IPv6 addresses: none, or the configured one and the link-local one
 */
public record DaemonInterface(
    String name,
    InetAddress address,
    int prefix,
    InetAddress gateway,
    int mtu,
    long mac,
    List<InetAddress> ipv6) {
  private static final double MILLIS_PER_SECOND = 1000;

  private static DaemonInterface of(InterfaceEntry entry) {
    return new DaemonInterface(
        entry.name(),
        addressOrNull(entry.address()),
        entry.prefix(),
        addressOrNull(entry.gateway()),
        entry.mtu(),
        entry.mac(),
        entry.ipv6().stream().map(each -> InetAddresses.address(each.address())).toList());
  }

  private static InetAddress addressOrNull(IpAddress address) {
    return address.equals(IpAddress.NONE) ? null : InetAddresses.address(address);
  }

  /**
   * All addresses of the interface, at least one: its IPv4 address, if any, then those of {@link
   * #ipv6}.
   */
  public List<InetAddress> addresses() {
    List<InetAddress> all = new ArrayList<>();
    if (address != null) {
      all.add(address);
    }
    all.addAll(ipv6);
    return List.copyOf(all);
  }

  /** Asks the daemon that listens at a path. */
  static List<DaemonInterface> list(Path path, Duration timeout) {
    try (ControlSocket socket = ControlSocket.connect(path, timeout.toNanos())) {
      return list(socket, timeout);
    } catch (SystemCallException e) {
      throw new DaemonUnavailableException(ConnectAdvice.of(path, e), e);
    } catch (IOException e) {
      throw new DaemonUnavailableException(
          "the daemon at " + path + " does not name its interfaces: " + e.getMessage(), e);
    }
  }

  private static List<DaemonInterface> list(ControlSocket socket, Duration timeout)
      throws IOException {
    return collect(index -> page(socket, timeout, index));
  }

  /** Asks the daemon of a session. */
  static List<DaemonInterface> list(ControlChannel channel) {
    return collect(index ->
        channel.request(
            request -> new ProgramMessage.ListInterfaces(request, ControlMessage.VERSION, index),
            DaemonMessage.InterfacesListed.class));
  }

  /** Asks for the interfaces from an index on; the reply has some of them. */
  private interface Pages<E extends Exception> {
    DaemonMessage.InterfacesListed from(int index) throws E;
  }

  private static <E extends Exception> List<DaemonInterface> collect(Pages<E> pages) throws E {
    List<DaemonInterface> found = new ArrayList<>();
    int next = 0;
    do {
      DaemonMessage.InterfacesListed listed = pages.from(next);
      listed.interfaces().forEach(entry -> found.add(of(entry)));
      next = listed.next();
    } while (next != 0);
    return found;
  }

  private static DaemonMessage.InterfacesListed page(
      ControlSocket socket, Duration timeout, int index) throws IOException {
    // Numbers of requests begin at 1.
    socket.send(new ProgramMessage.ListInterfaces(index + 1, ControlMessage.VERSION, index));
    DaemonMessage reply = receive(socket, timeout);
    if (reply instanceof DaemonMessage.Refused refused) {
      throw new RefusedException(refused.reason(), refused.text());
    }
    if (reply instanceof DaemonMessage.InterfacesListed listed) {
      return listed;
    }
    throw new IOException("it answers with " + reply);
  }

  private static DaemonMessage receive(ControlSocket socket, Duration timeout) throws IOException {
    PollSet readable = new PollSet();
    readable.add(socket.descriptor());
    long deadline = System.nanoTime() + timeout.toNanos();
    DaemonMessage message = socket.receiveFromDaemon();
    while (message == null) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        throw new DaemonUnavailableException(
            "the daemon has not answered in " + timeout.toMillis() / MILLIS_PER_SECOND + " s",
            new IOException(Reason.TIMEOUT.name()));
      }
      readable.await(left);
      message = socket.receiveFromDaemon();
    }
    return message;
  }
}
