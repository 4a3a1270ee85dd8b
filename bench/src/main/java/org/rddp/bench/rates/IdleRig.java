package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.harness.ProcessMemory;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.JoinedInterfaces;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.rig.ConfigurationText;
import org.rddp.rig.JavaProcess;
import org.rddp.rig.TemporaryFolder;

/**
 * A daemon in a process of its own with one program connected that does nothing. Argument: {@code
 * idle}, as in the configuration. A task has {@code millis}; a sample has {@code cpu}, the share of
 * a core that the daemon uses, {@code resident_octets}, and {@code start_ms}, the time from its
 * start until the program was connected.
 */
public final class IdleRig implements Rig {
  private static final int MEBIBYTES = 128;
  private static final Duration START = Duration.ofSeconds(60);

  /** Key of an argument: how long the daemon is left alone before the first round, in ms. */
  static final String SETTLING = "settling_ms";

  private final TemporaryFolder folder = new TemporaryFolder("rddp-idle");
  private JavaProcess daemon;
  private Rddp session;
  private double startMillis;

  /** For the process of the rig. */
  public IdleRig() throws IOException {}

  @Override
  public void open(JsonObject arguments) throws Exception {
    Path socket = folder.resolve("rddpd.sock");
    ConfigurationText text =
        new ConfigurationText()
            .control(socket)
            .dpdk(MEBIBYTES)
            .idle(arguments.get("idle").getAsString());
    JoinedInterfaces.addRings(text, "packets", 4096);
    Path file = folder.write("rddpd.toml", text.toString());
    long began = System.nanoTime();
    daemon = JavaProcess.daemon("daemon", file);
    try {
      daemon.awaitLine("ready:", START);
    } catch (IOException e) {
      throw new CannotRunException(e.getMessage());
    }
    session =
        Rddp.connect(
            socket,
            RddpOptions.defaults()
                .withInterfaceName(JoinedInterfaces.NEAR)
                .withProgramName("idle"));
    startMillis = (System.nanoTime() - began) / 1e6;
    Thread.sleep(arguments.get(SETTLING).getAsLong());
  }

  @Override
  public Sample round(JsonObject task) throws IOException, InterruptedException {
    double before = daemon.threadNanos();
    long began = System.nanoTime();
    Thread.sleep(task.get("millis").getAsLong());
    double used = daemon.threadNanos() - before;
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("cpu", used / (System.nanoTime() - began));
    figures.put("resident_octets", ProcessMemory.residentOctets(daemon.handle()));
    figures.put("start_ms", startMillis);
    return Sample.of(figures);
  }

  @Override
  public void close() throws IOException {
    if (session != null) {
      session.close();
    }
    if (daemon != null) {
      daemon.close();
    }
    folder.close();
  }
}
