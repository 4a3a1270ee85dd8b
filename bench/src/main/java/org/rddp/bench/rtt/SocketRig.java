package org.rddp.bench.rtt;

import com.google.gson.JsonObject;
import java.io.IOException;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.layout.Cpus;
import org.rddp.rig.KernelTcpPingPong;
import org.rddp.rig.NetworkEnds;
import org.rddp.rig.RoundTrip;
import org.rddp.rig.VethEnds;

/**
 * The kernel's TCP between two network namespaces, TCP_NODELAY, each end on a CPU of its own.
 * Arguments: {@code blocking} for sockets that block instead of being polled, {@code plain} for a
 * link without offloads; {@code rddp} for channels of rddp.
 */
public final class SocketRig extends TimedRig {
  private KernelTcpPingPong sockets;
  private RddpEnds rddp;

  @Override
  public void open(JsonObject arguments) throws Exception {
    if (arguments.has("rddp")) {
      rddp = new RddpEnds(true);
    }
    NetworkEnds ends = rddp == null ? new VethEnds(!arguments.has("plain")) : rddp;
    try {
      sockets =
          new KernelTcpPingPong(
              ends,
              arguments.has("blocking"),
              ProgramRoundTrips.LONGEST,
              rddp == null ? Cpus.far() : RddpEnds.serverCpu(),
              Cpus.near());
    } catch (IOException e) {
      throw new CannotRunException("needs root, and ip and ethtool: " + e.getMessage());
    }
  }

  @Override
  RoundTrip prepare(RttTask task) throws CannotRunException {
    task.requireMessages();
    sockets.message(task.octets());
    return sockets;
  }

  @Override
  public void close() throws IOException {
    if (sockets != null) {
      sockets.close();
    }
    if (rddp != null) {
      rddp.close();
    }
  }
}
