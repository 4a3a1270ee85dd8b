package org.rddp.interop.siw;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.rddp.client.Connection;
import org.rddp.client.ConnectionFailedException;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.client.types.Access;
import org.rddp.client.types.Completion;
import org.rddp.client.types.PrivateData;
import org.rddp.client.types.Reason;

/** A program of ours that talks with the guest: a session with its conversations. One thread. */
final class SiwProgram implements AutoCloseable {
  /** How long nothing may happen; the guest's processor is emulated. */
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private static final Duration TURN = Duration.ofMillis(5);
  private static final int BATCH = 64;

  /** Nanoseconds until the next try where nobody listens yet. */
  private static final long BREATH = 20_000_000;

  private final Rddp session;
  private final List<PeerConnection> conversations = new ArrayList<>();

  /** Opens a session on an interface of the daemon's. */
  SiwProgram(Path socket, String interfaceName) {
    session =
        Rddp.connect(
            socket,
            RddpOptions.defaults().withInterfaceName(interfaceName).withProgramName("interop"));
  }

  MemoryRegion allocate(long octets, Access... rights) {
    return session.allocate(octets, rights);
  }

  Rddp session() {
    return session;
  }

  /**
   * Connects, as soon as the peer listens.
   *
   * @param room octets of the longest message that may come
   */
  PeerConnection connect(InetSocketAddress peer, PrivateData privateData, int room) {
    long since = System.nanoTime();
    while (true) {
      try {
        Connection connection = session.connect(peer, privateData, PATIENCE);
        PeerConnection conversation = new PeerConnection(this, connection, room);
        conversations.add(conversation);
        return conversation;
      } catch (ConnectionFailedException e) {
        if (e.reason() != Reason.REFUSED || System.nanoTime() - since > PATIENCE.toNanos()) {
          throw e;
        }
        LockSupport.parkNanos(BREATH);
      }
    }
  }

  Listener listen(int port) {
    return session.listen(port);
  }

  /**
   * Accepts the next connection.
   *
   * @param room octets of the longest message that may come
   */
  PeerConnection accept(Listener listener, PrivateData privateData, int room) {
    IncomingConnection incoming = listener.await(PATIENCE);
    if (incoming == null) {
      throw new IllegalStateException("nobody connects");
    }
    PeerConnection conversation = new PeerConnection(this, incoming.connection(), room);
    conversations.add(conversation);
    incoming.accept(privateData);
    return conversation;
  }

  /** The first that was made, or null. */
  Connection firstConnection() {
    return conversations.isEmpty() ? null : conversations.getFirst().connection();
  }

  /** Takes part until something holds. */
  void until(BooleanSupplier condition, PeerConnection concerned, String what) {
    long since = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (session.poll(this::onCompletion, BATCH) > 0) {
        since = System.nanoTime();
      } else if (concerned.isOver()) {
        throw new IllegalStateException("no " + what + ": " + concerned.end());
      } else if (System.nanoTime() - since > PATIENCE.toNanos()) {
        throw new IllegalStateException(
            "no " + what + " for " + PATIENCE.toSeconds() + " s: " + concerned.end());
      } else {
        session.await(TURN);
      }
    }
  }

  private void onCompletion(Completion completion) {
    for (PeerConnection conversation : conversations) {
      conversation.onCompletion(completion);
    }
  }

  @Override
  public void close() {
    conversations.forEach(PeerConnection::close);
    session.close();
  }
}
