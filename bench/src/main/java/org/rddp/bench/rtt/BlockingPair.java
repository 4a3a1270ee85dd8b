package org.rddp.bench.rtt;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.rddp.bench.layout.JoinedInterfaces;
import org.rddp.bench.layout.ProgramEnds;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.SessionLostException;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;

/**
 * Two programs that call {@link Connection#blocking}. The far one {@linkplain #answer answers} on a
 * thread of its own; the near one sends and receives, or reads.
 */
final class BlockingPair {
  private static final int PORT = 7474;
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final ConnectionOptions OPTIONS =
      ConnectionOptions.DEFAULTS.withHeldOctets(ProgramRoundTrips.LONGEST);

  private final Rddp program;
  private final MemoryRegion nearMemory;
  private final MemoryRegion farMemory;
  private final Listener listener;
  private Connection near;

  /** Set before the sessions are closed: the end that answers may end with its session. */
  private volatile boolean over;

  /** Creates two programs, not connected, on sessions that the caller closes. */
  BlockingPair(ProgramEnds ends) {
    program = ends.near();
    nearMemory = memory(ends.near());
    farMemory = memory(ends.far());
    listener = ends.far().listen(JoinedInterfaces.farAddress(PORT), 1, OPTIONS);
  }

  private static MemoryRegion memory(Rddp program) {
    return program.allocate(ProgramRoundTrips.LONGEST, Access.LOCAL_WRITE, Access.REMOTE_READ);
  }

  /** Accepts the near program, and sends back what it sends, until its session ends. */
  Void answer() {
    Connection far = listener.await(TIMEOUT).accept();
    try {
      while (true) {
        long octets =
            far.blocking().receive(farMemory, 0, ProgramRoundTrips.LONGEST, Duration.ofMinutes(10));
        far.blocking().send(farMemory, 0, octets, TIMEOUT);
      }
    } catch (SessionLostException | IllegalStateException e) {
      if (over) {
        return null;
      }
      throw e;
    }
  }

  /** Connects the near program. */
  void connect() {
    InetSocketAddress address = JoinedInterfaces.farAddress(PORT);
    near = program.connect(address, PrivateData.NONE, TIMEOUT, OPTIONS);
  }

  /** Reads so many octets of the far program, which does nothing meanwhile. */
  void read(long number, int octets) throws IOException {
    farMemory.segment().set(ValueLayout.JAVA_LONG, 0, number);
    near.blocking().read(nearMemory, 0, octets, farMemory.stag(), 0, TIMEOUT);
    check(number);
  }

  /** Sends so many octets to the far program, and receives its answer. */
  void send(long number, int octets) throws IOException {
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

  /** To be called before the sessions are closed. */
  void end() {
    over = true;
  }
}
