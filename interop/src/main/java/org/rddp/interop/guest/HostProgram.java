package org.rddp.interop.guest;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.rddp.client.Completion;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionFailedException;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;

/** A program of ours: a session with its connections to the guest. For one thread. */
public final class HostProgram implements AutoCloseable {
  /**
   * The longest wait without progress; long, since the guest's processor is emulated and shares
   * real ones.
   */
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  /** After this a connection has been forgotten, even by an emulated processor. */
  private static final Duration UNANSWERED = Duration.ofSeconds(10);

  private static final Duration PAUSE = Duration.ofMillis(5);
  private static final int BATCH = 64;

  /** Ns between attempts to connect until the peer listens. */
  private static final long RETRY = 20_000_000;

  private final Rddp session;
  private final List<PeerConnection> connections = new ArrayList<>();

  /** Opens a session on an interface of the daemon. */
  public HostProgram(Path socket, String interfaceName) {
    session =
        Rddp.connect(
            socket,
            RddpOptions.defaults().withInterfaceName(interfaceName).withProgramName("interop"));
  }

  public MemoryRegion allocate(long octets, Access... rights) {
    return session.allocate(octets, rights);
  }

  public Rddp session() {
    return session;
  }

  /**
   * Connects as soon as the peer listens.
   *
   * @param room octets of the longest message received
   */
  public PeerConnection connect(InetSocketAddress peer, PrivateData privateData, int room) {
    long since = System.nanoTime();
    while (true) {
      try {
        Connection connection = connectOnce(peer, privateData);
        PeerConnection made = new PeerConnection(this, connection, room);
        connections.add(made);
        return made;
      } catch (ConnectionFailedException e) {
        if (e.reason() != Reason.REFUSED || System.nanoTime() - since > TIMEOUT.toNanos()) {
          throw e;
        }
        LockSupport.parkNanos(RETRY);
      }
    }
  }

  /**
   * Connects; after some time without an answer once more beside it. siw drops what it has to do
   * for a connection that comes in the moment in which it begins to listen, and takes the
   * connection when the next one comes.
   */
  private Connection connectOnce(InetSocketAddress peer, PrivateData privateData) {
    Thread another =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              try {
                Thread.sleep(UNANSWERED);
                var _ = session.connect(peer, PrivateData.NONE, UNANSWERED);
              } catch (InterruptedException | RuntimeException e) {
                // The first one was answered, or this one is not, which is no matter.
              }
            });
    try {
      return session.connect(peer, privateData, TIMEOUT);
    } finally {
      another.interrupt();
    }
  }

  public Listener listen(int port) {
    return session.listen(port);
  }

  /**
   * Accepts the next connection.
   *
   * @param room octets of the longest message received
   */
  public PeerConnection accept(Listener listener, PrivateData privateData, int room) {
    IncomingConnection incoming = listener.await(TIMEOUT);
    if (incoming == null) {
      throw new IllegalStateException("no connection");
    }
    PeerConnection made = new PeerConnection(this, incoming.connection(), room);
    connections.add(made);
    incoming.accept(privateData);
    return made;
  }

  /** The first connection, or null. */
  public Connection firstConnection() {
    return connections.isEmpty() ? null : connections.getFirst().connection();
  }

  /** Polls until a condition holds. */
  public void until(BooleanSupplier condition, PeerConnection concerned, String what) {
    long since = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (session.poll(this::onCompletion, BATCH) > 0) {
        since = System.nanoTime();
      } else if (concerned.isOver()) {
        throw new IllegalStateException("no " + what + ": " + concerned.end());
      } else if (System.nanoTime() - since > TIMEOUT.toNanos()) {
        throw new IllegalStateException(
            "no " + what + " for " + TIMEOUT.toSeconds() + " s: " + concerned.end());
      } else {
        session.await(PAUSE);
      }
    }
  }

  private void onCompletion(Completion completion) {
    for (PeerConnection each : connections) {
      each.onCompletion(completion);
    }
  }

  @Override
  public void close() {
    connections.forEach(PeerConnection::close);
    session.close();
  }
}
