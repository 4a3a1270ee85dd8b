package org.rddp.demo;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionOptions;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RemoteHost;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.SendFlags;
import org.rddp.rig.AdvertisedBuffer;

/**
 * A transfer by RDMA Writes from one program to another, which checks every octet. A part of it is
 * sent with another pattern until both ends are warm; then all of it is sent and timed.
 */
public final class VerifiedTransfer {
  /** Octets of one write. */
  private static final int MESSAGE = 1 << 20;

  private static final long MOST_WARM_UP = 64L << 20;
  private static final int MESSAGES = 4;
  private static final int SHORT = 8;

  private final Rddp session;
  private final TransferPattern pattern;
  private final TransferPattern warmUpPattern;
  private final Duration warmUp;
  private final Duration timeout;
  private final Poller poller;

  /**
   * One end of a transfer.
   *
   * @param seed of the pattern, the same at both ends
   * @param warmUp how long the source writes before it measures
   * @param timeout for every step
   */
  public VerifiedTransfer(Rddp session, long seed, Duration warmUp, Duration timeout) {
    this.session = session;
    this.pattern = new TransferPattern(seed);
    this.warmUpPattern = new TransferPattern(~seed);
    this.warmUp = warmUp;
    this.timeout = timeout;
    this.poller = new Poller(session, timeout);
  }

  /**
   * Runs the sink: accepts one source, and checks the octets written.
   *
   * @param port where to listen
   * @param octets of the transfer
   * @param listening called once it listens
   * @return the first error found, or null
   */
  public String receive(int port, long octets, Runnable listening) {
    try (Listener listener = session.listen(port)) {
      GuardedSink sink = new GuardedSink(session, octets);
      listening.run();
      IncomingConnection incoming = listener.await(timeout);
      if (incoming == null) {
        throw new IllegalStateException("no source has connected");
      }
      Connection connection = incoming.connection();
      postReceives(connection);
      incoming.accept(AdvertisedBuffer.of(sink.region()).toPrivateData());
      poller.until(() -> poller.received() >= 1, "the end of the warm-up");
      sink.poison();
      sendWord(connection, 0);
      poller.until(() -> poller.received() >= 2, "the end of the transfer");
      sendWord(connection, 0);
      String problem = sink.verify(pattern);
      sendWord(connection, problem == null ? 1 : 0);
      poller.until(() -> connection.isPeerClosed(), "the source to close");
      connection.close();
      return problem;
    }
  }

  /**
   * Runs the source: connects, writes, and waits until the sink has received everything.
   *
   * @param octets of the transfer
   * @return ns from posting the first write to the sink's confirmation of the last
   */
  public long send(RemoteHost sink, long octets) {
    MemoryRegion source = session.allocate(octets);
    try (Connection connection =
        sink.connect(session, PrivateData.NONE, timeout, ConnectionOptions.DEFAULTS)) {
      postReceives(connection);
      AdvertisedBuffer target = AdvertisedBuffer.read(connection.privateData());
      if (target.length() < octets) {
        throw new IllegalStateException("the sink has room for " + target.length() + " octets");
      }
      warmUpPattern.fill(source.segment(), 0);
      long began = System.nanoTime();
      do {
        write(connection, source, target, Math.min(octets, MOST_WARM_UP));
      } while (System.nanoTime() - began < warmUp.toNanos());
      sendWord(connection, 0);
      poller.until(() -> poller.received() >= 1, "the sink to be warm");
      pattern.fill(source.segment(), 0);
      long start = System.nanoTime();
      write(connection, source, target, octets);
      sendWord(connection, 0);
      poller.until(() -> poller.received() >= 2, "the sink to have it all");
      long nanos = System.nanoTime() - start;
      poller.until(() -> poller.received() >= 3, "the sink to have checked it");
      return nanos;
    }
  }

  private void postReceives(Connection connection) {
    MemoryRegion room = session.allocate((long) MESSAGES * SHORT, Access.LOCAL_WRITE);
    for (int i = 0; i < MESSAGES; i++) {
      long offset = (long) i * SHORT;
      poller.until(() -> connection.postReceive(0, room, offset, SHORT), "room for a receive");
    }
  }

  private void write(
      Connection connection, MemoryRegion source, AdvertisedBuffer target, long octets) {
    for (long at = 0; at < octets; at += MESSAGE) {
      long from = at;
      long length = Math.min(MESSAGE, octets - at);
      poller.until(
          () -> connection.postWrite(from, source, from, length, target.stag(), target.to() + from),
          "room in the send queue");
    }
  }

  private void sendWord(Connection connection, int word) {
    MemorySegment message = MemorySegment.ofArray(new byte[] {(byte) word, 0, 0, 0, 0, 0, 0, 0});
    poller.until(
        () -> connection.postInlineSend(-1, message, 0, SHORT, SendFlags.SIGNALLED),
        "room in the send queue");
  }
}
