package org.rddp.bench.layout;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.client.Rddp;
import org.rddp.rig.ConfigurationText;
import org.rddp.rig.JavaProcess;
import org.rddp.rig.TemporaryFolder;

/**
 * A daemon in a process of its own with default settings, whose two interfaces are joined by a
 * ring, and a program's session on each.
 */
public final class FreshDaemon implements AutoCloseable {
  private static final int MEBIBYTES = 128;
  private static final Duration START = Duration.ofSeconds(60);

  private final TemporaryFolder folder = new TemporaryFolder("rddp-start");
  private JavaProcess daemon;
  private Rddp near;
  private Rddp far;
  private double readyMillis;

  /**
   * Starts it.
   *
   * @param copy the installed copy that it is of; null for the classes of this process
   * @param mtu of the ring
   * @param options of its command, such as {@code --rehearse}
   * @throws CannotRunException when it does not start
   */
  public FreshDaemon(Path copy, int mtu, String... options)
      throws CannotRunException, IOException, InterruptedException {
    Path socket = folder.resolve("rddpd.sock");
    ConfigurationText text = new ConfigurationText().control(socket).dpdk(MEBIBYTES);
    JoinedInterfaces.addRings(text, "mtu", mtu, "packets", 4096);
    Path file = folder.write("rddpd.toml", text.toString());
    long began = System.nanoTime();
    daemon =
        copy == null
            ? JavaProcess.daemon("daemon", file, options)
            : JavaProcess.installedDaemon("daemon", copy, file, options);
    try {
      daemon.awaitLine("ready:", START);
      readyMillis = (System.nanoTime() - began) / 1e6;
      near = OneDaemon.session(socket, JoinedInterfaces.NEAR);
      far = OneDaemon.session(socket, JoinedInterfaces.FAR);
    } catch (IOException e) {
      close();
      throw new CannotRunException(e.getMessage());
    } catch (InterruptedException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Time in ms from the start of its process until it said that it is ready. */
  public double readyMillis() {
    return readyMillis;
  }

  /** The program that connects. */
  public Rddp near() {
    return near;
  }

  /** The program that listens. */
  public Rddp far() {
    return far;
  }

  @Override
  public void close() throws IOException {
    if (near != null) {
      near.close();
    }
    if (far != null) {
      far.close();
    }
    daemon.close();
    folder.close();
  }
}
