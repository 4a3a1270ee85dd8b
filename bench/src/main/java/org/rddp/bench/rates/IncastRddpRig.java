package org.rddp.bench.rates;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.rddp.bench.harness.Json;
import org.rddp.bench.harness.Sample;
import org.rddp.bench.layout.ConnectionOpener;
import org.rddp.bench.layout.OneDaemon;
import org.rddp.bench.link.LinkHandle;
import org.rddp.client.MemoryRegion;
import org.rddp.client.types.Access;
import org.rddp.client.types.SendFlags;

/**
 * An incast of RDMA Writes. Arguments: a {@link LinkHandle}, and those of {@link OneDaemon}. Tasks
 * and figures are {@link IncastTask}'s, and {@code timeouts}.
 */
public final class IncastRddpRig extends ProgramRig {
  private static final VarHandle NUMBER = ValueLayout.JAVA_LONG.varHandle();
  private static final int BATCH = 64;

  private LinkHandle link;
  private int count;

  @Override
  void openConnections(JsonObject arguments) throws Exception {
    link = LinkHandle.of(arguments);
    count = Json.integer(arguments, "connections", 1);
    IncastTask.prioritize();
  }

  /**
   * The messages of an incast, one over each of new connections: segments of other contenders,
   * which have come while this one was stopped, have reset the old ones. The last octets of each
   * message have its number.
   */
  private final class WriteMessages implements IncastTask.Messages, AutoCloseable {
    private final int octets;
    private final List<ConnectionOpener.Ends> ends;
    private final MemoryRegion source;
    private final MemoryRegion sink;
    private final boolean[] missing = new boolean[count];
    private long number;

    private WriteMessages(int octets) throws IOException, InterruptedException {
      this.octets = octets;
      ends = connections().connect(count);
      source = daemon().near().allocate(octets);
      sink =
          daemon().far().allocate((long) octets * count, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    }

    @Override
    public int count() {
      return count;
    }

    private long last(int index) {
      return (long) octets * (index + 1) - Long.BYTES;
    }

    @Override
    public void post() {
      number++;
      NUMBER.set(source.segment(), last(0), number);
      for (int i = 0; i < missing.length; i++) {
        missing[i] = true;
        boolean posted =
            ends.get(i)
                .near()
                .postWrite(
                    number,
                    source,
                    0,
                    octets,
                    sink.stag(),
                    sink.baseTo() + (long) octets * i,
                    SendFlags.SIGNALLED);
        if (!posted) {
          throw new IllegalStateException("a queue is full");
        }
      }
    }

    @Override
    public void work(Runnable arrived) {
      daemon().near().poll(ConnectionOpener::check, BATCH);
      for (int i = 0; i < missing.length; i++) {
        if (missing[i] && (long) NUMBER.getAcquire(sink.segment(), last(i)) == number) {
          missing[i] = false;
          arrived.run();
        }
      }
    }

    @Override
    public void close() {
      for (ConnectionOpener.Ends each : ends) {
        each.near().abort();
        each.far().abort();
      }
      source.close();
      sink.close();
    }
  }

  @Override
  public Sample round(JsonObject json) throws Exception {
    IncastTask task = Json.to(json, IncastTask.class);
    link.configure(task.link());
    long before = daemon().counters().get("near.tcp_retransmission_timeouts");
    try (WriteMessages messages = new WriteMessages(task.octets())) {
      Histogram times = task.run(messages);
      long timeouts = daemon().counters().get("near.tcp_retransmission_timeouts") - before;
      return IncastTask.sample(times, link.counts()).with("timeouts", (double) timeouts);
    }
  }
}
