package org.rddp.rig;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;

/**
 * Sends messages over the kernel's TCP and back, with TCP_NODELAY, each end on its own CPU:
 * non-blocking sockets polled without a pause, the best that plain sockets do, or blocking ones.
 * The thread that opens it measures; the other end sends each message back when it is whole. Where
 * the ends have another provider, sockets are its.
 */
public final class KernelTcpPingPong implements RoundTrip, AutoCloseable {
  private final NetworkEnds ends;
  private final boolean blocking;
  private final int longest;
  private final CompletableFuture<Integer> listening = new CompletableFuture<>();
  private final PinnedThread<Void> server;
  private final SocketChannel socket;
  private ByteBuffer message;
  private volatile int octets = Long.BYTES;

  /**
   * Connects the calling thread, a platform thread, which moves to the client's end for good.
   *
   * @param blocking whether sockets block instead of being polled
   * @param longest octets of the longest message
   * @throws IOException when network namespaces may not be made (they need root), or the network
   *     fails
   */
  public KernelTcpPingPong(
      NetworkEnds ends, boolean blocking, int longest, int serverCpu, int clientCpu)
      throws IOException, InterruptedException {
    this.ends = ends;
    this.blocking = blocking;
    this.longest = longest;
    message(Long.BYTES);
    server = PinnedThread.start("tcp-server", serverCpu, this::serve);
    try {
      ends.enterClient();
      int port = PinnedThread.result(listening);
      Affinity.pin(clientCpu);
      socket = ends.provider().openSocketChannel(StandardProtocolFamily.INET);
      socket.connect(new InetSocketAddress(ends.serverAddress(), port));
      configure(socket);
    } catch (IOException failure) {
      server.close();
      throw failure;
    }
  }

  /**
   * Measures between two network namespaces joined by a veth link.
   *
   * @param octets in each message, 8 or more
   * @param warmUp round trips that are not counted, 0 or more
   * @param count round trips that are, 1 or more
   * @param serverCpu the CPU of the end that answers
   * @param clientCpu the CPU of the end that measures
   * @throws IOException when namespaces may not be made (they need root), or the network fails
   */
  public static RoundTrips overVeth(int octets, int warmUp, int count, int serverCpu, int clientCpu)
      throws IOException, InterruptedException {
    return measure(new VethEnds(true), octets, warmUp, count, serverCpu, clientCpu);
  }

  /**
   * Measures over the loopback interface, which needs no rights. Its way through the kernel is a
   * little shorter.
   */
  public static RoundTrips overLoopback(
      int octets, int warmUp, int count, int serverCpu, int clientCpu)
      throws IOException, InterruptedException {
    return measure(new LoopbackEnds(), octets, warmUp, count, serverCpu, clientCpu);
  }

  private static RoundTrips measure(
      NetworkEnds ends, int octets, int warmUp, int count, int serverCpu, int clientCpu)
      throws IOException, InterruptedException {
    Callable<RoundTrips> measuring =
        () -> {
          try (KernelTcpPingPong trip =
              new KernelTcpPingPong(ends, false, octets, serverCpu, clientCpu)) {
            trip.message(octets);
            RoundTripTimer timer = new RoundTripTimer();
            timer.warmUp(trip, warmUp, Long.MAX_VALUE / 2);
            return RoundTrips.of(timer.closedLoop(trip, count, Long.MAX_VALUE / 2), ends.device());
          }
        };
    try (PinnedThread<RoundTrips> client = PinnedThread.start("tcp-client", clientCpu, measuring)) {
      return client.join();
    }
  }

  /**
   * Changes the length of messages; none may be under way.
   *
   * @param length octets, 8 or more
   */
  public void message(int length) {
    message = ByteBuffer.allocateDirect(length);
    octets = length;
  }

  private void configure(SocketChannel made) throws IOException {
    made.configureBlocking(blocking);
    made.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  private Void serve() throws IOException, InterruptedException {
    try {
      ends.enterServer();
      try (ServerSocketChannel listener =
          ends.provider().openServerSocketChannel(StandardProtocolFamily.INET)) {
        listener.bind(new InetSocketAddress(ends.serverAddress(), 0));
        listening.complete(listener.socket().getLocalPort());
        try (SocketChannel accepted = listener.accept()) {
          configure(accepted);
          echo(accepted);
        }
      }
    } catch (IOException failure) {
      listening.completeExceptionally(failure);
      throw failure;
    }
    return null;
  }

  /** Sends every message back, until the other end closes. */
  private void echo(SocketChannel accepted) throws IOException {
    ByteBuffer whole = ByteBuffer.allocateDirect(longest);
    while (true) {
      int read = accepted.read(whole);
      if (read < 0) {
        return;
      }
      if (read > 0 && whole.position() == octets) {
        send(accepted, whole.flip());
        whole.clear();
      }
    }
  }

  @Override
  public void run(long number) throws IOException {
    int last = octets - Long.BYTES;
    message.clear().putLong(0, number).putLong(last, number);
    send(socket, message);
    message.clear().putLong(last, 0);
    while (message.hasRemaining()) {
      if (socket.read(message) < 0) {
        throw new EOFException("the other end has closed");
      }
    }
    if (message.getLong(0) != number || message.getLong(last) != number) {
      throw new IOException("another message came back");
    }
  }

  private static void send(SocketChannel to, ByteBuffer whole) throws IOException {
    while (whole.hasRemaining()) {
      to.write(whole);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
    server.close();
  }
}
