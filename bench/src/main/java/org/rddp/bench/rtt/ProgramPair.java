package org.rddp.bench.rtt;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.rddp.client.CompletionHandler;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.Completion;
import org.rddp.client.types.SendFlags;
import org.rddp.demo.AdvertisedBuffer;

/**
 * Two programs of rddp on one thread: what one writes, sends or offers to be read, the other finds,
 * and answers in the same way.
 */
final class ProgramPair implements RoundTripMethod, AutoCloseable {
  private static final VarHandle NUMBER = ValueLayout.JAVA_LONG.varHandle();
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  /** Every so many requests one is signalled, and completions are read. */
  private static final int SIGNAL_EVERY = 32;

  /** One program: a session, a connection, memory to send from and memory to receive into. */
  private static final class Side {
    final Rddp session;
    final MemoryRegion source;
    final MemoryRegion sink;
    Connection connection;
    AdvertisedBuffer sinkOfPeer;
    AdvertisedBuffer sourceOfPeer;
    private final CompletionHandler taking = this::take;
    private int unsignalled;
    private boolean expected;
    private Completion failure;

    Side(Rddp session, int longest) {
      this.session = session;
      this.source = session.allocate(longest, Access.REMOTE_READ);
      this.sink = session.allocate(longest, Access.REMOTE_WRITE, Access.LOCAL_WRITE);
    }

    /** A number at both ends of a message: the first octets that come, and the last. */
    void fill(long number, int octets) {
      NUMBER.set(source.segment(), 0L, number);
      NUMBER.set(source.segment(), (long) octets - Long.BYTES, number);
    }

    boolean has(long number, int octets) {
      return (long) NUMBER.getAcquire(sink.segment(), (long) octets - Long.BYTES) == number
          && (long) NUMBER.getAcquire(sink.segment(), 0L) == number;
    }

    int flags() {
      unsignalled++;
      if (unsignalled < SIGNAL_EVERY) {
        return 0;
      }
      unsignalled = 0;
      return SendFlags.SIGNALLED;
    }

    void poll() throws IOException {
      session.poll(taking, SIGNAL_EVERY);
      if (failure != null) {
        throw new IOException("a request failed: " + failure);
      }
    }

    /** A message that was received, or octets that were read, are what is waited for. */
    private void take(Completion completion) {
      if (!completion.isSuccess()) {
        failure = completion;
      } else if (completion.id() > 0) {
        expected = true;
      }
    }

    boolean arrived() throws IOException {
      poll();
      boolean has = expected;
      expected = false;
      return has;
    }
  }

  private final Side near;
  private final Side far;
  private final int longest;
  private final WaitStrategy patience;
  private int octets;
  private RttTask.Verb verb = RttTask.Verb.WRITE;
  private boolean receivesPosted;

  /**
   * Connects two programs.
   *
   * @param address where the far session listens
   * @param longest octets of the longest message
   * @param patience how they wait
   */
  ProgramPair(
      Rddp nearSession,
      Rddp farSession,
      InetSocketAddress address,
      int longest,
      WaitStrategy patience) {
    this.longest = longest;
    this.patience = patience;
    near = new Side(nearSession, longest);
    far = new Side(farSession, longest);
    try (Listener listener = farSession.listen(address.getPort())) {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(
              () -> listener.await(TIMEOUT).accept(AdvertisedBuffer.of(far.sink).toPrivateData()));
      near.connection =
          nearSession.connect(address, AdvertisedBuffer.of(near.sink).toPrivateData(), TIMEOUT);
      far.connection = accepted.join();
    }
    near.sinkOfPeer = AdvertisedBuffer.read(near.connection.privateData());
    far.sinkOfPeer = AdvertisedBuffer.read(far.connection.privateData());
    near.sourceOfPeer = AdvertisedBuffer.of(far.source);
    far.sourceOfPeer = AdvertisedBuffer.of(near.source);
  }

  @Override
  public void prepare(RttTask task) throws IOException {
    if (task.octets() > longest) {
      throw new IOException("no room for messages of " + task.octets() + " octets");
    }
    octets = task.octets();
    verb = task.verb();
    if (verb == RttTask.Verb.SEND && !receivesPosted) {
      receivesPosted = true;
      receive(near);
      receive(far);
    }
  }

  @Override
  public void roundTrip(long number) throws IOException {
    switch (verb) {
      case WRITE -> {
        write(near, number);
        await(far, number);
        write(far, number);
        await(near, number);
      }
      case SEND -> {
        send(near, number);
        awaitMessage(far, number);
        send(far, number);
        awaitMessage(near, number);
      }
      case READ -> read(number);
    }
  }

  /** Requests whose end is nothing that is waited for have the number 0 or less. */
  private void write(Side side, long number) throws IOException {
    side.fill(number, octets);
    int flags = side.flags();
    while (!side.connection.postWrite(
        0, side.source, 0, octets, side.sinkOfPeer.stag(), side.sinkOfPeer.to(), flags)) {
      side.poll();
    }
    if (flags != 0) {
      side.poll();
    }
  }

  private void await(Side side, long number) throws IOException {
    patience.reset();
    while (!side.has(number, octets)) {
      patience.idle();
    }
  }

  private void receive(Side side) throws IOException {
    while (!side.connection.postReceive(1, side.sink, 0, longest)) {
      side.poll();
    }
  }

  private void send(Side side, long number) throws IOException {
    side.fill(number, octets);
    int flags = side.flags();
    while (!side.connection.postSend(0, side.source, 0, octets, flags)) {
      side.poll();
    }
  }

  private void awaitMessage(Side side, long number) throws IOException {
    awaitCompletion(side);
    check(side, number);
    receive(side);
  }

  private void awaitCompletion(Side side) throws IOException {
    patience.reset();
    while (!side.arrived()) {
      patience.idle();
    }
  }

  private void check(Side side, long number) throws IOException {
    if (!side.has(number, octets)) {
      throw new IOException("what has come is not what was sent");
    }
  }

  private void read(long number) throws IOException {
    far.fill(number, octets);
    while (!near.connection.postRead(
        1,
        near.sink,
        0,
        octets,
        near.sourceOfPeer.stag(),
        near.sourceOfPeer.to(),
        SendFlags.SIGNALLED)) {
      near.poll();
    }
    awaitCompletion(near);
    check(near, number);
  }

  @Override
  public void close() {
    near.connection.close();
    far.connection.close();
  }
}
