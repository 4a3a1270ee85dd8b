package org.rddp.rig;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.rddp.client.Completion;
import org.rddp.client.CompletionHandler;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.SendFlags;

/**
 * Two connected programs of rddp on one thread. One writes, sends, or offers memory to be read; the
 * other finds the message and answers in the same way.
 */
public final class ProgramPair implements RoundTrip, AutoCloseable {
  private static final VarHandle NUMBER = ValueLayout.JAVA_LONG.varHandle();
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  /** Interval at which requests are signalled, unless all are, and completions read. */
  private static final int SIGNAL_EVERY = 32;

  /** Operation of a round trip. */
  public enum Verb {
    /** A write each way, which the other program finds in its memory. */
    WRITE,

    /** A message each way, for which the other program has posted a receive. */
    SEND,

    /** The other program's memory is read; it takes no part. */
    READ
  }

  /** One program: a session, a connection, memory to send from and memory to receive into. */
  private static final class Side {
    final Rddp session;
    final MemoryRegion source;
    final MemoryRegion sink;
    Connection connection;
    AdvertisedBuffer sinkOfPeer;
    AdvertisedBuffer sourceOfPeer;
    private final CompletionHandler handler = this::take;
    private int signalEvery = SIGNAL_EVERY;
    private int unsignalled;
    private boolean expected;
    private Completion failure;

    Side(Rddp session, int longest) {
      this.session = session;
      this.source = session.allocate(longest, Access.REMOTE_READ);
      this.sink = session.allocate(longest, Access.REMOTE_WRITE, Access.LOCAL_WRITE);
    }

    /** Puts a number at both ends of a message, whose first octets arrive first. */
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
      if (unsignalled < signalEvery) {
        return 0;
      }
      unsignalled = 0;
      return SendFlags.SIGNALLED;
    }

    void poll() throws IOException {
      session.poll(handler, SIGNAL_EVERY);
      if (failure != null) {
        throw new IOException("a request failed: " + failure);
      }
    }

    /**
     * Takes a completion. Received messages and completed reads, which are awaited, have ids above
     * 0.
     */
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
  private final WaitStrategy waiting;
  private int octets;
  private Verb verb = Verb.WRITE;
  private boolean receivesPosted;

  /**
   * Creates two programs; they need a connection ({@link #use}).
   *
   * @param longest octets of the longest message
   * @param waiting how they wait
   */
  public ProgramPair(Rddp nearSession, Rddp farSession, int longest, WaitStrategy waiting) {
    this.longest = longest;
    this.waiting = waiting;
    near = new Side(nearSession, longest);
    far = new Side(farSession, longest);
    near.sinkOfPeer = AdvertisedBuffer.of(far.sink);
    far.sinkOfPeer = AdvertisedBuffer.of(near.sink);
    near.sourceOfPeer = AdvertisedBuffer.of(far.source);
    far.sourceOfPeer = AdvertisedBuffer.of(near.source);
  }

  /**
   * Connects two programs.
   *
   * @param address where the far session listens
   * @param longest octets of the longest message
   * @param waiting how they wait
   */
  public static ProgramPair connect(
      Rddp nearSession,
      Rddp farSession,
      InetSocketAddress address,
      int longest,
      WaitStrategy waiting) {
    ProgramPair pair = new ProgramPair(nearSession, farSession, longest, waiting);
    try (Listener listener = farSession.listen(address.getPort())) {
      CompletableFuture<Connection> accepted =
          CompletableFuture.supplyAsync(() -> listener.await(TIMEOUT).accept(PrivateData.NONE));
      Connection connecting = nearSession.connect(address, PrivateData.NONE, TIMEOUT);
      pair.use(connecting, accepted.join());
    }
    return pair;
  }

  /** Uses a connection between the two programs from now on; no message may be under way. */
  public void use(Connection nearEnd, Connection farEnd) {
    near.connection = nearEnd;
    far.connection = farEnd;
  }

  /** Signals every request from now on, or one of 32. */
  public void signalAll(boolean on) {
    near.signalEvery = on ? 1 : SIGNAL_EVERY;
    far.signalEvery = near.signalEvery;
  }

  /**
   * Changes the kind and the length of messages; none may be under way.
   *
   * @param length octets, 8 or more, a multiple of 8
   * @throws IOException when messages of that length have no room
   */
  public void prepare(Verb kind, int length) throws IOException {
    if (length > longest) {
      throw new IOException("no room for messages of " + length + " octets");
    }
    octets = length;
    verb = kind;
    if (verb == Verb.SEND && !receivesPosted) {
      receivesPosted = true;
      receive(near);
      receive(far);
    }
  }

  @Override
  public void run(long number) throws IOException {
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

  /** Nobody waits for the completion of a request whose id is 0. */
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
    waiting.reset();
    while (!side.has(number, octets)) {
      waiting.idle();
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
    waiting.reset();
    while (!side.arrived()) {
      waiting.idle();
    }
  }

  private void check(Side side, long number) throws IOException {
    if (!side.has(number, octets)) {
      throw new IOException("another message came back");
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

  /** Closes both ends of the connection. */
  @Override
  public void close() {
    near.connection.close();
    far.connection.close();
  }
}
