package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.rddp.bench.harness.CannotRunException;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Rig;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.Cpus;
import org.rddp.bench.link.LinkHandle;
import org.rddp.rig.Affinity;

/**
 * The kernel's TCP one way over a link that loses frames, by blocking sockets. Argument: a {@link
 * LinkHandle}. Tasks and figures are {@link LossyTask}'s.
 */
public final class LossyKernelRig implements Rig {
  private static final Path CONGESTION = Path.of("/proc/sys/net/ipv4/tcp_congestion_control");
  private static final long PAUSE = 1_000_000;

  private LinkHandle link;
  private SocketReceiver receiver;

  /** Rounds of each task so far: the next one loses other frames. */
  private final Map<LossyTask, Integer> rounds = new HashMap<>();

  @Override
  public void open(JsonObject arguments) throws Exception {
    link = LinkHandle.of(arguments);
    receiver =
        new SocketReceiver(
            Cpus.far(),
            () -> {
              link.enter(false);
              return LinkHandle.farAddress();
            });
    Affinity.pin(Cpus.far());
    link.enter(true);
    String congestion = Files.readString(CONGESTION).strip();
    if (!congestion.equals("cubic")) {
      throw new CannotRunException("the kernel's TCP is " + congestion + ", not CUBIC");
    }
  }

  @Override
  public Sample round(JsonObject json) throws IOException, InterruptedException {
    LossyTask task = Json.to(json, LossyTask.class);
    LockSupport.parkNanos(task.drain());
    link.configure(task.linkSettings(rounds.merge(task, 1, Integer::sum)));
    try (SocketChannel sender = receiver.connect(LinkHandle.farAddress())) {
      ByteBuffer message = ByteBuffer.allocateDirect(task.octets());
      send(sender, message, task.settling());
      long before = receiver.read();
      long began = System.nanoTime();
      send(sender, message, task.nanos());
      Sample found =
          LossyTask.sample(receiver.read() - before, System.nanoTime() - began, link.counts());
      link.configure(task.losslessLink());
      end(sender);
      return found;
    }
  }

  /**
   * Lets the octets under way arrive over a lossless link, so that none are left for the next
   * round. A reset would be quicker, but when it is lost the receiver reads for ever.
   */
  private void end(SocketChannel sender) throws IOException {
    int before = receiver.ended();
    sender.shutdownOutput();
    long began = System.nanoTime();
    while (receiver.ended() == before) {
      receiver.check(began);
      LockSupport.parkNanos(PAUSE);
    }
  }

  private void send(SocketChannel sender, ByteBuffer message, long nanos) throws IOException {
    long began = System.nanoTime();
    while (System.nanoTime() - began < nanos) {
      receiver.check(began + nanos);
      message.clear();
      while (message.hasRemaining()) {
        if (sender.write(message) == 0) {
          receiver.check(began + nanos);
        }
      }
    }
  }

  @Override
  public void close() {}
}
