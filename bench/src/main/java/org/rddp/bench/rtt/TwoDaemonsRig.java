package org.rddp.bench.rtt;

import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.rddp.bench.method.CannotRunException;
import org.rddp.bench.method.Rig;
import org.rddp.bench.method.Sample;
import org.rddp.client.Rddp;
import org.rddp.dpdk.Eal;

/**
 * rddp in two daemons, each a process of its own, joined by net_vhost and net_virtio_user; both
 * programs on one thread of a third process. On two cores the three busy threads must take turns:
 * engines back off, and the programs' thread yields.
 */
public final class TwoDaemonsRig implements Rig {
  private static final int PORT = 7474;
  private static final int MTU = 1500;
  private static final String MAIN = "org.rddp.cli.Main";

  private final Clocked clocked = new Clocked();
  private final List<Process> daemons = new ArrayList<>();
  private Path folder;
  private Rddp near;
  private Rddp far;
  private ProgramPair pair;

  /** For the process of the rig. */
  public TwoDaemonsRig() {}

  @Override
  public void open(JsonObject arguments) throws Exception {
    if (!TwoInterfaces.hugepages()) {
      throw new CannotRunException("needs huge pages");
    }
    folder = Files.createTempDirectory("rddp-rtt");
    String link = folder.resolve("link.sock").toString();
    start("far", "net_vhost0,iface=" + link + ",queues=1");
    start("near", "net_virtio_user0,path=" + link + ",queues=1,packed_vq=1");
    near = RddpRig.session(folder.resolve("near.sock"), "near");
    far = RddpRig.session(folder.resolve("far.sock"), "far");
    pair =
        new ProgramPair(
            near,
            far,
            new InetSocketAddress(TwoInterfaces.FAR, PORT),
            RddpRig.LONGEST,
            new Patience(true));
  }

  /** Starts a daemon and waits until it is ready. */
  private void start(String name, String device) throws IOException {
    Path configuration = folder.resolve(name + ".toml");
    Files.writeString(
        configuration,
        TwoInterfaces.one(folder.resolve(name + ".sock"), "backoff", name, device, MTU));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), MAIN));
    command.addAll(List.of("daemon", "--config", configuration.toString(), "--until-eof"));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    daemons.add(process);
    BufferedReader said =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    String line = said.readLine();
    while (line != null && !line.startsWith("ready:")) {
      line = said.readLine();
    }
    if (line == null) {
      throw new IOException("the daemon '" + name + "' has ended");
    }
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
    for (Process daemon : daemons.reversed()) {
      daemon.getOutputStream().close();
      end(daemon);
      Eal.removeLeftovers(daemon.pid());
    }
    if (folder != null) {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.toList()) {
          Files.deleteIfExists(file);
        }
      }
      Files.deleteIfExists(folder);
    }
  }

  private static void end(Process daemon) {
    try {
      if (!daemon.waitFor(3, TimeUnit.SECONDS)) {
        daemon.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      daemon.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
