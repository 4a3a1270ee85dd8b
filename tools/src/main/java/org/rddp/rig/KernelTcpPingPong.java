package org.rddp.rig;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import org.HdrHistogram.Histogram;

/**
 * The round trip that programs have today: a message over the kernel's TCP and back. Non-blocking
 * sockets, polled without a pause, TCP_NODELAY, each end on a CPU of its own: the best that plain
 * sockets do.
 */
public final class KernelTcpPingPong {
  private final NetworkEnds ends;
  private final int octets;
  private final CompletableFuture<Integer> listening = new CompletableFuture<>();

  private KernelTcpPingPong(NetworkEnds ends, int octets) {
    this.ends = ends;
    this.octets = octets;
  }

  /**
   * Measures between two network namespaces joined by a veth link.
   *
   * @param octets in each message, 1 or more
   * @param warmUp round trips that are not counted, 0 or more
   * @param count round trips that are, 1 or more
   * @param serverCpu the CPU of the end that answers
   * @param clientCpu the CPU of the end that measures
   * @throws IOException when namespaces may not be made (they need root), or the network fails
   */
  public static RoundTrips overVeth(int octets, int warmUp, int count, int serverCpu, int clientCpu)
      throws IOException, InterruptedException {
    return new KernelTcpPingPong(new VethEnds(), octets).run(warmUp, count, serverCpu, clientCpu);
  }

  /**
   * The same over the loopback interface, which needs no rights. Its way through the kernel is a
   * little shorter.
   */
  public static RoundTrips overLoopback(
      int octets, int warmUp, int count, int serverCpu, int clientCpu)
      throws IOException, InterruptedException {
    return new KernelTcpPingPong(new LoopbackEnds(), octets)
        .run(warmUp, count, serverCpu, clientCpu);
  }

  /**
   * Prints the figures as JSON.
   *
   * @param arguments octets, warm-up and count; 64, 50,000 and 200,000 if left out
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    int octets = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 64;
    int warmUp = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 50_000;
    int count = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 200_000;
    int[] cpus = Affinity.allowed();
    System.out.println(overVeth(octets, warmUp, count, cpus[0], cpus[cpus.length - 1]).toJson());
  }

  private RoundTrips run(int warmUp, int count, int serverCpu, int clientCpu)
      throws IOException, InterruptedException {
    try (PinnedThread<Void> _ = PinnedThread.start("tcp-server", serverCpu, this::serve);
        PinnedThread<Histogram> client =
            PinnedThread.start("tcp-client", clientCpu, () -> measure(warmUp, count))) {
      return RoundTrips.of(client.join(), ends.device());
    }
  }

  private Void serve() throws IOException, InterruptedException {
    try {
      ends.enterServer();
      try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.INET)) {
        listener.bind(new InetSocketAddress(ends.serverAddress(), 0));
        listening.complete(listener.socket().getLocalPort());
        try (SocketChannel socket = listener.accept()) {
          prepare(socket);
          echo(socket);
        }
      }
    } catch (IOException failure) {
      listening.completeExceptionally(failure);
      throw failure;
    }
    return null;
  }

  /** Sends every message back, until the other end closes. */
  private void echo(SocketChannel socket) throws IOException {
    ByteBuffer message = ByteBuffer.allocateDirect(octets);
    while (receive(socket, message)) {
      send(socket, message);
    }
  }

  private Histogram measure(int warmUp, int count) throws IOException, InterruptedException {
    ends.enterClient();
    int port = PinnedThread.result(listening);
    try (SocketChannel socket = SocketChannel.open(StandardProtocolFamily.INET)) {
      socket.connect(new InetSocketAddress(ends.serverAddress(), port));
      prepare(socket);
      Histogram nanoseconds = RoundTrips.histogram();
      ByteBuffer message = ByteBuffer.allocateDirect(octets).position(octets);
      for (int i = -warmUp; i < count; i++) {
        long began = System.nanoTime();
        send(socket, message);
        if (!receive(socket, message)) {
          throw new EOFException("the server's end has closed");
        }
        long took = System.nanoTime() - began;
        if (i >= 0) {
          nanoseconds.recordValue(Math.min(took, nanoseconds.getHighestTrackableValue()));
        }
      }
      return nanoseconds;
    }
  }

  private static void prepare(SocketChannel socket) throws IOException {
    socket.configureBlocking(false);
    socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  private static void send(SocketChannel socket, ByteBuffer message) throws IOException {
    message.flip();
    while (message.hasRemaining()) {
      socket.write(message);
    }
  }

  /** Polls until the message is whole; false when the other end has closed. */
  private static boolean receive(SocketChannel socket, ByteBuffer message) throws IOException {
    message.clear();
    while (message.hasRemaining()) {
      if (socket.read(message) < 0) {
        return false;
      }
    }
    return true;
  }
}
