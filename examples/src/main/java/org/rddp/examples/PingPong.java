package org.rddp.examples;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import org.HdrHistogram.Histogram;
import org.rddp.client.Connection;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.client.types.Access;

/**
 * Round trips of RDMA Writes: each program writes the number of the round into the other's memory,
 * and looks into its own until the answer is there. The number is the first and the last word of a
 * slot, as docs/programming.md explains (Memory that is polled).
 *
 * <pre>
 * PingPong serve INTERFACE PORT
 * PingPong play INTERFACE ADDRESS PORT ROUNDS
 * </pre>
 */
public final class PingPong {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);
  private static final VarHandle NUMBER = ValueLayout.JAVA_LONG.varHandle();
  private static final int SLOT = 2 * Long.BYTES;

  private PingPong() {}

  /** One end. The peer writes the first slot of its memory; the second is sent. */
  private record End(
      Rddp session, MemoryRegion memory, Connection connection, RemoteBuffer remote) {
    void write(long round) {
      memory.segment().set(ValueLayout.JAVA_LONG, SLOT, round);
      memory.segment().set(ValueLayout.JAVA_LONG, 2 * SLOT - Long.BYTES, round);
      if (!connection.postWrite(round, memory, SLOT, SLOT, remote.stag(), remote.to())) {
        throw new IllegalStateException("the send queue is full");
      }
    }

    /** Looks until the peer has written a round's number; false if it leaves instead. */
    boolean await(long round) {
      for (int looks = 1; !isThere(round); looks++) {
        session.poll(completion -> {}, 16); // makes room for the next Writes
        if (connection.isPeerClosed() || !connection.isOpen()) {
          return isThere(round);
        }
        if (looks % 16 == 0) {
          session.yieldProcessor(); // there may be fewer cores than engines and programs
        }
      }
      return true;
    }

    /** The last word is written last, so it is read first. */
    private boolean isThere(long round) {
      return (long) NUMBER.getAcquire(memory.segment(), (long) SLOT - Long.BYTES) == round
          && (long) NUMBER.getAcquire(memory.segment(), 0L) == round;
    }
  }

  private static MemoryRegion allocate(Rddp session) {
    return session.allocate(2 * SLOT, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
  }

  /** Answers the next peer until it closes the connection. */
  public static void serve(Rddp session, Listener listener) {
    IncomingConnection next = Objects.requireNonNull(listener.await(TIMEOUT), "no peer");
    try (MemoryRegion memory = allocate(session);
        Connection peer = next.accept(RemoteBuffer.of(memory).toPrivateData())) {
      End end = new End(session, memory, peer, RemoteBuffer.from(next.privateData()));
      for (long round = 1; end.await(round); round++) {
        end.write(round);
      }
    }
  }

  /** Plays against a server; returns the times of the rounds in ns. */
  public static Histogram play(Rddp session, InetSocketAddress server, int rounds) {
    Histogram times = new Histogram(3);
    try (MemoryRegion memory = allocate(session);
        Connection peer =
            session.connect(server, RemoteBuffer.of(memory).toPrivateData(), TIMEOUT)) {
      End end = new End(session, memory, peer, RemoteBuffer.from(peer.privateData()));
      for (long round = 1; round <= rounds; round++) {
        long start = System.nanoTime();
        end.write(round);
        if (!end.await(round)) {
          throw new IllegalStateException("the peer has left");
        }
        times.recordValue(System.nanoTime() - start);
      }
    }
    return times;
  }

  /** Serves one peer, or plays and prints percentiles. */
  public static void main(String[] arguments) {
    RddpOptions options = RddpOptions.defaults().withInterfaceName(arguments[1]);
    try (Rddp session = Rddp.connect(Rddp.defaultSocket(), options)) {
      if (arguments[0].equals("serve")) {
        serve(session, session.listen(Integer.parseInt(arguments[2])));
        return;
      }
      InetSocketAddress at = new InetSocketAddress(arguments[2], Integer.parseInt(arguments[3]));
      Histogram times = play(session, at, Integer.parseInt(arguments[4]));
      for (double percent : new double[] {50, 99, 99.9, 100}) {
        double us = times.getValueAtPercentile(percent) / 1e3;
        System.out.printf(Locale.ROOT, "%5.1f %% of rounds took %9.1f us or less%n", percent, us);
      }
    }
  }
}
