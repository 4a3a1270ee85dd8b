package org.rddp.bench.rtt;

import com.google.gson.JsonObject;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.Cpus;
import org.rddp.rig.Affinity;
import org.rddp.rig.PinnedThread;
import org.rddp.rig.VethEnds;

/**
 * The kernel's TCP between two namespaces, TCP_NODELAY, each end on a CPU of its own: non-blocking
 * sockets that are polled without a pause, or sockets that block. The other end sends each message
 * back when it is whole, as a program with messages does.
 */
public final class SocketRig implements Rig, RoundTripMethod {
  private final RoundTripTimer clocked = new RoundTripTimer();
  private final CompletableFuture<Integer> listening = new CompletableFuture<>();
  private boolean blocking;
  private VethEnds ends;
  private PinnedThread<Void> server;
  private SocketChannel socket;
  private ByteBuffer message = ByteBuffer.allocateDirect(Long.BYTES);
  private volatile int octets = Long.BYTES;

  /** For the process of the rig. */
  public SocketRig() {}

  @Override
  public void open(JsonObject arguments) throws Exception {
    blocking = arguments.has("blocking");
    ends = new VethEnds(!arguments.has("plain"));
    server = PinnedThread.start("echo", Cpus.far(), this::serve);
    try {
      ends.enterClient();
    } catch (IOException e) {
      throw new CannotRunException("needs root, and ip and ethtool: " + e.getMessage());
    }
    int port = PinnedThread.result(listening);
    Affinity.pin(Cpus.near());
    socket = SocketChannel.open(StandardProtocolFamily.INET);
    socket.connect(new InetSocketAddress(ends.serverAddress(), port));
    configure(socket);
  }

  private void configure(SocketChannel made) throws IOException {
    made.configureBlocking(blocking);
    made.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  private Void serve() throws IOException, InterruptedException {
    try {
      ends.enterServer();
      try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.INET)) {
        listener.bind(new InetSocketAddress(ends.serverAddress(), 0));
        listening.complete(listener.socket().getLocalPort());
        try (SocketChannel accepted = listener.accept()) {
          configure(accepted);
          echo(accepted);
        }
      }
    } catch (IOException e) {
      listening.completeExceptionally(e);
      throw e;
    }
    return null;
  }

  private void echo(SocketChannel accepted) throws IOException {
    ByteBuffer whole = ByteBuffer.allocateDirect(RddpRig.LONGEST);
    whole.clear();
    while (true) {
      int read = accepted.read(whole);
      if (read < 0) {
        return;
      }
      if (read > 0 && whole.position() == octets) {
        whole.flip();
        send(accepted, whole);
        whole.clear();
      }
    }
  }

  @Override
  public void prepare(RttTask task) throws CannotRunException {
    if (task.verb() == RttTask.Verb.READ) {
      throw new CannotRunException("no such thing");
    }
    octets = task.octets();
    message = ByteBuffer.allocateDirect(octets);
  }

  @Override
  public void roundTrip(long number) throws IOException {
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
      throw new IOException("what has come is not what was sent");
    }
  }

  private static void send(SocketChannel to, ByteBuffer whole) throws IOException {
    while (whole.hasRemaining()) {
      to.write(whole);
    }
  }

  @Override
  public Sample round(JsonObject task) throws Exception {
    return clocked.run(RttTask.fromJson(task), this);
  }

  @Override
  public void close() throws IOException {
    if (socket != null) {
      socket.close();
    }
    if (server != null) {
      server.close();
    }
  }
}
