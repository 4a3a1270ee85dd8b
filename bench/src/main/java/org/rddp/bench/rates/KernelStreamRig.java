package org.rddp.bench.rates;

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
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.rig.Affinity;
import org.rddp.rig.VethEnds;

/**
 * The kernel's TCP one way over a veth link, by Java NIO with direct buffers, each end on a core of
 * its own. Arguments: {@code mtu}, {@code offloads}, {@code batch} (messages in a call of write()).
 * A task is that of {@link RddpStreamRig}, and may say {@code stream}: no bound but TCP's own. A
 * sample has the same figures but for those of an engine.
 *
 * <p>Without a bound sockets block, which suits a stream best; with one both ends poll.
 */
public final class KernelStreamRig implements Rig {
  private static final int READ = 1 << 18;
  private static final int LOOKS = 64;
  private static final long PATIENCE = 30_000_000_000L;

  private final CompletableFuture<Integer> listening = new CompletableFuture<>();
  private SocketChannel sender;
  private int batch;

  /** Octets read; written by the reading thread alone. */
  private volatile long read;

  private volatile boolean polling;
  private volatile Throwable failure;

  /** For its process. */
  public KernelStreamRig() {}

  @Override
  public void open(JsonObject arguments) throws Exception {
    VethEnds link =
        new VethEnds(arguments.get("mtu").getAsInt(), arguments.get("offloads").getAsBoolean());
    batch = Json.integer(arguments, "batch", 1);
    int[] cpus = Affinity.allowed();
    Thread.ofPlatform().daemon().name("receiver").start(() -> receive(link, cpus[0]));
    Affinity.pin(cpus[cpus.length - 1]);
    try {
      link.enterClient();
    } catch (IOException e) {
      throw new CannotRunException(e.getMessage());
    }
    sender = SocketChannel.open(StandardProtocolFamily.INET);
    sender.connect(new InetSocketAddress(link.serverAddress(), listening.get()));
    sender.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  private void receive(VethEnds link, int cpu) {
    try {
      Affinity.pin(cpu);
      link.enterServer();
      try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.INET)) {
        listener.bind(new InetSocketAddress(link.serverAddress(), 0));
        listening.complete(listener.socket().getLocalPort());
        try (SocketChannel socket = listener.accept()) {
          readAll(socket);
        }
      }
    } catch (IOException | InterruptedException e) {
      failure = e;
      listening.completeExceptionally(e);
    }
  }

  private void readAll(SocketChannel socket) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocateDirect(READ);
    boolean blocking = true;
    long total = 0;
    while (true) {
      if (blocking == polling) {
        blocking = !polling;
        socket.configureBlocking(blocking);
      }
      buffer.clear();
      int octets = socket.read(buffer);
      if (octets < 0) {
        return;
      }
      if (octets > 0) {
        total += octets;
        read = total;
      }
    }
  }

  @Override
  public Sample round(JsonObject task) throws IOException {
    int octets = task.get("octets").getAsInt();
    int outstanding = task.get("outstanding").getAsInt();
    boolean stream = Json.flag(task, "stream", false);
    int together = stream ? batch : Math.min(batch, outstanding);
    long most = stream ? 0 : (long) outstanding * octets;
    polling = !stream;
    ByteBuffer messages = ByteBuffer.allocateDirect(octets * together);
    long before = read;
    ResourceUsage cost = new ResourceUsage(ResourceUsage.NO_ENGINE);
    long began = System.nanoTime();
    long sent = send(messages, most, began + Json.nanos(task), before);
    await(before + sent);
    long nanos = System.nanoTime() - began;
    long count = sent / octets;
    return cost.addTo(RddpStreamRig.sample(count, octets, nanos), count);
  }

  private long send(ByteBuffer messages, long most, long end, long before) throws IOException {
    long sent = 0;
    do {
      for (int i = 0; i < LOOKS; i++) {
        if (most > 0 && sent - (read - before) + messages.capacity() > most) {
          Thread.onSpinWait();
          continue;
        }
        messages.clear();
        while (messages.hasRemaining()) {
          sent += sender.write(messages);
        }
      }
    } while (System.nanoTime() < end);
    return sent;
  }

  private void await(long octets) throws IOException {
    long began = System.nanoTime();
    while (read < octets) {
      if (failure != null) {
        throw new IOException("the receiver has failed", failure);
      }
      if (System.nanoTime() - began > PATIENCE) {
        throw new EOFException(octets - read + " octets have not arrived");
      }
      Thread.onSpinWait();
    }
  }

  @Override
  public void close() throws IOException {
    if (sender != null) {
      sender.close();
    }
  }
}
