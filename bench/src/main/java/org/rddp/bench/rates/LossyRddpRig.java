package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.ConnectionOpener;
import org.rddp.bench.layout.OneDaemon;
import org.rddp.bench.link.LinkHandle;

/**
 * RDMA Writes one way over a link that loses frames. Arguments: a {@link LinkHandle}, and those of
 * {@link OneDaemon}. Tasks and figures are {@link LossyTask}'s, and counters of the whole round: of
 * the far end's TCP {@code early}, segments received out of order, and {@code kept}, octets of them
 * that had to wait; of the near end's {@code timeouts} and {@code retransmitted}.
 */
public final class LossyRddpRig extends ProgramRig {
  private static final long MEMORY = 16L << 20;

  /** Pause of the programs, in ns: the link's thread needs the same core. */
  private static final long PAUSE = 50_000;

  private static final int OUTSTANDING = 32;
  private static final long TIMEOUT = 30_000_000_000L;

  private LinkHandle link;

  /** Rounds of each task so far: the next one loses other frames. */
  private final Map<LossyTask, Integer> rounds = new HashMap<>();

  @Override
  void openConnections(JsonObject arguments) throws Exception {
    link = LinkHandle.of(arguments);
  }

  @Override
  public Sample round(JsonObject json) throws IOException, InterruptedException {
    LossyTask task = Json.to(json, LossyTask.class);
    LockSupport.parkNanos(task.drain());
    link.configure(task.linkSettings(rounds.merge(task, 1, Integer::sum)));
    Map<String, Long> before = daemon().counters();
    ConnectionOpener.Ends ends = connections().connect();
    try (WriteStream stream =
        new WriteStream(daemon().near(), daemon().far(), ends.near(), MEMORY)) {
      stream.configure(task.octets(), OUTSTANDING);
      work(stream, task.settling());
      long placed = daemon().counters().get("far.ddp_placed_bytes");
      long began = System.nanoTime();
      work(stream, task.nanos());
      Map<String, Long> after = daemon().counters();
      long nanos = System.nanoTime() - began;
      Sample found =
          LossyTask.sample(after.get("far.ddp_placed_bytes") - placed, nanos, link.counts());
      link.configure(task.losslessLink());
      end(stream);
      ends.near().abort();
      ends.far().abort();
      return found
          .with("early", change(before, after, "far.tcp_out_of_order_segments"))
          .with("kept", change(before, after, "far.tcp_kept_bytes"))
          .with("timeouts", change(before, after, "near.tcp_retransmission_timeouts"))
          .with("retransmitted", change(before, after, "near.tcp_retransmitted_segments"));
    }
  }

  private static double change(Map<String, Long> before, Map<String, Long> after, String name) {
    return after.get(name) - before.get(name);
  }

  private static void work(WriteStream stream, long nanos) {
    long began = System.nanoTime();
    while (System.nanoTime() - began < nanos) {
      stream.work();
      LockSupport.parkNanos(PAUSE);
    }
  }

  private static void end(WriteStream stream) {
    stream.end();
    long began = System.nanoTime();
    while (!stream.ended()) {
      stream.work();
      LockSupport.parkNanos(PAUSE);
      if (System.nanoTime() - began > TIMEOUT) {
        throw new IllegalStateException("writes have not arrived");
      }
    }
  }
}
