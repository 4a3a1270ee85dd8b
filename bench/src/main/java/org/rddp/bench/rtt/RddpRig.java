package org.rddp.bench.rtt;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.Cpus;
import org.rddp.bench.layout.DaemonConfigurations;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.daemon.Daemon;
import org.rddp.daemon.DpdkPorts;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.rig.Affinity;
import org.rddp.rig.PinnedPorts;

/**
 * rddp in the two-core layout: both stacks on one engine thread, over a pair of rings that copy,
 * and both programs on another thread.
 */
public final class RddpRig implements Rig {
  /** Octets of the longest message. */
  static final int LONGEST = 65_536;

  private static final int PORT = 7473;
  private static final int MTU = 1500;

  private final RoundTripTimer clocked = new RoundTripTimer();
  private Path folder;
  private Daemon daemon;
  private Rddp near;
  private Rddp far;
  private ProgramPair pair;

  /** For the process of the rig. */
  public RddpRig() {}

  @Override
  public void open(JsonObject arguments) throws Exception {
    int mtu = arguments.has("mtu") ? arguments.get("mtu").getAsInt() : MTU;
    folder = Files.createTempDirectory("rddp-rtt");
    Configuration configuration =
        DaemonConfigurations.ring(folder.resolve("rddpd.sock"), "spin", mtu);
    daemon =
        Daemon.start(
            configuration, new PinnedPorts(DpdkPorts.open(configuration), Cpus.far()), System.err);
    near = session(configuration.controlSocket(), "near");
    far = session(configuration.controlSocket(), "far");
    Affinity.pin(Cpus.near());
    pair =
        new ProgramPair(
            near,
            far,
            new InetSocketAddress(DaemonConfigurations.FAR, PORT),
            LONGEST,
            new WaitStrategy(false));
  }

  /** A program's session on an interface. */
  public static Rddp session(Path socket, String name) {
    return Rddp.connect(
        socket, RddpOptions.defaults().withInterfaceName(name).withProgramName("rtt"));
  }

  @Override
  public Sample round(JsonObject task) throws Exception {
    return clocked.run(RttTask.fromJson(task), pair);
  }

  @Override
  public void close() throws IOException {
    if (pair != null) {
      pair.close();
    }
    if (near != null) {
      near.close();
    }
    if (far != null) {
      far.close();
    }
    if (daemon != null) {
      daemon.close();
    }
    if (folder != null) {
      Files.deleteIfExists(folder.resolve("rddpd.sock"));
      Files.deleteIfExists(folder);
    }
  }
}
