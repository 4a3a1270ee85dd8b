package org.rddp.daemon.control;

import java.util.List;
import org.rddp.client.types.Reason;
import org.rddp.daemon.engine.ControlAddresses;
import org.rddp.daemon.engine.RequestRefusedException;
import org.rddp.ip.HostAddress;
import org.rddp.ip.InterfaceAddress;
import org.rddp.ip.Ipv4Address;
import org.rddp.ip.Ipv6Address;
import org.rddp.ip.Ipv6Network;
import org.rddp.ipc.linux.Errno;

/** Chooses the interface by which an octet stream leaves. */
final class StreamRoutes {
  private static final int OWN = 1000;
  private static final int GATEWAY = 1;

  private StreamRoutes() {}

  /**
   * The interface that reaches an address best: the one whose address it is, else that with the
   * longest prefix, else one with a gateway.
   *
   * @param local address that the stream must have, or one that stands for any; null for any
   * @param engines one or several of each interface
   * @throws RequestRefusedException with {@link Reason#NO_INTERFACE} if none reaches it
   */
  static InterfaceEngine choose(
      HostAddress remote, HostAddress local, List<InterfaceEngine> engines)
      throws RequestRefusedException {
    boolean bound = local != null && !ControlAddresses.isAny(local);
    if (bound && engines.stream().noneMatch(each -> each.hasAddress(local))) {
      throw new RequestRefusedException(
          Reason.NO_INTERFACE, Errno.EADDRNOTAVAIL, "no interface has the address " + local);
    }
    InterfaceEngine best = null;
    int most = 0;
    for (InterfaceEngine each : engines) {
      if (bound && !each.hasAddress(local)) {
        continue;
      }
      int fits = each.hasAddress(remote) ? OWN : fitness(remote, each.engine().address());
      if (fits > most) {
        most = fits;
        best = each;
      }
    }
    if (best == null) {
      throw new RequestRefusedException(
          Reason.NO_INTERFACE, "no interface of the daemon reaches " + remote);
    }
    return best;
  }

  private static int fitness(HostAddress remote, InterfaceAddress address) {
    return switch (remote) {
      case Ipv4Address v4 ->
          address
              .ipv4()
              .map(network ->
                  network.contains(v4)
                      ? GATEWAY + network.prefixLength()
                      : network.gateway().isPresent() ? GATEWAY : 0)
              .orElse(0);
      case Ipv6Address v6 ->
          address
              .ipv6()
              .map(network ->
                  network.address().sharesPrefix(v6.high(), v6.low(), network.prefixLength())
                      ? GATEWAY + network.prefixLength()
                      : hasRoute(network, v6) ? GATEWAY : 0)
              .orElse(0);
    };
  }

  private static boolean hasRoute(Ipv6Network network, Ipv6Address remote) {
    return remote.linkLocal() || network.gateway().isPresent() || network.advertised();
  }
}
