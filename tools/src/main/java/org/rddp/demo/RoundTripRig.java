package org.rddp.demo;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.daemon.Daemon;
import org.rddp.daemon.DpdkPorts;
import org.rddp.daemon.Ports;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.InterfaceConfiguration;
import org.rddp.device.FrameDevice;
import org.rddp.rig.Affinity;
import org.rddp.rig.RoundTrips;

/**
 * Round trips in the two-thread layout: a daemon with two interfaces, both engines on one pinned
 * thread, and two programs on another.
 */
public final class RoundTripRig {
  private static final int PORT = 7472;

  /** Until everything on the way is compiled. */
  private static final int WARM_UP = 60_000;

  private RoundTripRig() {}

  /**
   * Starts the daemon in this process and measures.
   *
   * @param configuration with two interfaces that are joined and one engine thread
   * @param octets of each write, a multiple of 8
   * @param count round trips measured, after tens of thousands that are not
   * @param log where the daemon says what happens
   */
  public static RoundTrips measure(
      Configuration configuration, int octets, int count, PrintStream log) throws IOException {
    int[] cpus = Affinity.allowed();
    Ports ports = new PinnedPorts(DpdkPorts.open(configuration), cpus[0]);
    InterfaceConfiguration near = configuration.interfaces().get(0);
    InterfaceConfiguration far = configuration.interfaces().get(1);
    try (Daemon _ = Daemon.start(configuration, ports, log);
        Rddp nearSession = session(configuration, near);
        Rddp farSession = session(configuration, far)) {
      Affinity.pin(cpus[cpus.length - 1]);
      InetSocketAddress address =
          new InetSocketAddress(InetAddress.getByAddress(octets(far.address())), PORT);
      try (WritePingPong pingPong = new WritePingPong(nearSession, farSession, address, octets)) {
        String device = near.device().startsWith("ring:") ? "net_ring, copying" : near.device();
        return pingPong.measure(WARM_UP, count, device);
      }
    }
  }

  private static Rddp session(Configuration configuration, InterfaceConfiguration used) {
    return Rddp.connect(
        configuration.controlSocket(),
        RddpOptions.defaults().withInterfaceName(used.name()).withProgramName("round trips"));
  }

  private static byte[] octets(int address) {
    return new byte[] {
      (byte) (address >>> 24), (byte) (address >>> 16), (byte) (address >>> 8), (byte) address
    };
  }

  /** Ports whose engine thread keeps to one CPU. */
  private record PinnedPorts(Ports ports, int cpu) implements Ports {
    @Override
    public List<? extends FrameDevice> devices() {
      return ports.devices();
    }

    @Override
    public void enter() {
      try {
        Affinity.pin(cpu);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      ports.enter();
    }

    @Override
    public void leave() {
      ports.leave();
    }

    @Override
    public void close() {
      ports.close();
    }
  }
}
