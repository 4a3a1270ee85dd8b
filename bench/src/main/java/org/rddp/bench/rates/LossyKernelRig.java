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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.link.LinkHandle;
import org.rddp.rig.Affinity;

/**
 * The kernel's TCP one way over a link that loses frames, by blocking sockets. Argument: a {@link
 * LinkHandle}. Tasks and figures are {@link LossyTask}'s.
 */
public final class LossyKernelRig implements Rig {
  private static final Path CONGESTION = Path.of("/proc/sys/net/ipv4/tcp_congestion_control");
  private static final int BUFFER = 1 << 18;
  private static final long PATIENCE = 30_000_000_000L;
  private static final long PAUSE = 1_000_000;

  private final CompletableFuture<Integer> listening = new CompletableFuture<>();
  private LinkHandle link;
  private int port;

  /** How often each task has been done: its next round loses other frames. */
  private final Map<LossyTask, Integer> rounds = new HashMap<>();

  /** Octets read; written by the reading thread alone. */
  private volatile long read;

  /** Connections read to their end; written by the reading thread alone. */
  private volatile int ended;

  private volatile Throwable failure;

  /** For its process. */
  public LossyKernelRig() {}

  @Override
  public void open(JsonObject arguments) throws Exception {
    link = LinkHandle.of(arguments);
    int cpu = Affinity.allowed()[0];
    Thread.ofPlatform().daemon().name("receiver").start(() -> receive(cpu));
    Affinity.pin(cpu);
    link.enter(true);
    String congestion = Files.readString(CONGESTION).strip();
    if (!congestion.equals("cubic")) {
      throw new CannotRunException("the kernel's TCP is " + congestion + ", not CUBIC");
    }
    port = listening.get();
  }

  private void receive(int cpu) {
    try {
      Affinity.pin(cpu);
      link.enter(false);
      try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.INET)) {
        listener.bind(new InetSocketAddress(LinkHandle.farAddress(), 0));
        listening.complete(listener.socket().getLocalPort());
        ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER);
        int count = 0;
        while (true) {
          try (SocketChannel socket = listener.accept()) {
            readAll(socket, buffer);
          }
          count++;
          ended = count;
        }
      }
    } catch (IOException e) {
      failure = e;
      listening.completeExceptionally(e);
    }
  }

  private void readAll(SocketChannel socket, ByteBuffer buffer) throws IOException {
    long total = read;
    for (int octets = 0; octets >= 0; octets = socket.read(buffer.clear())) {
      total += octets;
      read = total;
    }
  }

  @Override
  public Sample round(JsonObject json) throws IOException {
    LossyTask task = Json.to(json, LossyTask.class);
    LockSupport.parkNanos(task.drain());
    link.configure(task.linkSettings(rounds.merge(task, 1, Integer::sum)));
    try (SocketChannel sender = SocketChannel.open(StandardProtocolFamily.INET)) {
      sender.connect(new InetSocketAddress(LinkHandle.farAddress(), port));
      sender.setOption(StandardSocketOptions.TCP_NODELAY, true);
      ByteBuffer message = ByteBuffer.allocateDirect(task.octets());
      send(sender, message, task.settling());
      long before = read;
      long began = System.nanoTime();
      send(sender, message, task.nanos());
      Sample found = LossyTask.sample(read - before, System.nanoTime() - began, link.counts());
      link.configure(task.losslessLink());
      end(sender);
      return found;
    }
  }

  /**
   * Lets what is under way arrive, over a link that loses nothing, so that none of it is left for
   * the next round. A reset would be quicker, but if that is lost the receiver reads on for ever.
   */
  private void end(SocketChannel sender) throws IOException {
    int before = ended;
    sender.shutdownOutput();
    long began = System.nanoTime();
    while (ended == before && failure == null) {
      if (System.nanoTime() - began > PATIENCE) {
        throw new EOFException("what was sent has not arrived");
      }
      LockSupport.parkNanos(PAUSE);
    }
  }

  private void send(SocketChannel sender, ByteBuffer message, long nanos) throws IOException {
    long began = System.nanoTime();
    while (System.nanoTime() - began < nanos) {
      if (failure != null) {
        throw new IOException("the receiver has failed", failure);
      }
      message.clear();
      while (message.hasRemaining()) {
        if (sender.write(message) == 0 && System.nanoTime() - began > nanos + PATIENCE) {
          throw new EOFException("nothing is taken any more");
        }
      }
    }
  }

  @Override
  public void close() {}
}
