package org.rddp.bench.layout;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.rddp.client.Completion;
import org.rddp.client.Connection;
import org.rddp.client.Listener;
import org.rddp.client.Rddp;
import org.rddp.client.types.PrivateData;

/** Opens connections between two programs of one thread. */
public final class ConnectionOpener implements AutoCloseable {
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  /** Connections opened at a time. */
  private static final int AT_A_TIME = 32;

  private final Rddp near;
  private final InetSocketAddress address;
  private final Listener listener;

  /** Lets the far program listen at an address. */
  public ConnectionOpener(Rddp near, Rddp far, InetSocketAddress address) {
    this.near = near;
    this.address = address;
    listener = far.listen(address, 1024);
  }

  /** The two ends of a connection. */
  public record Ends(Connection near, Connection far) {}

  /** Opens one more connection. */
  public Ends connect() throws IOException, InterruptedException {
    return connect(1).getFirst();
  }

  /** Opens more connections, several at a time. */
  public List<Ends> connect(int count) throws IOException, InterruptedException {
    List<Future<Connection>> connecting = new ArrayList<>();
    List<Future<Connection>> accepting = new ArrayList<>();
    try (ExecutorService initiators = Executors.newFixedThreadPool(Math.min(count, AT_A_TIME));
        ExecutorService responders = Executors.newFixedThreadPool(Math.min(count, AT_A_TIME))) {
      for (int i = 0; i < count; i++) {
        accepting.add(responders.submit(this::accept));
        connecting.add(initiators.submit(() -> near.connect(address, PrivateData.NONE, TIMEOUT)));
      }
    }
    Map<Integer, Connection> byPort = new HashMap<>();
    List<Ends> all = new ArrayList<>();
    try {
      for (Future<Connection> each : accepting) {
        byPort.put(each.get().remoteAddress().getPort(), each.get());
      }
      for (Future<Connection> each : connecting) {
        all.add(new Ends(each.get(), byPort.get(each.get().localAddress().getPort())));
      }
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    }
    return all;
  }

  private Connection accept() throws IOException {
    var incoming = listener.await(TIMEOUT);
    if (incoming == null) {
      throw new IOException("no connection within " + TIMEOUT.toSeconds() + " s");
    }
    return incoming.accept(PrivateData.NONE);
  }

  /** Throws unless a request has succeeded. */
  public static void check(Completion completion) {
    if (!completion.isSuccess()) {
      throw new IllegalStateException("a request failed: " + completion);
    }
  }

  @Override
  public void close() {
    listener.close();
  }
}
