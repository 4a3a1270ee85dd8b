package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.io.IOException;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.ConnectionOpener;
import org.rddp.bench.layout.JoinedInterfaces;
import org.rddp.bench.layout.TwoDaemons;

/**
 * RDMA Writes one way between two programs on one thread over {@link TwoDaemons} with default
 * settings. Arguments: {@code mtu}, and {@code link}, a {@link TwoDaemons.Link}, and {@code waits}
 * for a program that waits in calls instead of polling and yielding. Tasks and figures are those of
 * {@link RddpStreamRig}; CPU time is that of all three processes.
 */
public final class TwoDaemonsStreamRig implements Rig {
  private static final long MEMORY = 64L << 20;
  private static final int PORT = 7475;

  private TwoDaemons daemons;
  private ConnectionOpener connections;
  private WriteStream stream;

  @Override
  public void open(JsonObject arguments) throws Exception {
    daemons = new TwoDaemons(TwoDaemons.link(arguments), arguments.get("mtu").getAsInt());
    connections =
        new ConnectionOpener(daemons.near(), daemons.far(), JoinedInterfaces.farAddress(PORT));
    stream = new WriteStream(daemons.near(), daemons.far(), connections.connect().near(), MEMORY);
    stream = arguments.has("waits") ? stream.waiting() : stream.yielding();
  }

  @Override
  public Sample round(JsonObject task) {
    int octets = task.get("octets").getAsInt();
    stream.configure(octets, task.get("outstanding").getAsInt());
    ResourceUsage usage = new ResourceUsage(ResourceUsage.NO_ENGINE);
    long before = daemons.cpuNanos();
    long nanos = stream.run(Json.nanos(task));
    Sample found =
        usage.addTo(RddpStreamRig.sample(stream.arrived(), octets, nanos), stream.arrived());
    double theirs = (double) (daemons.cpuNanos() - before) / stream.arrived();
    return found.with("cpu_ns", found.figures().get("cpu_ns") + theirs);
  }

  @Override
  public void close() throws IOException {
    if (connections != null) {
      connections.close();
    }
    if (daemons != null) {
      daemons.close();
    }
  }
}
