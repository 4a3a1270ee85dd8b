package org.rddp.bench.rtt;

import java.io.IOException;
import java.net.InetAddress;
import java.time.Duration;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.layout.Cpus;
import org.rddp.bench.layout.JoinedInterfaces;
import org.rddp.bench.layout.OneDaemon;
import org.rddp.nio.RddpSelectorProvider;
import org.rddp.rig.NetworkEnds;

/** The two interfaces of a daemon of this process, whose engine idles as by default. */
final class RddpEnds implements NetworkEnds, AutoCloseable {
  private final OneDaemon daemon = OneDaemon.forRoundTrips(1500, "interrupt");
  private final RddpSelectorProvider provider;
  private final InetAddress server = InetAddress.getByName(JoinedInterfaces.farAddress());

  /**
   * Starts the daemon.
   *
   * @param polls whether threads poll before they sleep, as by default
   */
  RddpEnds(boolean polls) throws CannotRunException, IOException {
    provider =
        polls
            ? new RddpSelectorProvider(daemon.socket())
            : new RddpSelectorProvider(daemon.socket(), Duration.ZERO);
  }

  /** The CPU of the server's thread, which leaves the engine alone on the other one. */
  static int serverCpu() throws IOException {
    return Cpus.near();
  }

  @Override
  public RddpSelectorProvider provider() {
    return provider;
  }

  @Override
  public void enterServer() {}

  @Override
  public void enterClient() {}

  @Override
  public InetAddress serverAddress() {
    return server;
  }

  @Override
  public String device() {
    return "net_ring";
  }

  @Override
  public void close() throws IOException {
    daemon.close();
  }
}
