package org.rddp.examples;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.rddp.client.Connection;
import org.rddp.client.IncomingConnection;
import org.rddp.client.Listener;
import org.rddp.client.MemoryRegion;
import org.rddp.client.Rddp;
import org.rddp.client.RddpOptions;
import org.rddp.client.types.Access;
import org.rddp.client.types.PrivateData;

/**
 * A counter in the memory of one program, from which others draw numbers, each of them once. The
 * owner only accepts connections; its daemon carries out the additions, which are atomic operations
 * (RFC 7306), without the owner's help.
 *
 * <pre>
 * AtomicCounter own INTERFACE PORT
 * AtomicCounter draw INTERFACE ADDRESS PORT HOW-MANY
 * </pre>
 */
public final class AtomicCounter {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private AtomicCounter() {}

  /** The program with the counter. */
  public static final class Owner implements AutoCloseable {
    private final Rddp session;
    private final MemoryRegion counter;
    private final Listener listener;
    private final List<Connection> clients = new ArrayList<>();

    /** Makes a counter of 0. Port 0: any free one. */
    public Owner(Rddp session, int port) {
      this.session = session;
      counter = session.allocate(Long.BYTES, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC);
      listener = session.listen(port);
    }

    /** Its port. */
    public int port() {
      return listener.address().getPort();
    }

    /** Accepts a connection that has been requested, and ends those whose clients have. */
    public void accept(Duration patience) {
      IncomingConnection incoming = listener.await(patience);
      if (incoming != null) {
        Peers.accept(incoming, RemoteBuffer.of(counter).toPrivateData(), clients);
      }
      clients.removeIf(Peers::hasLeft);
    }

    @Override
    public void close() {
      listener.close();
      session.close();
    }
  }

  /** A program that draws numbers. */
  public static final class Client implements AutoCloseable {
    private final Connection connection;
    private final RemoteBuffer counter;
    private final MemoryRegion before;

    /** Connects to the owner. */
    public Client(Rddp session, InetSocketAddress owner) {
      connection = session.connect(owner, PrivateData.NONE, TIMEOUT);
      counter = RemoteBuffer.from(connection.privateData());
      before = session.allocate(Long.BYTES, Access.LOCAL_WRITE);
    }

    /** A number that nobody else gets. */
    public long next() {
      return connection.blocking().fetchAdd(before, 0, counter.stag(), counter.to(), 1, TIMEOUT);
    }

    @Override
    public void close() {
      connection.close();
      before.close();
    }
  }

  /** Runs the owner for ever, or a client once. */
  public static void main(String[] arguments) {
    Path socket = Rddp.defaultSocket();
    RddpOptions options = RddpOptions.defaults().withInterfaceName(arguments[1]);
    if (arguments[0].equals("own")) {
      int port = Integer.parseInt(arguments[2]);
      try (Owner owner = new Owner(Rddp.connect(socket, options), port)) {
        while (!Thread.currentThread().isInterrupted()) {
          owner.accept(Duration.ofSeconds(1));
        }
      }
    }
    InetSocketAddress owner = new InetSocketAddress(arguments[2], Integer.parseInt(arguments[3]));
    try (Rddp session = Rddp.connect(socket, options);
        Client client = new Client(session, owner)) {
      for (int i = 0; i < Integer.parseInt(arguments[4]); i++) {
        System.out.println(client.next());
      }
    }
  }
}
