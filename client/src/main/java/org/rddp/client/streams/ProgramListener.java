package org.rddp.client.streams;

import java.io.IOException;
import java.time.Duration;
import org.rddp.ipc.control.DaemonMessage;
import org.rddp.ipc.control.OfferSocket;
import org.rddp.ipc.control.ProgramMessage;
import org.rddp.ipc.control.StreamOffer;
import org.rddp.ipc.linux.Descriptor;
import org.rddp.ipc.linux.PollSet;
import org.rddp.ipc.ring.StreamMemory;

/** A listener for octet streams. For one thread at a time. */
public final class ProgramListener implements AutoCloseable {
  private final StreamSession session;
  private final int number;
  private final int port;
  private final OfferSocket socket;

  ProgramListener(StreamSession session, DaemonMessage.StreamListening reply) {
    this.session = session;
    number = reply.listener();
    port = reply.port();
    socket = new OfferSocket(reply.streams());
  }

  /** The port. */
  public int port() {
    return port;
  }

  /** Readable when a stream waits. */
  public Descriptor descriptor() {
    return socket.descriptor();
  }

  /**
   * Accepts a stream.
   *
   * @return null if none comes in time
   * @throws java.io.EOFException if the listener, or the daemon, has ended
   */
  public ProgramStream accept(Duration timeout) throws IOException {
    StreamOffer offer = receive(timeout);
    if (offer == null) {
      return null;
    }
    StreamMemory memory =
        StreamSession.map(
            offer.memory(), offer.sendOctets(), offer.receiveOctets(), offer.stream());
    return new ProgramStream(session, offer.section(), offer.index(), memory, offer.stream(), true);
  }

  /**
   * Receives an established stream without accepting it; see {@link #accept}. Its descriptors are
   * the caller's.
   */
  public StreamOffer receive(Duration timeout) throws IOException {
    long end = System.nanoTime() + timeout.toNanos();
    StreamOffer offer = socket.receive();
    if (offer != null || timeout.isZero()) {
      return offer;
    }
    PollSet poll = new PollSet();
    poll.add(socket.descriptor());
    for (long left = timeout.toNanos(); offer == null && left > 0; left = end - System.nanoTime()) {
      poll.await(left);
      offer = socket.receive();
    }
    return offer;
  }

  /** Changes the most streams that wait to be accepted. */
  public void backlog(int most) throws IOException {
    session.request(
        request -> new ProgramMessage.StreamBacklog(request, number, most),
        DaemonMessage.Done.class);
  }

  /** Ends the listener for all who hold it; the port is free when this returns. */
  public void end() throws IOException {
    session.request(
        request -> new ProgramMessage.StreamListenEnd(request, number), DaemonMessage.Done.class);
  }

  /** Stops listening; other processes may still hold the listener. */
  @Override
  public void close() {
    socket.close();
  }
}
