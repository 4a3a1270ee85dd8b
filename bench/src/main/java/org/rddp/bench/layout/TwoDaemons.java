package org.rddp.bench.layout;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.client.Rddp;
import org.rddp.rig.ConfigurationText;
import org.rddp.rig.JavaProcess;
import org.rddp.rig.TemporaryFolder;

/**
 * Two daemons, each a process of its own, joined by net_vhost and net_virtio_user, and a program's
 * session on each. Their engines back off, since three busy threads must share two cores.
 */
public final class TwoDaemons implements AutoCloseable {
  /** A remark for tables with figures of two daemons; empty with three cores or more. */
  public static final String ON_TWO_CORES =
      Runtime.getRuntime().availableProcessors() < 3
          ? " With two daemons three threads that poll take turns on two cores: those figures are"
              + " how long the kernel lets each of them have one, not what rddp takes."
          : "";

  /** With it and tso=1 both ends send trains, which pay where a segment is short. */
  private static final int LONGEST_FRAME = 16_384;

  private static final int SHORT_MTU = 1500;

  private static final int MEBIBYTES = 128;
  private static final Duration START = Duration.ofSeconds(60);

  private final List<JavaProcess> daemons = new ArrayList<>();
  private final TemporaryFolder folder = new TemporaryFolder("rddp-two");
  private Rddp near;
  private Rddp far;

  /**
   * Starts them.
   *
   * @param mtu of the link
   * @throws CannotRunException where there are no huge pages
   * @throws IOException when a daemon does not start
   */
  public TwoDaemons(int mtu) throws CannotRunException, IOException, InterruptedException {
    String link = folder.resolve("link.sock").toString();
    try {
      requireHugepages();
      start(JoinedInterfaces.FAR, "net_vhost0,iface=" + link + ",queues=1,tso=1", mtu);
      start(JoinedInterfaces.NEAR, "net_virtio_user0,path=" + link + ",queues=1,packed_vq=1", mtu);
      near = OneDaemon.session(socket(JoinedInterfaces.NEAR), JoinedInterfaces.NEAR);
      far = OneDaemon.session(socket(JoinedInterfaces.FAR), JoinedInterfaces.FAR);
    } catch (CannotRunException | IOException | InterruptedException | RuntimeException e) {
      close();
      throw e;
    }
  }

  private static void requireHugepages() throws CannotRunException {
    long free = ConfigurationText.freeHugepages();
    if (free < 2 * MEBIBYTES) {
      throw new CannotRunException(
          "needs huge pages: " + 2 * MEBIBYTES + " MiB, and " + free + " MiB are free");
    }
  }

  private Path socket(String name) {
    return folder.resolve(name + ".sock");
  }

  /** Starts a daemon and waits until it is ready. */
  private void start(String name, String device, int mtu) throws IOException, InterruptedException {
    ConfigurationText text =
        new ConfigurationText().control(socket(name)).dpdk(MEBIBYTES).idle("backoff");
    int longest = mtu > SHORT_MTU ? mtu : LONGEST_FRAME;
    JoinedInterfaces.add(text, name, device, "mtu", mtu, "packets", 8192, "longest-frame", longest);
    JavaProcess daemon =
        JavaProcess.daemon("daemon " + name, folder.write(name + ".toml", text.toString()));
    daemons.add(daemon);
    daemon.awaitLine("ready:", START);
  }

  /** The program that connects. */
  public Rddp near() {
    return near;
  }

  /** The program that listens. */
  public Rddp far() {
    return far;
  }

  /** CPU time of both daemons in ns. */
  public long cpuNanos() {
    return daemons.stream().mapToLong(JavaProcess::cpuNanos).sum();
  }

  @Override
  public void close() throws IOException {
    if (near != null) {
      near.close();
    }
    if (far != null) {
      far.close();
    }
    daemons.reversed().forEach(JavaProcess::close);
    folder.close();
  }
}
