package org.rddp.bench.rtt;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.rddp.bench.layout.Cpus;
import org.rddp.bench.layout.JoinedInterfaces;
import org.rddp.bench.layout.OneDaemon;
import org.rddp.bench.layout.ProgramEnds;
import org.rddp.bench.layout.TwoDaemons;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.SessionLostException;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.rig.PinnedThread;
import org.rddp.rig.RoundTrip;

/**
 * Two programs that call {@link Connection#blocking}, over a daemon that idles as by default.
 * Arguments: {@code read} for reads of the other program's memory, which does nothing meanwhile;
 * otherwise each message is received and answered by it; {@code link} for {@link TwoDaemons}.
 */
public final class WaitingRig extends TimedRig {
  private static final int PORT = 7474;
  private static final int MTU = 1500;
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final ConnectionOptions OPTIONS =
      ConnectionOptions.DEFAULTS.withHeldOctets(ProgramRoundTrips.LONGEST);

  private ProgramEnds ends;
  private Connection near;
  private MemoryRegion nearMemory;
  private MemoryRegion farMemory;
  private PinnedThread<Void> far;
  private boolean reads;

  /** The end that answers may end with its session. */
  private volatile boolean over;

  @Override
  public void open(JsonObject arguments) throws Exception {
    reads = arguments.has("read");
    ends =
        arguments.has("link")
            ? new TwoDaemons(TwoDaemons.link(arguments), MTU)
            : OneDaemon.forRoundTrips(MTU, "interrupt");
    nearMemory = memory(ends.near());
    farMemory = memory(ends.far());
    InetSocketAddress address = JoinedInterfaces.farAddress(PORT);
    Listener listener = ends.far().listen(address, 1, OPTIONS);
    far = PinnedThread.start("far program", Cpus.far(), () -> answer(listener));
    near = ends.near().connect(address, PrivateData.NONE, TIMEOUT, OPTIONS);
  }

  private static MemoryRegion memory(Rddp program) {
    return program.allocate(ProgramRoundTrips.LONGEST, Access.LOCAL_WRITE, Access.REMOTE_READ);
  }

  private Void answer(Listener listener) {
    Connection connection = listener.await(TIMEOUT).accept();
    try {
      while (!reads) {
        long octets =
            connection
                .blocking()
                .receive(farMemory, 0, ProgramRoundTrips.LONGEST, Duration.ofMinutes(10));
        connection.blocking().send(farMemory, 0, octets, TIMEOUT);
      }
    } catch (SessionLostException | IllegalStateException e) {
      if (!over) {
        throw e;
      }
    }
    return null;
  }

  @Override
  RoundTrip prepare(RttTask task) {
    return reads ? number -> read(number, task.octets()) : number -> send(number, task.octets());
  }

  private void read(long number, int octets) throws IOException {
    farMemory.segment().set(ValueLayout.JAVA_LONG, 0, number);
    near.blocking().read(nearMemory, 0, octets, farMemory.stag(), 0, TIMEOUT);
    check(number);
  }

  private void send(long number, int octets) throws IOException {
    nearMemory.segment().set(ValueLayout.JAVA_LONG, 0, number);
    near.blocking().send(nearMemory, 0, octets, TIMEOUT);
    nearMemory.segment().set(ValueLayout.JAVA_LONG, 0, 0);
    near.blocking().receive(nearMemory, 0, octets, TIMEOUT);
    check(number);
  }

  private void check(long number) throws IOException {
    long came = nearMemory.segment().get(ValueLayout.JAVA_LONG, 0);
    if (came != number) {
      throw new IOException(came + " came back instead of " + number);
    }
  }

  @Override
  public void close() throws IOException {
    over = true;
    if (ends != null) {
      ends.close();
    }
    if (far != null) {
      far.close();
    }
  }
}
