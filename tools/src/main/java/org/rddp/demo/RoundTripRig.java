package org.rddp.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.daemon.Daemon;
import org.rddp.daemon.DpdkPorts;
import org.rddp.daemon.Ports;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.ip.HostAddress;
import org.rddp.ip.Ipv6Network;
import org.rddp.rig.Affinity;
import org.rddp.rig.ProgramPair;
import org.rddp.rig.RoundTripTimer;
import org.rddp.rig.RoundTrips;
import org.rddp.rig.WaitStrategy;
import org.rddp.rig.WrappedPorts;

/**
 * Round trips in the two-thread layout: a daemon with two interfaces, both engines on one pinned
 * thread, and two programs on another.
 */
public final class RoundTripRig {
  private static final int PORT = 7472;

  /** Round trips until the JIT has compiled the whole path. */
  private static final int WARM_UP = 60_000;

  /** Time limit for those, and for those that are measured, in ns: busy cores allow few. */
  private static final long LONGEST = 20_000_000_000L;

  private RoundTripRig() {}

  /**
   * Starts the daemon in this process and measures.
   *
   * @param configuration with two interfaces that are joined and one engine thread
   * @param octets of each write, a multiple of 8
   * @param count round trips measured, after tens of thousands that are not; fewer in 20 s
   * @param log gets the daemon's log
   */
  public static RoundTrips measure(
      Configuration configuration, int octets, int count, PrintStream log) throws IOException {
    int[] cpus = Affinity.allowed();
    Ports ports = WrappedPorts.pinned(DpdkPorts.open(configuration), cpus[0]);
    InterfaceConfiguration near = configuration.interfaces().get(0);
    InterfaceConfiguration far = configuration.interfaces().get(1);
    try (Daemon _ = Daemon.start(configuration, ports, log);
        Rddp nearSession = session(configuration, near);
        Rddp farSession = session(configuration, far)) {
      Affinity.pin(cpus[cpus.length - 1]);
      HostAddress address =
          far.ipv6()
              .<HostAddress>map(Ipv6Network::address)
              .orElseGet(() -> far.interfaceAddress().first());
      InetSocketAddress listening = new InetSocketAddress(address.toString(), PORT);
      WaitStrategy waiting = WaitStrategy.spinning();
      try (ProgramPair pair =
          ProgramPair.connect(nearSession, farSession, listening, octets, waiting)) {
        pair.prepare(ProgramPair.Verb.WRITE, octets);
        RoundTripTimer timer = new RoundTripTimer();
        timer.warmUp(pair, WARM_UP, LONGEST);
        String device = near.isRing() ? "net_ring, copying" : near.device().text();
        return RoundTrips.of(timer.closedLoop(pair, count, LONGEST), device);
      }
    }
  }

  private static Rddp session(Configuration configuration, InterfaceConfiguration used) {
    return Rddp.connect(
        configuration.controlSocket(),
        RddpOptions.defaults().withInterfaceName(used.name()).withProgramName("round trips"));
  }
}
