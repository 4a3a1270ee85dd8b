package org.rddp.bench.link;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.rddp.bench.harness.Json;
import org.rddp.daemon.DpdkPorts;
import org.rddp.daemon.configuration.Configuration;
import org.rddp.daemon.configuration.ConfigurationException;
import org.rddp.ipc.linux.ThreadScheduling;
import org.rddp.rig.Affinity;
import org.rddp.rig.ConfigurationText;
import org.rddp.rig.NetworkNamespace;
import org.rddp.soak.ProcessSignals;

/**
 * The process of a link: it makes the ends, prints where they are, and one of its threads carries
 * frames between two ports of net_af_packet. That thread polls them every 20 microseconds and has
 * priority over all ordinary threads, so that contenders' use of the CPUs does not change the link.
 * The process ends with its standard input.
 *
 * <p>A line on its control socket is a {@link LinkSettings}, or empty; the answer is what the link
 * has done since the last settings, before these are applied.
 */
public final class LossyLink {
  /** Address of the kernel's near end. */
  static final String NEAR = "10.98.0.1";

  /** Address of the kernel's far end. */
  static final String FAR = "10.98.0.2";

  private static final int MTU = 1500;

  /** Memory for the packets of both ports, and for DPDK where pages are not huge. */
  private static final int MEBIBYTES = 160;

  private static final LinkSettings CLEAN = new LinkSettings(0, 10, 0, 1 << 20, 1);

  /** Pause after a turn with nothing to do, in ns. */
  private static final long PAUSE = 20_000;

  /** Pauses are longer after this many turns in a row with nothing to do. */
  private static final long IDLE_TURNS = 10_000;

  private static final long LONG_PAUSE = 500_000;

  private final Forwarder forwarder;
  private final AtomicReference<FutureTask<LinkCounts>> asked = new AtomicReference<>();
  private volatile boolean ended;

  private LossyLink(DpdkPorts ports) {
    forwarder =
        new Forwarder(ports.devices().get(0), ports.devices().get(1), CLEAN, System::nanoTime);
  }

  /**
   * Runs a link.
   *
   * @param arguments the path of the control socket, and the CPU of its thread
   */
  public static void main(String[] arguments) throws Exception {
    ProcessSignals.dieWithParent();
    PrintStream answers = System.out;
    System.setOut(System.err);
    Path socket = Path.of(arguments[0]);
    int cpu = Integer.parseInt(arguments[1]);
    try (LinkNamespaces ends = new LinkNamespaces(MTU, NEAR, FAR)) {
      NetworkNamespace.enter(ends.middle().file());
      DpdkPorts ports = DpdkPorts.open(configuration());
      LossyLink link = new LossyLink(ports);
      Thread carrying = Thread.ofPlatform().name("link").start(() -> link.carry(ports, cpu));
      Thread.ofPlatform().daemon().name("control").start(() -> link.serve(socket, answers, ends));
      while (System.in.read() >= 0) {
        // Only the end of the input matters.
      }
      link.ended = true;
      carrying.join();
      ports.close();
    }
    System.exit(0);
  }

  private static Configuration configuration() throws ConfigurationException {
    ConfigurationText text = new ConfigurationText().dpdk(MEBIBYTES);
    addPort(text, "near", "10.77.0.1/24");
    addPort(text, "far", "10.77.0.2/24");
    return text.parse("link");
  }

  private static void addPort(ConfigurationText text, String name, String address) {
    String device =
        "net_af_packet_" + name + ",iface=" + name + ",blocksz=65536,framesz=2048,framecnt=2048";
    text.port(name, device, address, "packets", 16384);
  }

  private void carry(DpdkPorts ports, int cpu) {
    try {
      Affinity.pin(cpu);
      ThreadScheduling.fifo(1);
    } catch (IOException e) {
      System.err.println("other threads may delay the link: " + e.getMessage());
    }
    ports.enter();
    long idleTurns = 0;
    while (!ended) {
      FutureTask<LinkCounts> task = asked.getAndSet(null);
      if (task != null) {
        task.run();
      }
      idleTurns = forwarder.turn() > 0 ? 0 : idleTurns + 1;
      if (idleTurns > 0) {
        LockSupport.parkNanos(idleTurns > IDLE_TURNS ? LONG_PAUSE : PAUSE);
      }
    }
    forwarder.clear();
    ports.leave();
  }

  private void serve(Path socket, PrintStream answers, LinkNamespaces ends) {
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listener.bind(UnixDomainSocketAddress.of(socket));
      JsonObject ready =
          Json.of(
              "near",
              ends.near().file(),
              "far",
              ends.far().file(),
              "congestion",
              ends.congestionControl());
      answers.println(ready);
      answers.flush();
      while (true) {
        try (SocketChannel client = listener.accept()) {
          answer(client);
        }
      }
    } catch (IOException | InterruptedException | ExecutionException e) {
      e.printStackTrace();
      System.exit(1);
    }
  }

  private void answer(SocketChannel client)
      throws IOException, InterruptedException, ExecutionException {
    BufferedReader reader = new BufferedReader(Channels.newReader(client, StandardCharsets.UTF_8));
    String line = reader.readLine();
    if (line == null) {
      return;
    }
    LinkSettings settings =
        line.isEmpty()
            ? null
            : Json.to(JsonParser.parseString(line).getAsJsonObject(), LinkSettings.class);
    FutureTask<LinkCounts> task = new FutureTask<>(() -> take(settings));
    asked.set(task);
    String said = Json.from(task.get()) + "\n";
    client.write(StandardCharsets.UTF_8.encode(said));
  }

  private LinkCounts take(LinkSettings settings) {
    LinkCounts counts = forwarder.counts();
    if (settings != null) {
      forwarder.configure(settings);
    }
    return counts;
  }
}
