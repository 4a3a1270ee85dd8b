package org.rddp.bench.rtt;

import com.google.gson.JsonObject;
import java.io.IOException;
import org.rddp.bench.layout.Cpus;
import org.rddp.bench.layout.OneDaemon;
import org.rddp.bench.layout.ProgramEnds;
import org.rddp.bench.layout.TwoDaemons;
import org.rddp.client.Connection;
import org.rddp.rig.PinnedThread;
import org.rddp.rig.RoundTrip;

/**
 * Two programs that call {@link Connection#blocking}, over a daemon that idles as by default.
 * Arguments: {@code read} for reads of the other program's memory, which does nothing meanwhile;
 * otherwise each message is received and answered by it; {@code link} for {@link TwoDaemons}.
 */
public final class WaitingRig extends TimedRig {
  private static final int MTU = 1500;

  private ProgramEnds ends;
  private BlockingPair pair;
  private PinnedThread<Void> far;
  private boolean reads;

  @Override
  public void open(JsonObject arguments) throws Exception {
    reads = arguments.has("read");
    ends =
        arguments.has("link")
            ? new TwoDaemons(TwoDaemons.link(arguments), MTU)
            : OneDaemon.forRoundTrips(MTU, "interrupt");
    pair = new BlockingPair(ends);
    far = PinnedThread.start("far program", Cpus.far(), pair::answer);
    pair.connect();
  }

  @Override
  RoundTrip prepare(RttTask task) {
    return reads
        ? number -> pair.read(number, task.octets())
        : number -> pair.send(number, task.octets());
  }

  @Override
  public void close() throws IOException {
    if (pair != null) {
      pair.end();
    }
    if (ends != null) {
      ends.close();
    }
    if (far != null) {
      far.close();
    }
  }
}
