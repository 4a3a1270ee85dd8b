package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.ConnectionOpener;
import org.rddp.bench.layout.Cpus;
import org.rddp.bench.layout.OneDaemon;
import org.rddp.bench.link.LinkHandle;
import org.rddp.rig.Affinity;

/**
 * RDMA Writes and the kernel's TCP one way over the same link at the same time. Arguments: a {@link
 * LinkHandle}, and those of {@link OneDaemon}. Tasks are {@link LossyTask}'s, of which no frame may
 * be lost by chance. A sample has {@code share}, rddp's goodput over the kernel's, and both in
 * Gb/s.
 */
public final class FlowsRig extends ProgramRig {
  private static final long MEMORY = 16L << 20;
  private static final int OUTSTANDING = 32;
  private static final long PAUSE = 50_000;
  private static final long TIMEOUT = 30_000_000_000L;

  private LinkHandle link;
  private SocketReceiver receiver;
  private volatile boolean sends;

  @Override
  void openConnections(JsonObject arguments) throws Exception {
    link = LinkHandle.of(arguments);
    receiver =
        new SocketReceiver(
            Cpus.far(),
            () -> {
              link.enter(false);
              return LinkHandle.farAddress();
            });
  }

  @Override
  public Sample round(JsonObject json) throws Exception {
    LossyTask task = Json.to(json, LossyTask.class);
    link.configure(task.linkSettings(1));
    ConnectionOpener.Ends ends = connections().connect();
    CompletableFuture<Void> ended = new CompletableFuture<>();
    sends = true;
    Thread.ofPlatform().daemon().name("sender").start(() -> send(task.octets(), ended));
    try (WriteStream stream =
        new WriteStream(daemon().near(), daemon().far(), ends.near(), MEMORY)) {
      stream.configure(task.octets(), OUTSTANDING);
      work(stream, task.settling());
      long ours = placed();
      long theirs = receiver.read();
      long began = System.nanoTime();
      work(stream, task.nanos());
      long nanos = System.nanoTime() - began;
      ours = placed() - ours;
      theirs = receiver.read() - theirs;
      link.configure(task.losslessLink());
      sends = false;
      stream.end();
      began = System.nanoTime();
      while (!stream.ended()) {
        work(stream, PAUSE);
        if (System.nanoTime() - began > TIMEOUT) {
          throw new IllegalStateException("writes have not arrived");
        }
      }
      ended.get();
      ends.near().abort();
      ends.far().abort();
      double perNano = 8.0 / nanos;
      return Sample.of(
          Map.of(
              "share", (double) ours / theirs, "rddp", ours * perNano, "kernel", theirs * perNano));
    }
  }

  private long placed() throws IOException {
    return daemon().counters().get("far.ddp_placed_bytes");
  }

  private static void work(WriteStream stream, long nanos) {
    long began = System.nanoTime();
    while (System.nanoTime() - began < nanos) {
      stream.work();
      LockSupport.parkNanos(PAUSE);
    }
  }

  /** Sends over the kernel's TCP until that is over, and everything has been read. */
  private void send(int octets, CompletableFuture<Void> ended) {
    try {
      Affinity.pin(Cpus.far());
      link.enter(true);
      int before = receiver.ended();
      try (SocketChannel socket = receiver.connect(LinkHandle.farAddress())) {
        ByteBuffer message = ByteBuffer.allocateDirect(octets);
        while (sends) {
          socket.write(message.clear());
        }
        socket.shutdownOutput();
        long began = System.nanoTime();
        while (receiver.ended() == before) {
          receiver.check(began);
          LockSupport.parkNanos(PAUSE);
        }
      }
      ended.complete(null);
    } catch (IOException | InterruptedException | RuntimeException e) {
      ended.completeExceptionally(e);
    }
  }
}
