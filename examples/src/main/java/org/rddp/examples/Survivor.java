package org.rddp.examples;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionFailedException;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.LostSession;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpException;
import org.rddp.client.RddpOptions;
import org.rddp.client.Reconnect;
import org.rddp.client.RequestFailedException;
import org.rddp.client.SessionLostException;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;

/**
 * {@link AtomicCounter} with programs that go on when their daemon is killed or replaced. The
 * owner's memory keeps the number. A client's request whose answer was lost may have been carried
 * out, so a number may be skipped, but none is given out twice.
 *
 * <pre>
 * Survivor own INTERFACE PORT
 * Survivor draw INTERFACE ADDRESS PORT HOW-MANY
 * </pre>
 */
public final class Survivor implements Reconnect {
  private static final Duration PAUSE = Duration.ofMillis(20);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final Rddp session;
  private final MemoryRegion memory;
  private Connection owner;
  private final AtomicInteger losses = new AtomicInteger();

  /** Opens a session that outlives its daemon. */
  public Survivor(Path socket, RddpOptions options) {
    session = Rddp.connect(socket, options.withReconnect(this));
    memory = session.allocate(Long.BYTES, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC);
  }

  @Override
  public void onLost(LostSession lost) {
    losses.incrementAndGet(); // lost.connections() and lost.requests() have what ended
  }

  @Override
  public void onRestored(Rddp restored) {
    // Memory and listeners are restored. The memory has a new STag, which peers get when they
    // connect.
  }

  /** How many daemons have been lost. */
  public int losses() {
    return losses.get();
  }

  /** Listens for clients. Port 0: any free one. */
  public Listener listen(int port) {
    return session.listen(port);
  }

  /** The owner: accepts the clients that wait, and notices the end of the daemon. */
  public void serve(Listener listener) {
    session.await(PAUSE);
    session.poll(completion -> {}, 16);
    try {
      IncomingConnection incoming = listener.poll();
      if (incoming != null) {
        incoming.accept(RemoteBuffer.of(memory).toPrivateData());
      }
    } catch (RddpException ended) {
      // The client or the daemon has gone: await() notices the daemon's end, and the client's own
      // program connects again.
    }
  }

  /** A client: draws a number, however long the daemons of both ends are gone. */
  public long next(InetSocketAddress address) {
    while (true) {
      try {
        if (owner == null || !owner.isOpen()) {
          owner = session.connect(address, PrivateData.NONE, TIMEOUT);
        }
        RemoteBuffer counter = RemoteBuffer.from(owner.privateData());
        return owner.blocking().fetchAdd(memory, 0, counter.stag(), counter.to(), 1, TIMEOUT);
      } catch (SessionLostException | ConnectionFailedException | RequestFailedException notNow) {
        // Every call may throw these. Only await() and poll() connect with the next daemon; they
        // throw if none comes up within Reconnect.timeout().
        session.await(PAUSE);
        session.poll(completion -> {}, 16);
      }
    }
  }

  /** Runs the owner for ever, or a client once. */
  public static void main(String[] arguments) {
    RddpOptions options = RddpOptions.defaults().withInterfaceName(arguments[1]);
    Survivor program = new Survivor(Rddp.defaultSocket(), options);
    if (arguments[0].equals("own")) {
      Listener listener = program.listen(Integer.parseInt(arguments[2]));
      while (true) {
        program.serve(listener);
      }
    }
    InetSocketAddress owner = new InetSocketAddress(arguments[2], Integer.parseInt(arguments[3]));
    for (int i = 0; i < Integer.parseInt(arguments[4]); i++) {
      System.out.println(program.next(owner));
    }
    program.session.close();
  }
}
