package org.rddp.bench.layout;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.client.Rddp;
import org.rddp.rig.ConfigurationText;
import org.rddp.rig.JavaProcess;
import org.rddp.rig.NetworkNamespace;
import org.rddp.rig.TemporaryFolder;
import org.rddp.rig.VethEnds;

/**
 * Two daemons, each a process of its own, and a program's session on each. Engines idle as they do
 * by default.
 */
public final class TwoDaemons implements ProgramEnds {
  /** What joins them. */
  public enum Link {
    /** net_vhost and net_virtio_user. */
    VHOST,
    /**
     * {@code linux:} devices on the ends of a veth link, each in a network namespace, as on two
     * hosts with ordinary cards.
     */
    VETH
  }

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

  /** By the names of their interfaces. */
  private final Map<String, JavaProcess> daemons = Collections.synchronizedMap(new TreeMap<>());

  private final TemporaryFolder folder = new TemporaryFolder("rddp-two");
  private Rddp near;
  private Rddp far;

  /**
   * Starts them.
   *
   * @param mtu of the link
   * @throws CannotRunException for VHOST without huge pages, for VETH without the right to make
   *     network namespaces
   * @throws IOException when a daemon does not start
   */
  public TwoDaemons(Link link, int mtu)
      throws CannotRunException, IOException, InterruptedException {
    try {
      if (link == Link.VHOST) {
        joinByVhost(mtu);
      } else {
        joinByVeth(mtu);
      }
      near = OneDaemon.session(socket(JoinedInterfaces.NEAR), JoinedInterfaces.NEAR);
      far = OneDaemon.session(socket(JoinedInterfaces.FAR), JoinedInterfaces.FAR);
    } catch (CannotRunException | IOException | InterruptedException | RuntimeException e) {
      close();
      throw e;
    }
  }

  /** The argument {@code link} of a rig; VHOST without it. */
  public static Link link(JsonObject arguments) {
    return arguments.has("link") ? Link.valueOf(arguments.get("link").getAsString()) : Link.VHOST;
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

  private void joinByVhost(int mtu) throws CannotRunException, IOException, InterruptedException {
    requireHugepages();
    String link = folder.resolve("link.sock").toString();
    int longest = mtu > SHORT_MTU ? mtu : LONGEST_FRAME;
    Object[] keys = {"mtu", mtu, "packets", 8192, "longest-frame", longest};
    String vhost = "net_vhost0,iface=" + link + ",queues=1,tso=1";
    String virtio = "net_virtio_user0,path=" + link + ",queues=1,packed_vq=1";
    start(JoinedInterfaces.FAR, configuration(), vhost, keys);
    start(JoinedInterfaces.NEAR, configuration(), virtio, keys);
  }

  /** A daemon is in the namespace of the thread that starts it. */
  private void joinByVeth(int mtu) throws CannotRunException, IOException, InterruptedException {
    VethEnds ends = new VethEnds(mtu, true);
    FutureTask<Void> far = inNamespace(ends::enterServer, JoinedInterfaces.FAR, mtu);
    FutureTask<Void> near = inNamespace(ends::enterClient, JoinedInterfaces.NEAR, mtu);
    List<Thread> threads =
        List.of(Thread.ofPlatform().daemon().start(far), Thread.ofPlatform().daemon().start(near));
    for (Thread each : threads) {
      each.join();
    }
    for (FutureTask<Void> each : List.of(near, far)) {
      try {
        each.get();
      } catch (ExecutionException e) {
        if (e.getCause() instanceof CannotRunException reason) {
          throw reason;
        }
        throw new IOException(e.getCause().getMessage(), e.getCause());
      }
    }
  }

  /** Enters a network namespace. */
  private interface Entry {
    void enter() throws IOException, InterruptedException;
  }

  private FutureTask<Void> inNamespace(Entry entry, String name, int mtu) {
    return new FutureTask<>(() -> {
      try {
        entry.enter();
      } catch (IOException e) {
        throw new CannotRunException("needs root, and ip: " + e.getMessage());
      }
      start(name, configuration(), "linux:" + VethEnds.INTERFACE, "mtu", mtu);
      return null;
    });
  }

  private static ConfigurationText configuration() {
    return new ConfigurationText().dpdk(MEBIBYTES);
  }

  /** Starts a daemon and waits until it is ready. */
  private void start(String name, ConfigurationText text, String device, Object... keys)
      throws IOException, InterruptedException {
    JoinedInterfaces.add(text.control(socket(name)), name, device, keys);
    JavaProcess daemon =
        JavaProcess.daemon("daemon " + name, folder.write(name + ".toml", text.toString()));
    daemons.put(name, daemon);
    daemon.awaitLine("ready:", START);
  }

  @Override
  public Rddp near() {
    return near;
  }

  @Override
  public Rddp far() {
    return far;
  }

  /**
   * Lets a new process take the place of the near daemon; returns when that is ready. The former
   * one has ended.
   */
  public void replaceNear() throws Exception {
    JavaProcess old = daemons.get(JoinedInterfaces.NEAR);
    inNamespaceOf(
        old,
        () -> {
          Path file = folder.resolve(JoinedInterfaces.NEAR + ".toml");
          JavaProcess next = JavaProcess.daemon("next daemon", file, "--replace");
          daemons.put(JoinedInterfaces.NEAR, next);
          next.awaitLine("ready:", START);
          return null;
        });
    old.close();
  }

  /**
   * Does something on a thread that is in the network namespace of the far daemon.
   *
   * @return what it returns
   */
  public <T> T beforeFar(Callable<T> action) throws Exception {
    return inNamespaceOf(daemons.get(JoinedInterfaces.FAR), action);
  }

  private static <T> T inNamespaceOf(JavaProcess process, Callable<T> action) throws Exception {
    FutureTask<T> task =
        new FutureTask<>(() -> {
          NetworkNamespace.enter("/proc/" + process.handle().pid() + "/ns/net");
          return action.call();
        });
    Thread.ofPlatform().daemon().start(task);
    return task.get();
  }

  /** CPU time of both daemons in ns. */
  public long cpuNanos() {
    return daemons.values().stream().mapToLong(JavaProcess::cpuNanos).sum();
  }

  @Override
  public void close() throws IOException {
    if (near != null) {
      near.close();
    }
    if (far != null) {
      far.close();
    }
    List.copyOf(daemons.values()).reversed().forEach(JavaProcess::close);
    folder.close();
  }
}
